extension Connection {
  /// Writes a database to a new file, without what was deleted and in the order of its tables.
  ///
  /// The copy is smaller than that of a backup, takes longer, and its rows without an
  /// `INTEGER PRIMARY KEY` may have other rowids. The database is read, and not changed: a connection that
  /// can only read can do this.
  ///
  /// The path is taken literally. A file that holds anything throws ``ResultCode/error``, and so do an open
  /// transaction and a statement that stands on a row. If it fails half way, what it has written stays. An
  /// unknown database throws ``ResultCode/range``.
  ///
  /// The corresponding SQL is `VACUUM INTO`.
  public func vacuum(into path: String, database: String = "main") throws {
    try refuseNUL(in: path, "The path")
    _ = try transactionState(schema: database)
    guard path != ":memory:" else {
      throw SQLiteError(.cantOpen, "A copy that no file holds is gone at once")
    }
    try execute(
      sql: "VACUUM \(quoted(identifier: database)) INTO ?",
      parameters: .string(Self.literal(path: path)))
  }
}
