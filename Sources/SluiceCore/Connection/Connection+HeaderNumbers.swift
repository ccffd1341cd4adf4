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
