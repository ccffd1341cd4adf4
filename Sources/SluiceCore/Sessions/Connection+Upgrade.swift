extension Connection {
  /// Adds the columns that tables have gained since changes were recorded.
  ///
  /// ```swift
  /// try connection.execute(
  ///   sql: "ALTER TABLE person ADD COLUMN isActive INTEGER DEFAULT 1")
  /// let upgrades = try Changeset.Group()
  /// for changeset in recorded { try upgrades.add(connection.upgraded(changeset)) }
  /// ```
  ///
  /// Rows that were inserted or deleted get the default of each column that was added later. Changes that were recorded
  /// before and after `ALTER TABLE … ADD COLUMN` can be combined only after this: ``RecordedChanges/Group`` throws
  /// ``ResultCode/schema`` otherwise. `apply` itself accepts changes with fewer columns than the table.
  ///
  /// The names of columns are not recorded, so columns that were dropped or put into another order are not detected. All
  /// changes are in memory during the call.
  ///
  /// - Returns: The changes with the columns of the tables in this database.
  ///
  /// Throws ``ResultCode/schema`` if a table is missing, has fewer columns than its changes or another primary key, or
  /// declares no primary key, and if the default of a column needs a function of the program. Throws
  /// ``ResultCode/mismatch`` for text that is not UTF-8.
  ///
  /// The corresponding C function is `sqlite3changegroup_schema`. This method does not call it, so it works with every
  /// version of SQLite.
  public func upgraded<Format: Session.Format>(
    _ changes: RecordedChanges<Format>, schema: String = "main"
  ) throws -> RecordedChanges<Format> {
    _ = try transactionState(schema: schema)
    var tables: [String: TableColumns] = [:]
    let upgraded = try changes.changes().map { change in
      let name = foldedName(change.table)
      let columns = try tables[name] ?? TableColumns(of: change.table, schema, in: self)
      tables[name] = columns
      return try columns.upgraded(change)
    }
    return try RecordedChanges(changes: upgraded)
  }
}

/// The columns of a table that a session would record.
private struct TableColumns {
  /// The default of each column.
  private let defaults: [DatabaseValue]
  /// The indexes of the primary key columns, in the order of the key.
  private let primaryKey: [Int]

  init(of table: String, _ schema: String, in connection: Connection) throws {
    let isStrict = try connection.prepare(
      sql: "SELECT strict FROM pragma_table_list(?) WHERE schema = ? COLLATE NOCASE")
    let strict =
      try isStrict.bind(.string(table), .string(schema)).first(.column(.int)) ?? 0
    let statement = try connection.prepare(
      sql: "SELECT type, dflt_value, pk FROM pragma_table_info(?, ?)")
    let columns = try statement.bind(.string(table), .string(schema))
      .query(.columns(.string, .optional(.string), .int))
    defaults = try columns.map { type, expression, _ in
      guard let expression else { return .null }
      return try ColumnDefault(expression, type: type, isStrict: strict != 0).value
    }
    primaryKey = columns.indices.filter { columns[$0].2 > 0 }.sorted {
      columns[$0].2 < columns[$1].2
    }
  }

  func upgraded(_ change: Changeset.Change) throws -> Changeset.Change {
    guard change.primaryKey == primaryKey, change.columnCount <= defaults.count else {
      let problem =
        if defaults.isEmpty { "does not exist" } else if primaryKey.isEmpty {
          "has no primary key"
        } else if change.primaryKey != primaryKey { "has another primary key" } else {
          "has fewer columns"
        }
      throw SQLiteError(.schema, "A table of the changes \(problem): \(change.table)")
    }
    return change.appending(Array(defaults[change.columnCount...]))
  }
}
