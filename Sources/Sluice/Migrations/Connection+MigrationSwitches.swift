import SluiceCore

extension Connection {
  /// Runs `body`, and then restores the connection options that `body` may change.
  ///
  /// The closure that `body` receives makes the checks that `foreignKeys` requires, unless the connection does not
  /// enforce foreign keys. After the last migration of a list, the closure also throws if the table of a foreign key
  /// does not exist.
  func restoringSwitches<T>(
    _ foreignKeys: Migration.ForeignKeys,
    _ body: (_ check: (_ isLast: Bool) throws -> Void) throws -> T
  ) throws -> T {
    let switches: [ConnectionOption] = [
      .foreignKeys, .legacyAlterTable, .writableSchema, .trustedSchema,
    ]
    let before = try switches.map { try ($0, option($0)) }
    func restore() throws {
      for (aSwitch, wasOn) in before where try option(aSwitch) != wasOn {
        try setOption(aSwitch, wasOn)
      }
    }
    let value: T
    do {
      let isEnforcing = try option(.foreignKeys)
      // SQLite ignores this change inside a transaction, so it precedes `body`.
      if foreignKeys != .enforced { try setOption(.foreignKeys, false) }
      value = try body { isLast in
        guard isEnforcing else { return }
        if foreignKeys == .checked { try checkForeignKeys() }
        if isLast && foreignKeys != .unchecked { try checkReferencedTables() }
      }
    } catch {
      // If restoring fails, report the original error.
      try? restore()
      throw error
    }
    try restore()
    return value
  }

  /// Throws if a row of a database that the connection can write refers to a missing row.
  private func checkForeignKeys() throws {
    for database in try databases() where !database.isReadOnly {
      let check = try prepare("PRAGMA \(identifier: database.name).foreign_key_check")
      guard let row = try check.step() else { continue }
      let child = try place(of: row.text(at: 0), in: database)
      let parent = try row.text(at: 2)
      // A `WITHOUT ROWID` table has no rowid to report.
      let rowid = try row.optional(.int64, at: 1).map { "row \($0)" } ?? "a row"
      throw SQLiteError(
        .constraintForeignKey,
        "foreign keys: \(rowid) of \(child) refers to a missing row of \"\(parent)\"")
    }
  }

  /// Throws if a foreign key refers to a table that does not exist.
  ///
  /// Without rows, `PRAGMA foreign_key_check` does not report such a key, but every later insertion fails.
  private func checkReferencedTables() throws {
    for database in try databases() where !database.isReadOnly {
      guard let (child, parent) = try missingTables(database: database.name).first else { continue }
      throw SQLiteError(
        .constraintForeignKey,
        "foreign keys: \(place(of: child, in: database)) refers to the table \"\(parent)\", which does not exist"
      )
    }
  }

  /// Returns the tables with foreign keys that refer to a table that does not exist, each with the missing table.
  package func missingTables(database: String = "main") throws -> [(String, String)] {
    let schema: SQL = "\(identifier: database).sqlite_schema"
    return try query(
      .columns(.string, .string),
      """
      SELECT DISTINCT child.name, key."table"
      FROM \(schema) AS child, pragma_foreign_key_list(child.name, \(database)) AS key
      WHERE child.type = 'table' AND NOT EXISTS (
        SELECT 1 FROM \(schema) AS parent
        WHERE parent.type IN ('table', 'view') AND parent.name = key."table" COLLATE NOCASE)
      ORDER BY 1, 2
      """)
  }

  private func place(of table: String, in database: AttachedDatabase) -> String {
    database.name == "main" ? "\"\(table)\"" : "\"\(database.name)\".\"\(table)\""
  }
}
