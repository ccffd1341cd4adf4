/// Settings by name, which are what they were set to, or throw.
extension Connection {
  /// The setting of a database.
  ///
  /// An unknown database throws ``ResultCode/range``, and a setting that the linked SQLite does not know
  /// ``ResultCode/notFound``.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public func pragma<Value>(
    _ pragma: DatabasePragma<Value>, database: String = "main"
  ) throws -> Value {
    try value(pragma.form, prefix(of: database))
  }

  /// Changes the setting of a database.
  ///
  /// It throws ``ResultCode/misuse``, and leaves all as it was, if SQLite does not take the value: a WAL for a
  /// database in memory, or another size of pages once there are tables. ``ResultCode/range`` is for numbers that
  /// cannot be.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public func setPragma<Value>(
    _ pragma: DatabasePragma<Value>, to value: Value, database: String = "main"
  ) throws {
    try set(pragma.form, value, prefix(of: database))
  }

  /// The setting of a connection.
  ///
  /// A setting that the linked SQLite does not know throws ``ResultCode/notFound``.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public func pragma<Value>(_ pragma: ConnectionPragma<Value>) throws -> Value {
    try value(pragma.form, "")
  }

  /// Changes the setting of a connection.
  ///
  /// It throws ``ResultCode/misuse``, and leaves all as it was, if SQLite does not take the value: another
  /// encoding once there are tables.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public func setPragma<Value>(_ pragma: ConnectionPragma<Value>, to value: Value) throws {
    try set(pragma.form, value, "")
  }
}

extension Connection {
  /// Returns the prefix of a pragma for a database that exists.
  func prefix(of database: String) throws -> String {
    try quotedName(of: database) + "."
  }

  /// Runs a pragma, which is never kept: SQLite does the work of some when it compiles them.
  func runPragma(_ sql: String) throws { try prepare(sql: "PRAGMA " + sql).execute() }

  /// The first value of the answer to a pragma.
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
    // SQLite would use some the next time that it makes the file anew; the first error counts.
    try? runPragma("\(prefix)\(form.name) = \(old)")
    throw SQLiteError(
      .misuse, "SQLite keeps \(form.name) at \(now) and does not change it to \(text) now")
  }
}

/// The name of a pragma, and how its value is read and written in SQL.
struct PragmaForm<Value: Sendable>: Sendable {
  let name: String
  /// The meaning of SQLite's answer, or nil if it is unknown here.
  let read: @Sendable (DatabaseValue) -> Value?
  /// The value in SQL; one that cannot be throws.
  let write: @Sendable (Value) throws -> String
  /// The value where SQLite has no answer.
  var missing: Value?
}

extension PragmaForm {
  /// Values that are words, in small letters.
  static func named(_ name: String, _ words: [(Value, String)]) -> Self where Value: Equatable {
    Self(
      name: name,
      read: { value in
        guard case .text(let text) = value else { return nil }
        return words.first { $0.1 == text.lowercased() }?.0
      },
      // In quotes, as one has a hyphen.
      write: { value in "'\(words.first { $0.0 == value }?.1 ?? "")'" })
  }

  /// Values that are numbers from 0 on, in the order of the cases.
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
      name: name, read: { $0.integer.map { Int(clamping: $0) } },
      write: { String(try checked(Int64($0), range)) }, missing: missing)
  }

  static func checked(_ number: Int64, _ range: ClosedRange<Int64>) throws -> Int64 {
    guard range.contains(number) else {
      throw SQLiteError(.range, "\(number) is not from \(range.lowerBound) to \(range.upperBound)")
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

/// The numbers that a database file has room for in its header, and that SQLite leaves to the program.
extension Connection {
  /// The number that programs use to tell which schema the main database has; 0 in a new one.
  ///
  /// A property that throws cannot be assigned to: see ``setUserVersion(_:)``.
  ///
  /// The corresponding SQL is `PRAGMA user_version`.
  public var userVersion: Int32 {
    get throws { try number("user_version") }
  }

  /// Writes the number that ``userVersion`` reads; a transaction that is rolled back undoes it.
  ///
  /// The corresponding SQL is `PRAGMA user_version`.
  public func setUserVersion(_ version: Int32) throws {
    try execute(sql: "PRAGMA main.user_version = \(version)")
  }

  /// The number by which other programs, such as `file`, tell what kind of document the main database
  /// is; 0 if that was never said.
  ///
  /// The corresponding SQL is `PRAGMA application_id`.
  public var applicationID: Int32 {
    get throws { try number("application_id") }
  }

  /// Writes the number that ``applicationID`` reads; a transaction that is rolled back undoes it.
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
