import CSluice

extension Statement {
  /// The SQL with `?` in the place of each value, and without its white space and comments.
  ///
  /// Statements that differ in such things alone have the same, so it can be logged and counted.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/normalizedSQL``.
  ///
  /// The corresponding C function is `sqlite3_normalized_sql`.
  public func normalizedSQL() throws -> String {
    try SQLiteLibrary.require(.normalizedSQL)
    guard let sql = unsafe sluice_normalized_sql(try idleHandle()) else {
      throw SQLiteError(.noMemory, "No memory for the normalized SQL", sql: self.sql)
    }
    return unsafe String(cString: sql)
  }
}
