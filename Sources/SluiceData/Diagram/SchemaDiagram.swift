/// A diagram of a database schema: tables, their columns, and the foreign keys between them.
///
/// ```swift
/// let diagram = try connection.schemaDiagram()
/// try Data(diagram.svg.utf8).write(to: URL(filePath: "schema.svg"))
/// ```
///
/// ``Connection/schemaDiagram(of:database:includesViews:)`` reads a schema. A diagram is a value:
/// it does not change with the database, and the same schema always gives the same text.
public struct SchemaDiagram: Hashable, Sendable {
  /// The tables and views, sorted by name; referenced tables that do not exist come last.
  public let tables: [Table]
  /// The foreign keys between the tables of the diagram.
  public let references: [Reference]

  package init(tables: [Table], references: [Reference]) {
    self.tables = tables
    self.references = references
  }
}

extension SchemaDiagram {
  /// A table or view in a diagram.
  public struct Table: Hashable, Sendable {
    /// The name of the table.
    public let name: String
    /// The kind of the table.
    public let kind: Kind
    /// The columns that `SELECT *` returns; for a missing table, the referenced columns.
    public let columns: [Column]

    package init(name: String, kind: Kind, columns: [Column]) {
      self.name = name
      self.kind = kind
      self.columns = columns
    }

    /// The kind of a table in a diagram.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// A table that stores rows.
      case table
      /// A named query.
      case view
      /// A table whose rows come from a module.
      case virtual
      /// A table that a foreign key references, but that does not exist.
      case missing
    }
  }

  /// A column in a diagram.
  public struct Column: Hashable, Sendable {
    /// The name of the column.
    public let name: String
    /// The declared type, or nil if there is none.
    public let type: String?
    /// Whether the column never contains NULL; nil if unknown, as in views.
    public let isNotNull: Bool?
    /// Whether the column is part of the primary key.
    public let isPrimaryKey: Bool
    /// Whether the column is part of a foreign key.
    public let isForeignKey: Bool
    /// Whether the column alone has a `UNIQUE` constraint or a unique index.
    public let isUnique: Bool

    package init(
      name: String, type: String? = nil, isNotNull: Bool? = nil, isPrimaryKey: Bool = false,
      isForeignKey: Bool = false, isUnique: Bool = false
    ) {
      self.name = name
      self.type = type
      self.isNotNull = isNotNull
      self.isPrimaryKey = isPrimaryKey
      self.isForeignKey = isForeignKey
      self.isUnique = isUnique
    }
  }

  /// A foreign key in a diagram.
  public struct Reference: Hashable, Sendable {
    /// The table that has the foreign key.
    public let table: String
    /// The referencing columns.
    public let columns: [String]
    /// The referenced table.
    public let referencedTable: String
    /// The referenced columns; empty if the foreign key does not match a key of the referenced table.
    public let referencedColumns: [String]
    /// Whether at most one row references each row.
    public let isUnique: Bool
    /// Whether a row can have NULL in a referencing column, and so reference no row.
    public let isOptional: Bool

    package init(
      table: String, columns: [String], referencedTable: String, referencedColumns: [String],
      isUnique: Bool, isOptional: Bool
    ) {
      self.table = table
      self.columns = columns
      self.referencedTable = referencedTable
      self.referencedColumns = referencedColumns
      self.isUnique = isUnique
      self.isOptional = isOptional
    }
  }
}

extension SchemaDiagram.Column {
  /// The marks of the column: `PK`, `FK` and `U`.
  var marks: [String] {
    [isPrimaryKey ? "PK" : nil, isForeignKey ? "FK" : nil, isUnique ? "U" : nil].compactMap(\.self)
  }
}

extension SchemaDiagram {
  /// The indexes in ``tables`` of both tables of each reference.
  ///
  /// A reference to a table outside the diagram is omitted.
  package func places() -> [(reference: Reference, table: Int, referenced: Int)] {
    let indexes = Dictionary(tables.indices.map { (tables[$0].name.identity, $0) }) { $1 }
    return references.compactMap { reference in
      guard let table = indexes[reference.table.identity],
        let referenced = indexes[reference.referencedTable.identity]
      else { return nil }
      return (reference, table, referenced)
    }
  }
}

extension String {
  /// The bytes of the text, because Swift considers strings with different bytes equal if they look alike.
  fileprivate var identity: [UInt8] { Array(utf8) }
}
