/// An index of a table, as the database describes it.
public struct IndexInfo: Hashable, Sendable {
  /// What it is called; SQLite names those that it makes by itself.
  public let name: String
  /// Whether no two rows can have the same in it.
  public let isUnique: Bool
  /// What it comes from.
  public let origin: Origin
  /// Whether it has only some of the rows, which its `WHERE` tells.
  public let isPartial: Bool
  /// What it is sorted by, in order.
  public let terms: [Term]

  /// What an index comes from.
  public enum Origin: Hashable, Sendable, CaseIterable {
    /// `CREATE INDEX`.
    case statement
    /// A `UNIQUE` of the table.
    case unique
    /// The `PRIMARY KEY` of the table.
    case primaryKey
  }

  /// A part of what an index is sorted by.
  public struct Term: Hashable, Sendable {
    /// The column, or nil for an expression, which only the SQL of the index tells:
    /// ``Connection/schemaObjects(_:database:)``.
    public let column: String?
    /// Whether the greatest comes first.
    public let isDescending: Bool
    /// The collation that compares text.
    public let collation: String
  }
}
