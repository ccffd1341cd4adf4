/// A column of a table or view, as the database describes it.
public struct ColumnInfo: Hashable, Sendable {
  /// What it is called.
  public let name: String
  /// The type that it was declared with, or nil if there is none.
  public let declaredType: String?
  /// Whether it refuses NULL.
  ///
  /// A primary key that is an integer does so without being declared `NOT NULL`.
  public let isNotNull: Bool
  /// The SQL of the value that a new row has if nothing else is said, or nil.
  public let defaultSQL: String?
  /// The place in the primary key, from 1 on, or nil if it is no part of it.
  public let primaryKeyPosition: Int?
  /// Where its values come from.
  public let kind: Kind
  /// The collation that compares its text if nothing else is said, or nil in a view.
  public let collation: String?
  /// Whether it is the key of a table that never uses one again.
  public let isAutoincrement: Bool

  /// Where the values of a column come from.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// They are stored.
    case ordinary
    /// A virtual table has it, and `SELECT *` does not show it.
    case hidden
    /// They are computed when they are read.
    case virtualGenerated
    /// They are computed when a row is written.
    case storedGenerated
  }
}
