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
  /// a column that is to be written and is part of an index or a foreign key. An unknown database throws
  /// ``ResultCode/range``.
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
    return try Blob(self, database, table, column, rowid, isReadOnly: readOnly)
  }

  /// Refuses what SQLite would find out only when it writes.
  private func refuseReadOnly(_ database: String) throws {
    guard !isReadOnly(database) else {
      throw SQLiteError(.readOnly, "The database \"\(database)\" can only be read")
    }
  }
}
