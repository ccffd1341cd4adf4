public import Sluice

extension Connection {
  /// Creates the table of a model and its indexes.
  ///
  /// If the table or one of the indexes cannot be created, this method throws and creates nothing.
  ///
  /// If `ifNotExists` is true, an existing table with the same name is left unchanged, even if its columns
  /// differ.
  public func createTable<M: Model>(of model: M.Type, ifNotExists: Bool = false) throws {
    let statements = try tableSQL(of: model, ifNotExists: ifNotExists)
    try savepoint { connection, _ in
      for sql in statements { try connection.prepare(sql: sql).execute() }
    }
  }

  /// Returns the SQL that ``createTable(of:ifNotExists:)`` executes: for the table, and then for each index.
  public func tableSQL<M: Model>(of model: M.Type, ifNotExists: Bool = false) throws -> [String] {
    let schema = try M.table.schema.get()
    let definition = TableDefinition(
      name: M.table.name, schema: schema, types: try columnTypes(of: model))
    let prefix = ifNotExists ? "IF NOT EXISTS " : ""
    return [try definition.tableSQL(prefix, on: self)]
      + schema.indexes.map { definition.indexSQL($0, prefix) }
  }

  /// Drops the table of a model with all of its rows.
  ///
  /// To keep the table and delete only its rows, use ``deleteAll(_:)``.
  public func dropTable<M: Model>(of model: M.Type, ifExists: Bool = false) throws {
    _ = try M.table.schema.get()
    try execute("DROP TABLE \(raw: ifExists ? "IF EXISTS " : "")\(identifier: M.table.name)")
  }

  /// Returns whether a table with the name of the model's table exists.
  public func hasTable<M: Model>(of model: M.Type) throws -> Bool {
    try first(
      .column(.int),
      "SELECT 1 FROM pragma_table_list WHERE type <> 'view' AND name = \(M.table.name) COLLATE NOCASE"
    ) != nil
  }

  /// Returns whether the rows of a model's table have rowids; those of views and WITHOUT ROWID tables have none.
  func hasRowids<M: Model>(_ model: M.Type) throws -> Bool {
    try first(
      .column(.int),
      """
      SELECT 1 FROM pragma_table_list \
      WHERE type <> 'view' AND NOT wr AND name = \(M.table.name) COLLATE NOCASE
      """) != nil
  }

  /// Returns the type of each column: its declared type, or else the storage class of an example.
  func columnTypes<M: Model>(of model: M.Type) throws -> [String: ColumnType] {
    let schema = try M.table.schema.get()
    let example = try schema.examples.first?.columnValues(for: self) ?? [:]
    var types: [String: ColumnType] = [:]
    for column in schema.columns {
      if let type = column.type {
        types[column.name] = type
        continue
      }
      let stored: SQL = "SELECT upper(typeof(\(example[column.name] ?? .null)))"
      guard let type = ColumnType(rawValue: try first(.column(.string), stored) ?? "") else {
        throw SQLiteError(
          .misuse,
          """
          What the column "\(column.name)" of \(M.self) stores is not known: \
          say it as in .column("\(column.name)", \\.\(column.name), .text)
          """)
      }
      types[column.name] = type
    }
    return types
  }
}
