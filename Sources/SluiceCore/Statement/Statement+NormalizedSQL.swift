import CSluice

extension Statement {
  /// The SQL with `?` in the place of each value, and without its white space and comments.
  ///
  /// Statements that differ in such things alone have the same, so it can be logged and counted.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/normalizedSQL``.
  ///
  /// The corresponding C function is `sqlite3_normalized_sql`.
  public var normalizedSQL: String {
    get throws {
      try SQLiteLibrary.require(.normalizedSQL)
      guard let text = unsafe sluice_normalized_sql(try openHandle()) else {
        throw SQLiteError(.noMemory, "No memory for the normalized SQL", sql: sql)
      }
      return unsafe String(cString: text)
    }
  }
}
