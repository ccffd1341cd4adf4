/// Methods that read and change settings with pragmas.
///
/// A change that SQLite does not apply throws.
extension Connection {
  /// Returns the value of a database setting.
  ///
  /// - Throws: ``ResultCode/range`` for an unknown database, and ``ResultCode/notFound`` for a setting that the
  ///   linked SQLite does not support.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public func pragma<Value>(
    _ pragma: DatabasePragma<Value>, database: String = "main"
  ) throws -> Value {
    try value(pragma.form, prefix(of: database))
  }

  /// Changes a database setting.
  ///
  /// If SQLite refuses the value, the setting is unchanged.
  ///
  /// - Throws: ``ResultCode/misuse`` if SQLite refuses the value, such as a WAL for an in-memory database, or another page
  ///   size for a database with tables. ``ResultCode/range`` for a number that is out of range.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public func setPragma<Value>(
    _ pragma: DatabasePragma<Value>, to value: Value, database: String = "main"
  ) throws {
    try set(pragma.form, value, prefix(of: database))
  }

  /// Returns the value of a connection setting.
  ///
  /// - Throws: ``ResultCode/notFound`` for a setting that the linked SQLite does not support.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public func pragma<Value>(_ pragma: ConnectionPragma<Value>) throws -> Value {
    try value(pragma.form, "")
  }

  /// Changes a connection setting.
  ///
  /// If SQLite refuses the value, the setting is unchanged.
  ///
  /// - Throws: ``ResultCode/misuse`` if SQLite refuses the value, such as another encoding for a database with tables.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public func setPragma<Value>(_ pragma: ConnectionPragma<Value>, to value: Value) throws {
    try set(pragma.form, value, "")
  }
}

extension Connection {
  /// Returns the prefix of a pragma for an existing database.
  func prefix(of database: String) throws -> String {
    try quotedName(of: database) + "."
  }

  /// Executes a pragma without caching the statement.
  ///
  /// SQLite executes some pragmas while it compiles them, so a cached statement would not execute them again.
  func runPragma(_ sql: String) throws { try prepare(sql: "PRAGMA " + sql).execute() }

  /// Returns the first value that a pragma returns, or nil if the pragma returns no row.
  func pragmaAnswer(_ sql: String) throws -> DatabaseValue? {
    try prepare(sql: "PRAGMA " + sql).first(.column(.value))
  }

  private func value<Value>(_ form: PragmaForm<Value>, _ prefix: String) throws -> Value {
    guard let answer = try pragmaAnswer(prefix + form.name) else {
      if let missing = form.missing { return missing }
      throw SQLiteError(.notFound, "SQLite \(SQLiteLibrary.version) has no \(form.name)")
    }
    guard let value = form.read(answer) else {
      throw SQLiteError(.mismatch, "\(form.name) has an unexpected value: \(answer)")
    }
    return value
  }

  private func set<Value>(
    _ form: PragmaForm<Value>, _ value: Value, _ prefix: String
  ) throws {
    let text = try form.write(value)
    let old = try form.write(self.value(form, prefix))
    try runPragma("\(prefix)\(form.name) = \(text)")
    let now = try form.write(self.value(form, prefix))
    guard now != text else { return }
    // The old value is restored, because SQLite remembers some values that it cannot apply now, and would apply
    // them when it next rebuilds the file. An error is ignored, because the failure of the change is the one to
    // report.
    try? runPragma("\(prefix)\(form.name) = \(old)")
    throw SQLiteError(
      .misuse, "SQLite keeps \(form.name) at \(now) and does not change it to \(text) now")
  }
}

/// The name of a pragma, and the conversions of its value from and to SQL.
struct PragmaForm<Value: Sendable>: Sendable {
  let name: String
  /// Converts SQLite's answer to a value; returns nil for an unexpected answer.
  let read: @Sendable (DatabaseValue) -> Value?
  /// Converts a value to SQL; throws if the value is invalid.
  let write: @Sendable (Value) throws -> String
  /// The value to use if the pragma returns no row.
  var missing: Value?
}

extension PragmaForm {
  /// Creates the form of a pragma whose values are words; `words` lists them in lowercase.
  static func named(_ name: String, _ words: [(Value, String)]) -> Self where Value: Equatable {
    Self(
      name: name,
      read: { value in
        guard case .text(let text) = value else { return nil }
        return words.first { $0.1 == text.lowercased() }?.0
      },
      // The word is quoted, because some words contain a hyphen.
      write: { value in "'\(words.first { $0.0 == value }?.1 ?? "")'" })
  }

  /// Creates the form of a pragma whose values are numbers: 0 for the first case of `Value`, 1 for the
  /// second, and so on.
  static func numbered(_ name: String) -> Self
  where Value: CaseIterable & Equatable, Value.AllCases == [Value] {
    Self(
      name: name, read: { $0.integer.flatMap { Value.allCases.element(at: $0) } },
      write: { value in String(Value.allCases.firstIndex(of: value) ?? 0) })
  }
}

extension PragmaForm<Bool> {
  static func flag(_ name: String) -> Self {
    Self(name: name, read: { $0.integer.map { $0 != 0 } }, write: { $0 ? "1" : "0" })
  }
}

extension PragmaForm<Int> {
  static func number(_ name: String, in range: ClosedRange<Int64>, missing: Int? = nil) -> Self {
    Self(
      name: name,
      read: { answer in
        // SQLCipher returns the page size of an encrypted database as text.
        if case .text(let digits) = answer { return Int(digits) }
        return answer.integer.map { Int(clamping: $0) }
      },
      write: { String(try checked(Int64($0), range)) }, missing: missing)
  }

  static func checked(_ number: Int64, _ range: ClosedRange<Int64>) throws -> Int64 {
    guard range.contains(number) else {
      throw SQLiteError(
        .range,
        "The value must be from \(range.lowerBound) to \(range.upperBound) (got \(number))")
    }
    return number
  }
}

extension DatabaseValue {
  var integer: Int64? {
    guard case .integer(let number) = self else { return nil }
    return number
  }
}

extension Array {
  func element(at index: Int64) -> Element? {
    indices.contains(Int(clamping: index)) ? self[Int(clamping: index)] : nil
  }
}

/// Numbers that a program can store in the header of a database file, for its own purposes.
extension Connection {
  /// The number that programs use to identify the schema of the main database; 0 in a new database.
  ///
  /// To change the number, call ``setUserVersion(_:)``: a property that throws cannot have a setter.
  ///
  /// The corresponding SQL is `PRAGMA user_version`.
  public var userVersion: Int32 {
    get throws { try number("user_version") }
  }

  /// Sets the number that ``userVersion`` returns; rolling back the transaction undoes the change.
  ///
  /// The corresponding SQL is `PRAGMA user_version`.
  public func setUserVersion(_ version: Int32) throws {
    try execute(sql: "PRAGMA main.user_version = \(version)")
  }

  /// The number that identifies the file type of the main database; 0 if it was never set.
  ///
  /// Other programs, such as the command `file`, read this number.
  ///
  /// The corresponding SQL is `PRAGMA application_id`.
  public var applicationID: Int32 {
    get throws { try number("application_id") }
  }

  /// Sets the number that ``applicationID`` returns; rolling back the transaction undoes the change.
  ///
  /// The corresponding SQL is `PRAGMA application_id`.
  public func setApplicationID(_ identifier: Int32) throws {
    try execute(sql: "PRAGMA main.application_id = \(identifier)")
  }

  private func number(_ name: String) throws -> Int32 {
    let statement = try prepare(sql: "PRAGMA main.\(name)")
    return try statement.first(.column(.int32)) ?? 0
  }
}
