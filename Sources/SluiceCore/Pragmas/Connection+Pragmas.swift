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
  /// What stands before a pragma of a database that is there.
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
      throw SQLiteError(.notFound, "SQLite \(SQLiteLibrary.version) does not know \(form.name)")
    }
    guard let value = form.read(answer) else {
      throw SQLiteError(.mismatch, "\(form.name) is something else: \(answer)")
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
      .misuse, "SQLite leaves \(form.name) at \(now), and does not take \(text) now")
  }
}
