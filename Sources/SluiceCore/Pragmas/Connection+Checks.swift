/// What a database tells of itself.
extension Connection {
  /// How many pages a database has.
  ///
  /// The corresponding SQL is `PRAGMA page_count`.
  public func pageCount(database: String = "main") throws -> Int {
    try count("page_count", database)
  }

  /// How many of the pages of a database are not needed now.
  ///
  /// The corresponding SQL is `PRAGMA freelist_count`.
  public func freePageCount(database: String = "main") throws -> Int {
    try count("freelist_count", database)
  }

  /// A number that is another one after other connections have changed a database.
  ///
  /// What this connection changes leaves it as it is.
  ///
  /// The corresponding SQL is `PRAGMA data_version`.
  public func dataVersion(database: String = "main") throws -> Int {
    try count("data_version", database)
  }

  /// What is damaged in a database, in SQLite's words; nothing if it is sound.
  ///
  /// A quick check does not compare the indexes with their tables. Foreign keys are not looked at: see
  /// ``foreignKeyViolations(of:database:)``. A database that is damaged too much to look into throws
  /// ``ResultCode/corrupt``, and a limit below one ``ResultCode/range``.
  ///
  /// The corresponding SQL is `PRAGMA integrity_check` and `PRAGMA quick_check`.
  public func integrityProblems(
    database: String = "main", isQuick: Bool = false, limit: Int = 100
  ) throws -> [String] {
    let limit = try PragmaForm<Int>.checked(Int64(limit), 1...Int64(Int32.max))
    let sql = try "\(prefix(of: database))\(isQuick ? "quick" : "integrity")_check(\(limit))"
    let problems = try prepare(sql: "PRAGMA " + sql).query(.column(.string))
    return problems == ["ok"] ? [] : problems
  }

  /// The rows that refer to rows which are not there, in one table or in all.
  ///
  /// They can come about while ``Configuration/foreignKeys`` is off.
  ///
  /// The corresponding SQL is `PRAGMA foreign_key_check`.
  public func foreignKeyViolations(
    of table: String? = nil, database: String = "main"
  ) throws -> [ForeignKeyViolation] {
    let argument = try table.map { try "(\(quoted(identifier: $0)))" } ?? ""
    return try prepare(sql: "PRAGMA \(prefix(of: database))foreign_key_check\(argument)").query(
      RowConverter { row in
        try ForeignKeyViolation(
          table: row.text(at: 0), rowid: row.optional(.int64, at: 1),
          referencedTable: row.text(at: 2), foreignKey: row.get(.int, at: 3))
      })
  }

  private func count(_ name: String, _ database: String) throws -> Int {
    Int(clamping: try pragmaAnswer(prefix(of: database) + name)?.integer ?? 0)
  }
}

/// A row that refers to a row which is not there.
public struct ForeignKeyViolation: Hashable, Sendable {
  /// The table of the row.
  public let table: String
  /// The key of the row, or nil in a table `WITHOUT ROWID`.
  public let rowid: Int64?
  /// The table in which a row is missing.
  public let referencedTable: String
  /// The number of the foreign key among those of the table: ``ForeignKeyInfo/number``.
  public let foreignKey: Int
}
