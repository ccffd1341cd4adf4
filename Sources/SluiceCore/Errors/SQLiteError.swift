/// An error from SQLite, or from Sluice with an SQLite result code.
///
/// ```swift
/// do {
///   try connection.execute(sql: "INSERT INTO person(name) VALUES (?)", parameters: name)
/// } catch SQLiteError.constraint {
///   // The name is taken.
/// }
/// ```
///
/// An error does not include the values that are bound to a statement, but its message can quote one. SQLite's
/// messages about JSON paths and full-text search patterns do so, as do the messages of decoders.
@dynamicMemberLookup
public struct SQLiteError: Error, Hashable, Sendable {
  /// The extended result code.
  ///
  /// `==` compares the whole code: a violated unique constraint has the code ``ResultCode/constraintUnique``. To
  /// match every constraint, write `catch SQLiteError.constraint`, or compare ``ResultCode/primary``.
  public let code: ResultCode
  /// A description of the failure for developers.
  public let message: String
  /// The SQL that failed, or nil if the error does not concern any SQL.
  public let sql: String?
  /// The position of the failure in ``sql``, as an offset in UTF-8 bytes, or nil if SQLite does not report it.
  ///
  /// The corresponding C function is `sqlite3_error_offset`.
  public let offset: Int?
  /// The operating system's error number, such as `ENOENT`, or nil if SQLite does not report it.
  ///
  /// Only an error with the code ``ResultCode/ioError`` or ``ResultCode/cantOpen`` can have a number: that of the
  /// system call that failed.
  ///
  /// The corresponding C function is `sqlite3_system_errno`.
  public internal(set) var systemErrno: Int?

  /// Creates an error, for example to throw it from an SQL function.
  public init(_ code: ResultCode, _ message: String, sql: String? = nil, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
    self.offset = offset
  }

  /// The result code with the same name, for patterns such as `catch SQLiteError.busy`.
  public static subscript(
    dynamicMember code: KeyPath<ResultCode.Type, ResultCode>
  ) -> ResultCode {
    ResultCode.self[keyPath: code]
  }
}

extension SQLiteError: CustomStringConvertible {
  /// The message, the name and number of the code, and the SQL, of which long SQL is cut.
  ///
  /// ```
  /// UNIQUE constraint failed: person.name [SQLITE_CONSTRAINT_UNIQUE (2067)] in: INSERT INTO person VALUES (?)
  /// ```
  public var description: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    let name = code.name ?? "unknown code"
    return "\(message) [\(name) (\(code.rawValue))]" + (sql.map { "\(place) in: \($0.cut)" } ?? "")
  }
}

extension String {
  /// The text, cut after 1,000 bytes: SQL can contain megabytes of values.
  package var cut: String {
    let limit = 1_000
    guard utf8.count > limit else { return self }
    return String(decoding: utf8.prefix(limit), as: UTF8.self) + "…"
  }
}
