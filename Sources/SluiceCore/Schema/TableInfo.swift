/// A table or view, as the database describes it.
public struct TableInfo: Hashable, Sendable {
  /// What it is called.
  public let name: String
  /// What it is.
  public let kind: Kind
  /// How many columns it has, with those that `SELECT *` does not show.
  ///
  /// It is 0 for a view or virtual table that refers to what is not there.
  public let columnCount: Int
  /// Whether it has no rowid.
  public let isWithoutRowid: Bool
  /// Whether values have to be of the types of their columns.
  public let isStrict: Bool

  /// What a table is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// One that holds rows.
    case table
    /// A query with a name.
    case view
    /// One that a module makes the rows of, such as one of FTS5.
    case virtual
    /// One in which a module keeps what belongs to a virtual table.
    case shadow
  }
}
