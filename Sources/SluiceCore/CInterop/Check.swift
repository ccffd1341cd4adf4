import CSluice

extension SQLiteError {
  /// Creates the error that `database` has just reported.
  ///
  /// Call this initializer before any other call on `database`, which would replace the message.
  init(_ code: Int32, of database: OpaquePointer?, sql: String? = nil) {
    let code = unsafe database.map { unsafe extendedCode(code, of: $0) } ?? code
    // Some calls return a code but do not record it in the handle, which then has the message of an earlier error.
    let isReported = unsafe database != nil && sqlite3_extended_errcode(database) == code
    let message = unsafe isReported ? sqlite3_errmsg(database) : sqlite3_errstr(code)
    let offset = unsafe sql != nil && isReported ? Int(sluice_error_offset(database)) : -1
    // A file system in Swift may have recorded a more detailed reason than SQLite.
    let reason = unsafe database == nil ? nil : sluice_take_failure(code)
    let text = unsafe String(cString: reason ?? message!)
    let isMended = code == SQLITE_ERROR || code == SQLITE_CORRUPT
    let (better, said) =
      (isMended ? Self.inOwnWords(text) : nil) ?? (ResultCode(rawValue: code), text)
    self = SQLiteError(better, said, sql: sql, offset: offset < 0 ? nil : offset)
    if isReported, code & 0xff == SQLITE_IOERR || code & 0xff == SQLITE_CANTOPEN {
      let number = unsafe sqlite3_system_errno(database)
      systemErrno = number == 0 ? nil : Int(number)
    }
  }

  /// Returns a copy of this error with the given message, SQL and offset.
  func saying(_ message: String, sql: String? = nil, offset: Int? = nil) -> SQLiteError {
    var error = SQLiteError(code, message, sql: sql, offset: offset)
    error.systemErrno = systemErrno
    return error
  }

  /// Returns a better code and message where SQLite's own would mislead, and nil otherwise.
  private static func inOwnWords(_ message: String) -> (ResultCode, String)? {
    if message == "no such function: sluice_array" {
      return (.mismatch, "An interpolated array is allowed only after IN")
    }
    return refusalOfSchema(message).map { (.authorization, $0) }
  }

  /// Returns a clearer message if SQLite reports that a schema uses something unsafe, and nil otherwise.
  ///
  /// SQLite reports such a schema as malformed if it detects the use while it reads the schema.
  private static func refusalOfSchema(_ message: String) -> String? {
    let refusal = "unsafe use of "
    guard let start = message.firstRange(of: refusal)?.lowerBound else { return nil }
    var object = message[..<start]
    let (opening, closing) = ("malformed database schema (", ") - ")
    if !object.isEmpty {
      guard object.hasPrefix(opening), object.hasSuffix(closing) else { return nil }
      object = object.dropFirst(opening.count).dropLast(closing.count)
    }
    return message[start...] + (object.isEmpty ? "" : " by \"\(object)\"")
      + ": a schema can use only innocuous functions and virtual tables; if Configuration.trustedSchema"
      + " is on, also SQLite's own, and functions added with the option usableInSchema"
  }
}

extension SQLiteError {
  /// Creates an error that SQLite can pass on, with each NUL in its message escaped.
  ///
  /// C would treat a NUL as the end of the message.
  init(wrapping error: any Error) {
    let error = error as? SQLiteError ?? SQLiteError(.error, "\(error)")
    let pieces = error.message.split(separator: "\0", omittingEmptySubsequences: false)
    self = pieces.count == 1 ? error : error.saying(pieces.joined(separator: "\\0"))
  }
}

/// Returns the extended code of an error that the handle has recorded, while SQLite returns primary codes.
func extendedCode(_ code: Int32, of database: OpaquePointer) -> Int32 {
  let recorded = unsafe sqlite3_extended_errcode(database)
  return recorded & 0xff == code ? recorded : code
}

/// Throws ``ResultCode/misuse`` if `text` contains a NUL, which C would treat as the end of the text.
func refuseNUL(in text: String, _ noun: String) throws {
  guard !text.utf8.contains(0) else { throw SQLiteError(.misuse, "\(noun) contains a NUL") }
}

/// Returns the name of a table, column, savepoint or schema, quoted for use in SQL.
func quoted(identifier name: String) throws -> String {
  try refuseNUL(in: name, "A name in SQL")
  return name.quoted("\"")
}
