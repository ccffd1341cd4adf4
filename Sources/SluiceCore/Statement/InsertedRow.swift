import CSluice

/// The row that an INSERT has inserted.
package struct InsertedRow {
  package let rowid: Int64
  /// The number of inserted rows, which is 0 if a trigger or a conflict clause ignored the row.
  package let changes: Int

  /// Reads the row from the connection of a statement that has just ended.
  init(_ handle: OpaquePointer) {
    let connection = unsafe sqlite3_db_handle(handle)
    rowid = unsafe sqlite3_last_insert_rowid(connection)
    changes = Int(clamping: unsafe sqlite3_changes64(connection))
  }
}

extension Statement {
  /// Executes an INSERT, and returns its row; nil if the statement does not write.
  ///
  /// The row is read before any other code can use the connection, such as the deinit of an object that SQLite has
  /// released. In autocommit mode, the closure of a WAL hook runs even earlier.
  package func insertRow() throws -> InsertedRow? {
    state.writes.watch()
    defer { state.writes.stopWatching() }
    try execute()
    return state.writes.inserted
  }
}

extension Connection {
  /// Whether the key of an inserted row can be found after the insertion.
  ///
  /// This requires a transaction, in which nobody else changes the table, and which undoes the insertion if the key cannot
  /// be read. It also requires that no authorizer can deny the query for the key, and that no other statement is running
  /// that writes, such as one that calls this code: only one row can be watched.
  package var canAskAboutRows: Bool {
    translator == nil && !isInAutocommit && hooks?.authorizer.isEmpty != false
      && state.writes.running == 0
  }

  /// Returns whether a column is the rowid of the table that SQLite finds by this name.
  ///
  /// The answer comes from the schema in memory. Reading the database would begin a read transaction, and SQLite does not
  /// wait for a lock if another connection writes when such a transaction begins to write.
  package func isRowid(_ column: String, of table: String) throws -> Bool {
    try refuseStatements()
    var type: UnsafePointer<CChar>?
    var isOfKey: Int32 = 0
    // A view has no such column. Columns of virtual tables and of tables without a rowid remain.
    guard
      try unsafe sqlite3_table_column_metadata(
        handle(), nil, table, column, &type, nil, nil, &isOfKey, nil) == SQLITE_OK,
      isOfKey != 0, let type = unsafe type, unsafe String(cString: type).withoutCase == "integer"
    else { return false }
    // The rowid has an instruction of its own. A primary key that is not the rowid is read like any other column.
    let instructions = try query(
      .column(.string, at: 1),
      sql:
        "EXPLAIN SELECT \(quoted(identifier: column)) FROM \(quoted(identifier: table)) NOT INDEXED"
    )
    return instructions.contains("Rowid") && !instructions.contains("VOpen")
  }
}
