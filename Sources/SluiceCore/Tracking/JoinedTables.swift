/// The tables that a query joins by `USING` or `NATURAL JOIN`.
///
/// SQLite does not report the columns that such a join compares, and reports nothing at all of a table of which a query needs
/// no other column. The program of the query shows which tables it opens; all of their columns count as read.
struct JoinedTables {
  private let connection: Connection
  /// The reported reads of a query that uses a view; nil if it uses none.
  private let readsOfViews: ReadRegion?
  /// Returns the identifier of a database.
  private let database: (_ schema: String) -> String

  init(
    _ connection: Connection, _ readsOfViews: ReadRegion?,
    _ database: @escaping (_ schema: String) -> String
  ) {
    self.connection = connection
    self.readsOfViews = readsOfViews
    self.database = database
  }

  /// Returns the columns of the tables that a query opens; none if it does not join by name.
  func columns(of sql: String) throws -> [(table: TableKey, column: String)] {
    let joinsByName = try ([sql] + viewTexts()).contains { text in
      SQLToken.tokens(of: text).contains { $0.is("using") || $0.is("natural") }
    }
    guard joinsByName else { return [] }
    let instructions = RowConverter { row in
      try (code: row.text(at: 1), root: row.get(.int64, at: 3), database: row.get(.int64, at: 4))
    }
    return try connection.prepare(sql: "EXPLAIN \(sql)").query(instructions).flatMap { step in
      switch step.code {
      case "OpenRead": try columns(root: step.root, number: step.database)
      // The instruction does not tell which virtual table it opens.
      case "VOpen": try virtualColumns()
      default: [(table: TableKey, column: String)]()
      }
    }
  }

  /// Returns the SQL of the views in the databases that the query reads.
  private func viewTexts() throws -> [String] {
    guard let readsOfViews else { return [] }
    let databases = Set(readsOfViews.columns.keys.map(\.database))
    return try connection.prepare(sql: "SELECT name FROM pragma_database_list")
      .query(.column(.string))
      .filter { databases.contains(database($0)) || !readsOfViews.counted.isEmpty }
      .flatMap { schema in
        let views = "\(try quoted(identifier: schema)).sqlite_schema WHERE type = 'view'"
        return try connection.prepare(sql: "SELECT sql FROM \(views)").query(.column(.string))
      }
  }

  private func columns(root: Int64, number: Int64) throws -> [(table: TableKey, column: String)] {
    let schema = try connection.prepare(
      sql: "SELECT name FROM pragma_database_list WHERE seq = \(number)"
    ).first(.column(.string))
    guard let schema else { return [] }
    return try columns(
      """
      \(schema.quoted("'")), tbl_name, info.name FROM \(quoted(identifier: schema)).sqlite_schema,
      pragma_table_xinfo(tbl_name, \(schema.quoted("'"))) AS info WHERE rootpage = \(root)
      """)
  }

  private func virtualColumns() throws -> [(table: TableKey, column: String)] {
    try columns(
      """
      list.schema, list.name, info.name FROM pragma_table_list AS list,
      pragma_table_xinfo(list.name, list.schema) AS info WHERE list.type = 'virtual'
      """)
  }

  private func columns(_ selection: String) throws -> [(table: TableKey, column: String)] {
    let names = RowConverter { row in
      try (schema: row.text(at: 0), table: row.text(at: 1), column: row.text(at: 2))
    }
    return try connection.prepare(sql: "SELECT \(selection)").query(names).map {
      (TableKey(database($0.schema), $0.table), $0.column)
    }
  }
}
