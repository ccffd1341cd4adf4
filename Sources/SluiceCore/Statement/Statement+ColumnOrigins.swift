import CSluice

/// The column of a table from which a column of a result comes.
public struct ColumnOrigin: Hashable, Sendable {
  /// The name of the database, such as `main`.
  public let database: String
  /// The name of the table, also if the result comes from it by way of a view.
  public let table: String
  /// The name of the column in the table.
  public let column: String
}

extension Statement {
  /// Where the columns come from, in order; nil for a column that is computed.
  ///
  /// After a change of the schema it is up to date once the statement has been stepped.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/columnMetadata``.
  ///
  /// The corresponding C functions are `sqlite3_column_database_name`, `sqlite3_column_table_name` and
  /// `sqlite3_column_origin_name`.
  public var columnOrigins: [ColumnOrigin?] {
    get throws {
      try SQLiteLibrary.require(.columnMetadata)
      let handle = try unsafe openHandle()
      return (0..<Int32(truncatingIfNeeded: columnCount)).map { index in
        guard let database = unsafe sluice_column_database_name(handle, index),
          let table = unsafe sluice_column_table_name(handle, index),
          let column = unsafe sluice_column_origin_name(handle, index)
        else { return nil }
        return unsafe ColumnOrigin(
          database: String(cString: database), table: String(cString: table),
          column: String(cString: column))
      }
    }
  }
}
