import CSluice

extension SQLiteError {
  /// The failure that `database` has just reported.
  ///
  /// This has to come before any other call on `database`, which would replace the message.
  init(_ code: Int32, of database: OpaquePointer?, sql: String? = nil) {
    // Some refusals give a code alone, and leave the message of what came before.
    let isReported = unsafe database != nil && sqlite3_extended_errcode(database) == code
    let message = unsafe isReported ? sqlite3_errmsg(database) : sqlite3_errstr(code)
    let offset = unsafe sql != nil && isReported ? Int(sluice_error_offset(database)) : -1
    // A file system in Swift has said more than SQLite can.
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

  /// The same failure in other words, or in other SQL.
  func saying(_ message: String, sql: String? = nil, offset: Int? = nil) -> SQLiteError {
    var error = SQLiteError(code, message, sql: sql, offset: offset)
    error.systemErrno = systemErrno
    return error
  }

  /// The code and the message where those of SQLite would mislead; nil where they do not.
  private static func inOwnWords(_ message: String) -> (ResultCode, String)? {
    if message == "no such function: sluice_array" {
      return (.mismatch, "An interpolated array is allowed only after IN")
    }
    return refusalOfSchema(message).map { (.authorization, $0) }
  }

  /// The message for a schema that uses what it may not; nil for any other message of SQLite.
  ///
  /// SQLite reports such a schema as damaged if it finds out when it reads it.
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
      + " is on, also those of SQLite and functions added with the option usableInSchema"
  }
}

extension SQLiteError {
  /// An error as SQLite can pass it on: C would take a NUL in its message for the end.
  init(wrapping error: any Error) {
    let error = error as? SQLiteError ?? SQLiteError(.error, "\(error)")
    let pieces = error.message.split(separator: "\0", omittingEmptySubsequences: false)
    self = pieces.count == 1 ? error : error.saying(pieces.joined(separator: "\\0"))
  }
}

extension Connection {
  /// Throws what the connection reports, unless `code` is success.
  func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw unsafe SQLiteError(code, of: rawHandle)
  }
}

extension Connection {
  /// Makes a call of SQLite's that may call back, and throws what a closure threw in it, or what
  /// SQLite reports.
  @inline(__always)
  func callSQLite(
    sql: @autoclosure () -> String? = nil, _ call: (OpaquePointer) -> Int32
  ) throws {
    let handle = try unsafe handle()
    let code = state.calling { unsafe call(handle) }
    guard code == SQLITE_OK else { throw failure(code, sql: sql()) }
    guard state.hasFailures else { return }
    if state.hasUnheardVeto { throw undoVetoed(sql: sql()) }
    state.dropFailure()
  }

  /// The error of the SQLite call that has just returned: an error that a closure threw, or SQLite's own.
  func failure(_ code: Int32, sql: String? = nil) -> any Error {
    state.failure(unsafe SQLiteError(code, of: rawHandle, sql: sql))
  }

  /// Runs what has to succeed, past the hooks and limits that could refuse it.
  func cleaningUp<T>(_ body: () throws -> T) rethrows -> T {
    guard let handle = unsafe rawHandle else { return try body() }
    let limit = unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, .max)
    defer { unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, limit) }
    return try state.cleaningUp(body)
  }

  /// Undoes what a closure refused and SQLite has done all the same, and returns what it threw.
  ///
  /// Nothing less than the transaction can be undone now.
  func undoVetoed(sql: String? = nil) -> any Error {
    let error = state.failure(SQLiteError(.abort, "A hook rejected a change", sql: sql))
    let isImplicit = isInAutocommit
    // There still is a transaction then if other statements are writing.
    if isImplicit, unsafe sqlite3_txn_state(rawHandle, nil) != SQLITE_TXN_WRITE { return error }
    rollBackPastHooks(isImplicit ? "BEGIN; ROLLBACK" : "ROLLBACK")
    return error
  }

  /// Rolls back what is not to be kept, for a reason that is reported.
  func rollBackPastHooks(_ sql: String = "ROLLBACK") {
    // What fails here has failed together with that.
    try? cleaningUp {
      try unsafe callSQLite { handle in unsafe sqlite3_exec(handle, sql, nil, nil, nil) }
    }
  }
}

/// Refuses `text` where C would take its first NUL for its end.
func refuseNUL(in text: String, _ noun: String) throws {
  guard !text.utf8.contains(0) else { throw SQLiteError(.misuse, "\(noun) contains a NUL") }
}

/// Quotes the name of a table, column, savepoint or schema for use in SQL.
func quoted(identifier name: String) throws -> String {
  try refuseNUL(in: name, "A name in SQL")
  return name.quoted("\"")
}

extension String {
  /// The text between two of `mark`, with each that is inside doubled.
  ///
  /// It goes by scalars, as SQLite does: to Swift, a mark and what combines with it are one character.
  func quoted(_ mark: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView([mark])
    for scalar in unicodeScalars {
      if scalar == mark { result.append(mark) }
      result.append(scalar)
    }
    result.append(mark)
    return String(result)
  }
}
