/// A description of a table or view.
public struct TableInfo: Hashable, Sendable {
  /// The name of the table.
  public let name: String
  /// The kind of the table.
  public let kind: Kind
  /// The number of columns, including those that `SELECT *` omits.
  ///
  /// The number is 0 for a view or virtual table that refers to a missing object.
  public let columnCount: Int
  /// Whether the table has no rowid.
  public let isWithoutRowid: Bool
  /// Whether values must have the types of their columns.
  public let isStrict: Bool

  /// The kind of a table.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A table that stores rows.
    case table
    /// A named query.
    case view
    /// A table whose rows come from a module, such as an FTS5 table.
    case virtual
    /// A table in which a module stores the data of a virtual table.
    case shadow
  }
}

/// A description of a column of a table or view.
public struct ColumnInfo: Hashable, Sendable {
  /// The name of the column.
  public let name: String
  /// The declared type, or nil if there is none.
  public let declaredType: String?
  /// Whether the column has a `NOT NULL` constraint.
  ///
  /// An `INTEGER PRIMARY KEY` never contains NULL, even without this constraint.
  public let isNotNull: Bool
  /// The SQL of the default value, or nil if there is none.
  public let defaultSQL: String?
  /// The position in the primary key, counted from 1, or nil if the column is not part of the key.
  public let primaryKeyPosition: Int?
  /// The source of the column's values.
  public let kind: Kind
  /// The default collation of the column, or nil in a view.
  public let collation: String?
  /// Whether the column is an `AUTOINCREMENT` key, whose values are never reused.
  public let isAutoincrement: Bool

  /// The source of a column's values.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// The values are stored.
    case ordinary
    /// A virtual table supplies the values, and `SELECT *` omits the column.
    case hidden
    /// The values are computed when they are read.
    case virtualGenerated
    /// The values are computed when a row is written.
    case storedGenerated
  }
}

/// A description of a foreign key of a table.
public struct ForeignKeyInfo: Hashable, Sendable {
  /// The number of the key within its table, as in ``ForeignKeyViolation/foreignKey``.
  public let number: Int
  /// The referenced table, which need not exist.
  public let referencedTable: String
  /// The referencing columns.
  public let columns: [String]
  /// The referenced columns; empty if the key refers to the primary key without naming it.
  public let referencedColumns: [String]
  /// The action when the referenced key changes.
  public let onUpdate: Action
  /// The action when the referenced row is deleted.
  public let onDelete: Action

  /// The action on the referencing rows when the referenced row changes.
  public enum Action: String, Hashable, Sendable, CaseIterable {
    /// The change fails if the violation still exists at the end of the statement or, for a deferred key, of the
    /// transaction.
    case noAction = "NO ACTION"
    /// The change fails immediately.
    case restrict = "RESTRICT"
    /// The referencing columns become NULL.
    case setNull = "SET NULL"
    /// The referencing columns get their default values.
    case setDefault = "SET DEFAULT"
    /// The referencing rows are also updated or deleted.
    case cascade = "CASCADE"
  }
}

/// A description of an index of a table.
public struct IndexInfo: Hashable, Sendable {
  /// The name of the index; SQLite names the indexes that it creates automatically.
  public let name: String
  /// Whether no two rows can have the same values in the index.
  public let isUnique: Bool
  /// The origin of the index.
  public let origin: Origin
  /// Whether the index contains only the rows that its `WHERE` clause selects.
  public let isPartial: Bool
  /// The columns and expressions that the index is sorted by, in order.
  public let terms: [Term]

  /// The origin of an index.
  public enum Origin: Hashable, Sendable, CaseIterable {
    /// A `CREATE INDEX` statement.
    case statement
    /// A `UNIQUE` constraint of the table.
    case unique
    /// The `PRIMARY KEY` of the table.
    case primaryKey
  }

  /// A column or expression that an index is sorted by.
  public struct Term: Hashable, Sendable {
    /// The column, or nil for an expression.
    ///
    /// Only the SQL of the index contains the expression: see ``Connection/schemaObjects(_:database:)``.
    public let column: String?
    /// Whether the greatest value comes first.
    public let isDescending: Bool
    /// The collation that compares text.
    public let collation: String
  }
}

/// A description of a table, view, index or trigger.
public struct SchemaObject: Hashable, Sendable {
  /// The kind of the object.
  public let kind: Kind
  /// The name of the object.
  public let name: String
  /// The table or view that the object belongs to; for a table or view, its own name.
  public let table: String
  /// The SQL that created the object, as SQLite stores it.
  public let sql: String

  /// The kind of a schema object.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case table, view, index, trigger
  }
}

extension SchemaObject: CustomStringConvertible {
  /// The kind and the name of the object.
  public var description: String { "\(kind.rawValue) \"\(name)\"" }
}
