/// The rows that one commit has changed, in the order of the changes.
public struct RowChanges: Hashable, Sendable {
  /// The changes; a row that was changed more than once has several changes.
  public let changes: [Change]

  /// A change of one row.
  public enum Change: Hashable, Sendable {
    /// The row was inserted.
    case inserted(ChangedRow)
    /// The row was updated, possibly with the same values.
    case updated(_ before: ChangedRow, _ after: ChangedRow)
    /// The row was deleted.
    case deleted(ChangedRow)
  }
}

/// A row before or after a change, with the values of its columns.
///
/// The values are the values that SQLite stores. Virtual generated columns, which SQLite computes when it reads
/// them, are left out.
public struct ChangedRow: Hashable, Sendable {
  /// The name of the table, as in the schema.
  public let table: String
  /// The rowid of the row; nil in a table without a rowid.
  public let rowid: Int64?
  /// The names and values of the columns.
  public let values: RowValues

  /// The value of the column with this name, or nil if there is none.
  public subscript(name: String) -> DatabaseValue? { values[name] }
}

extension ChangedRow: CustomStringConvertible {
  /// The table and the columns, such as `player(id: 1, name: 'Ada')`.
  public var description: String { table + values.description }
}
