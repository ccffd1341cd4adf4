extension Connection {
  /// Opens the blob in a column of one row, to read or write parts of it.
  ///
  /// ```swift
  /// let blob = try connection.openBlob(table: "photo", column: "pixels", rowid: id)
  /// let header = try blob.read(at: 0, count: 16)
  /// ```
  ///
  /// Text can be opened as well; it is the bytes of the encoding of the database. What is NULL or a number,
  /// a row or column that is not there, and a table `WITHOUT ROWID` throw ``ResultCode/error``, and so does
  /// a column that is to be written and is part of an index or a foreign key. A column that is computed when it
  /// is read throws ``ResultCode/schema``, and so do those behind it, as SQLite 3.40 would open another one. An
  /// unknown database throws ``ResultCode/range``.
  ///
  /// To write, it takes the lock of a writer, and keeps it until it is closed: see ``Blob``.
  ///
  /// The corresponding C function is `sqlite3_blob_open`.
  public func openBlob(
    table: String, column: String, rowid: Int64, database: String = "main", readOnly: Bool = true
  ) throws -> Blob {
    try refuseNUL(in: table, "The name of the table")
    try refuseNUL(in: column, "The name of the column")
    try refuseStatements()
    _ = try transactionState(schema: database)
    if !readOnly { try refuseReadOnly(database) }
    try refuseMoved(column, table, database)
    return try Blob(self, database, table, column, rowid, isReadOnly: readOnly)
  }

  /// Refuses a column that SQLite would mistake for another: it counts those that are not stored, too.
  private func refuseMoved(_ column: String, _ table: String, _ database: String) throws {
    try state.cleaningUp {
      let columns: SQL = "SELECT cid FROM pragma_table_xinfo(\(table), \(database))"
      guard let first = try first(.column(.int), "\(columns) WHERE hidden = 2 LIMIT 1"),
        let own = try self.first(
          .column(.int), "\(columns) WHERE name = \(column) COLLATE NOCASE"), own >= first
      else { return }
      throw SQLiteError(
        .schema,
        "The column \(column) of \(table) is computed when it is read, or stands behind such a one")
    }
  }

  /// Refuses what SQLite would find out only when it writes.
  private func refuseReadOnly(_ database: String) throws {
    guard !isReadOnly(database) else {
      throw SQLiteError(.readOnly, "The database \"\(database)\" can only be read")
    }
  }
}
