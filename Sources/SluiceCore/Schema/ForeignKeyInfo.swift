/// A foreign key of a table, as the database describes it.
public struct ForeignKeyInfo: Hashable, Sendable {
  /// Its number among those of the table, by which ``ForeignKeyViolation/foreignKey`` refers to it.
  public let number: Int
  /// The table that it refers to, which need not be there.
  public let referencedTable: String
  /// The columns that refer.
  public let columns: [String]
  /// The columns that they refer to, or none if that is the primary key.
  public let referencedColumns: [String]
  /// What a change of what is referred to does.
  public let onUpdate: Action
  /// What deleting what is referred to does.
  public let onDelete: Action

  /// What becomes of rows that refer to what changes.
  public enum Action: String, Hashable, Sendable, CaseIterable {
    /// The change fails, if nothing has mended it when the statement or the transaction ends.
    case noAction = "NO ACTION"
    /// The change fails at once.
    case restrict = "RESTRICT"
    /// They refer to nothing any more.
    case setNull = "SET NULL"
    /// They have what a new row has.
    case setDefault = "SET DEFAULT"
    /// They change or go as well.
    case cascade = "CASCADE"
  }
}
