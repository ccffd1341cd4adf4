/// A row that an INSERT, UPDATE or DELETE has changed.
public struct RowChange: Hashable, Sendable {
  /// What has been done to the row.
  public let operation: Operation
  /// The name that the database has on the connection, such as `main`.
  public let schema: String
  /// The table of the row.
  public let table: String
  /// The key of the row; after an update, the new one.
  public let rowid: Int64

  /// What is done to a row.
  ///
  /// The corresponding C values are `SQLITE_INSERT`, `SQLITE_UPDATE` and `SQLITE_DELETE`.
  public enum Operation: Hashable, Sendable, CaseIterable {
    /// The row is new.
    case insert
    /// The row has other values.
    case update
    /// The row is gone.
    case delete
  }
}
