/// A table or view, as the database describes it.
public struct TableInfo: Hashable, Sendable {
  /// The name of the table.
  public let name: String
  /// The kind of the table.
  public let kind: Kind
  /// How many columns it has, with those that `SELECT *` does not show.
  ///
  /// It is 0 for a view or virtual table that refers to what is not there.
  public let columnCount: Int
  /// Whether it has no rowid.
  public let isWithoutRowid: Bool
  /// Whether values have to be of the types of their columns.
  public let isStrict: Bool

  /// The kind of a table.
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

/// A column of a table or view, as the database describes it.
public struct ColumnInfo: Hashable, Sendable {
  /// The name of the column.
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
  /// The action when the key that is referred to changes.
  public let onUpdate: Action
  /// The action when the row that is referred to is deleted.
  public let onDelete: Action

  /// The action on rows that refer to a row that changes.
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

/// An index of a table, as the database describes it.
public struct IndexInfo: Hashable, Sendable {
  /// The name of the index; SQLite names the indexes that it makes itself.
  public let name: String
  /// Whether no two rows can have the same in it.
  public let isUnique: Bool
  /// The origin of the index.
  public let origin: Origin
  /// Whether it has only some of the rows, which its `WHERE` tells.
  public let isPartial: Bool
  /// The columns and expressions that the index is sorted by, in order.
  public let terms: [Term]

  /// The origin of an index.
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

/// A table, view, index or trigger, as the database describes it.
public struct SchemaObject: Hashable, Sendable {
  /// The kind of the object.
  public let kind: Kind
  /// The name of the object.
  public let name: String
  /// The table or view that it belongs to; its own name, if it is one itself.
  public let table: String
  /// The SQL that made it, as SQLite keeps it.
  public let sql: String

  /// The kind of an object of a schema.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case table, view, index, trigger
  }
}

extension SchemaObject: CustomStringConvertible {
  /// The kind and the name.
  public var description: String { "\(kind.rawValue) \"\(name)\"" }
}
