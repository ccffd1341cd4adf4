/// Why a call failed: SQLite's reason, or that of Sluice in SQLite's terms.
///
/// ```swift
/// do {
///   try connection.execute(sql: "INSERT INTO person(name) VALUES (?)", parameters: name)
/// } catch SQLiteError.constraint {
///   // the name is taken
/// }
/// ```
///
/// Values that are bound to a statement are not put into an error, but a message can quote one: those of
/// SQLite for JSON paths and for patterns of full-text search do, and those of decoders.
@dynamicMemberLookup
public struct SQLiteError: Error, Hashable, Sendable {
  /// The extended result code.
  ///
  /// `==` compares all of it: a unique constraint has the code ``ResultCode/constraintUnique``. To match each
  /// constraint, write `catch SQLiteError.constraint`, or compare ``ResultCode/primary``.
  public let code: ResultCode
  /// A description for developers.
  public let message: String
  /// The SQL that failed, if the failure belongs to some.
  public let sql: String?
  /// Where in ``sql`` the failure lies, in bytes of UTF-8, if SQLite knows.
  ///
  /// The corresponding C function is `sqlite3_error_offset`.
  public let offset: Int?
  /// The number of the error of the operating system that is behind an ``ResultCode/ioError`` or a
  /// ``ResultCode/cantOpen``, such as `ENOENT`, if SQLite knows.
  ///
  /// The corresponding C function is `sqlite3_system_errno`.
  public internal(set) var systemErrno: Int?

  /// Makes an error, for example to throw it from an SQL function.
  public init(_ code: ResultCode, _ message: String, sql: String? = nil, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
    self.offset = offset
  }

  /// The code of the same name, so that it can be caught: `catch SQLiteError.busy`.
  public static subscript(
    dynamicMember code: KeyPath<ResultCode.Type, ResultCode>
  ) -> ResultCode {
    ResultCode.self[keyPath: code]
  }
}

extension SQLiteError: CustomStringConvertible {
  /// The message, the name and number of the code, and the SQL, in one line.
  ///
  /// ```
  /// UNIQUE constraint failed: person.name [SQLITE_CONSTRAINT_UNIQUE (2067)] in: INSERT INTO person VALUES (?)
  /// ```
  public var description: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    let name = code.name ?? "unknown code"
    return "\(message) [\(name) (\(code.rawValue))]" + (sql.map { "\(place) in: \($0)" } ?? "")
  }
}
