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
    try kindOfTable(of: model)?.isTable == true
  }

  /// Returns a name of the rowid in a model's table; nil if there is none, as in views and WITHOUT ROWID tables.
  func rowidName<M: Model>(of model: M.Type) throws -> String? {
    guard let kind = try kindOfTable(of: model), kind.isTable, kind.hasRowids else { return nil }
    // A column can have one of the names, even if the model does not declare it.
    return try SluiceCore.rowidName(
      besides: query(.column(.string), "SELECT name FROM pragma_table_xinfo(\(M.table.name))"))
  }

  /// Returns SQL for the values that identify a row of a model's table or view.
  func identity<M: Model>(of model: M.Type) throws -> [SQL] {
    if let rowid = try rowidName(of: model) { return [name(rowid)] }
    let keys = try M.table.keyNames.map(name)
    // The key of a table WITHOUT ROWID is never NULL.
    if let kind = try kindOfTable(of: model), kind.isTable, !kind.hasRowids { return keys }
    // Otherwise, it can be NULL, which equals nothing.
    return keys.map { "quote(\($0))" }
  }

  /// Returns properties of the table or view to which the name of a model's table refers; nil if there is none.
  private func kindOfTable<M: Model>(
    of model: M.Type
  ) throws -> (isTable: Bool, hasRowids: Bool)? {
    // SQLite looks for the name in the temporary, the main and then the attached databases.
    try first(
      .columns(.bool, .bool),
      """
      SELECT list.type <> 'view', NOT list.wr FROM pragma_table_list AS list \
      JOIN pragma_database_list AS database ON database.name = list.schema \
      WHERE list.name = \(M.table.name) COLLATE NOCASE \
      ORDER BY CASE database.seq WHEN 1 THEN -1 ELSE database.seq END LIMIT 1
      """)
  }

  /// Returns the type of each column: its declared type, or else the storage class of an example.
  func columnTypes<M: Model>(of model: M.Type) throws -> [String: ColumnType] {
    let schema = try M.table.schema.get()
    let example = try schema.examples.first.map { try storedValues(of: $0) } ?? [:]
    var types: [String: ColumnType] = [:]
    for column in schema.columns {
      if let type = column.type {
        types[column.name] = type
        if let value = example[column.name], !column.isGenerated {
          try refuse(type, of: column, in: schema, for: value)
        }
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

  /// Throws if the declared type of a column contradicts the storage class of a value of its property.
  private func refuse<Value>(
    _ type: ColumnType, of column: TableSchema<Value>.Column, in schema: TableSchema<Value>,
    for value: SQLParameter
  ) throws {
    let stored = try first(.column(.value), "SELECT \(value)")?.storageClass ?? .null
    let isNumber = type == .integer || type == .real
    // A column of numbers converts the text of a `Decimal`. A column of integers also contains other numbers, unless
    // the table is STRICT.
    guard type != .any, stored != .null, type.rawValue != stored.rawValue,
      !(isNumber && schema.examples.isDecimal(column.name)),
      !(type == .integer && stored == .real && !schema.isStrict)
    else { return }
    throw SQLiteError(
      .misuse,
      """
      The column "\(column.name)" of \(Value.self) cannot be \(type.rawValue), because its values are stored as \
      \(stored.rawValue): omit .type, or choose a coding strategy whose values have this type
      """)
  }
}
