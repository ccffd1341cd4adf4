import Sluice

/// A migration under way, by the procedure that SQLite's documentation of ALTER TABLE gives.
struct MigrationWork<M: Model> {
  let connection: Connection
  private(set) var plan = MigrationPlan()

  init(connection: Connection) { self.connection = connection }

  mutating func migrate(
    to version: Int, _ body: (inout TableMigration<M>) throws -> Void
  ) throws {
    let last = try connection.lastVersion(of: M.self)
    if let last, last >= version {
      guard last == version else {
        throw SQLiteError(
          .misuse, "The table \"\(M.table.name)\" has version \(last), which is beyond \(version)")
      }
      return
    }
    let schema = try M.table.schema.get()
    if try connection.hasTable(of: M.self) {
      var migration = TableMigration<M>(lastVersion: last, schema: schema)
      try body(&migration)
      try change(by: migration, schema)
    } else {
      for sql in try connection.tableSQL(of: M.self) { try run(sql: sql) }
    }
    try note(version)
  }

  private mutating func change(by migration: TableMigration<M>, _ schema: TableSchema<M>) throws {
    let views = try workingViews()
    // SQLite renames a column wherever it is used, but only while it knows what that is.
    try connection.turn(.legacyAlterTable, on: false)
    for (old, new) in migration.renames {
      try run(
        "ALTER TABLE \(identifier: M.table.name) RENAME COLUMN \(identifier: old) TO \(identifier: try new.get())"
      )
    }
    try connection.turn(.legacyAlterTable, on: true)
    let definition = TableDefinition(
      name: M.table.name, schema: schema, types: try connection.columnTypes(of: M.self))
    let stored = try connection.first(
      .column(.string),
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = \(M.table.name) COLLATE NOCASE"
    )
    let isSame = try stored == definition.tableSQL(on: connection)
    if !isSame || !migration.fills.isEmpty || !migration.statements.isEmpty {
      try rebuild(by: migration, schema, definition)
    }
    for index in schema.indexes where try !hasIndex(index.name) {
      try run(sql: definition.indexSQL(index))
    }
    for view in views where !isWorking(view) {
      throw SQLiteError(
        .schema, "The view \"\(view)\" does not work with the new columns of \"\(M.table.name)\"")
    }
    try checkForeignKeys()
  }

  private mutating func rebuild(
    by migration: TableMigration<M>, _ schema: TableSchema<M>, _ definition: TableDefinition<M>
  ) throws {
    let kept: [(sql: String, name: String)] = try connection.query(
      .columns(.string, .string),
      """
      SELECT sql, name FROM sqlite_schema
      WHERE tbl_name = \(M.table.name) COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
      ORDER BY rowid
      """)
    let old = try connection.query(
      .column(.string), "SELECT name FROM pragma_table_xinfo(\(M.table.name)) WHERE hidden <> 1")
    try refuseLoss(old, migration, schema)

    let lastKey = try lastKey()
    let temporary = TableDefinition(
      name: migration.newTable, schema: schema, types: definition.types)
    try run(sql: temporary.tableSQL(on: connection))
    try run(try copy(old, migration, schema))
    for sql in migration.statements { try run(sql) }
    try run("DROP TABLE \(identifier: M.table.name)")
    try run(
      "ALTER TABLE \(identifier: migration.newTable) RENAME TO \(identifier: M.table.name)")
    if let lastKey, schema.isAutoincrement {
      try run("DELETE FROM sqlite_sequence WHERE name = \(M.table.name) COLLATE NOCASE")
      try run("INSERT INTO sqlite_sequence VALUES (\(M.table.name), \(lastKey))")
    }
    for (sql, name) in kept where !schema.indexes.contains(where: { $0.name == name }) {
      try run(sql: sql)
    }
  }

  /// The largest key that a table with AUTOINCREMENT ever had.
  private func lastKey() throws -> Int64? {
    guard
      try connection.first(
        .column(.int), "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") != nil
    else { return nil }
    return try connection.first(
      .column(.int64),
      "SELECT seq FROM sqlite_sequence WHERE name = \(M.table.name) COLLATE NOCASE")
  }

  private func refuseLoss(
    _ old: [String], _ migration: TableMigration<M>, _ schema: TableSchema<M>
  ) throws {
    let new = Set(schema.columns.map { $0.name.lowercased() })
    let drops = Set(migration.drops.map { $0.lowercased() })
    for name in old where !new.contains(name.lowercased()) && !drops.contains(name.lowercased()) {
      throw SQLiteError(
        .misuse, "The column \"\(name)\" of \"\(M.table.name)\" would be lost: rename it or drop it"
      )
    }
  }

  /// INSERT of all rows into the new table.
  private func copy(
    _ old: [String], _ migration: TableMigration<M>, _ schema: TableSchema<M>
  ) throws -> SQL {
    var sources: [String: SQL] = [:]
    for name in old {
      for column in schema.columns where column.name.lowercased() == name.lowercased() {
        sources[column.name] = try source(of: column)
      }
    }
    for (column, sql) in migration.fills { sources[try column.get()] = sql }
    let columns = schema.columns.filter { !$0.isGenerated && sources[$0.name] != nil }
    let names = columns.map { "\(identifier: $0.name)" as SQL }
    let values = columns.compactMap { sources[$0.name] }
    let count = try connection.first(
      .column(.int), "SELECT count(*) FROM \(identifier: M.table.name)")
    for column in schema.columns
    where count != 0 && column.isNotNull && !column.isGenerated && sources[column.name] == nil
      && column.defaultSQL == nil
    {
      throw SQLiteError(
        .constraintNotNull,
        "The new column \"\(column.name)\" is NOT NULL: fill it, or give a default")
    }
    return """
      INSERT INTO \(identifier: migration.newTable)(\(names.list)) \
      SELECT \(values.list) FROM \(identifier: M.table.name)
      """
  }

  /// What a column was, but not NULL if it must not be and has a default.
  private func source(of column: TableSchema<M>.Column) throws -> SQL {
    guard column.isNotNull, let value = column.defaultSQL else {
      return "\(identifier: column.name)"
    }
    return "coalesce(\(identifier: column.name), \(raw: try value(connection)))"
  }

  private func hasIndex(_ name: String) throws -> Bool {
    try connection.first(
      .column(.int),
      "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = \(name) COLLATE NOCASE") != nil
  }

  private func workingViews() throws -> [String] {
    try connection.query(.column(.string), "SELECT name FROM sqlite_schema WHERE type = 'view'")
      .filter(isWorking)
  }

  private func isWorking(_ view: String) -> Bool {
    (try? connection.prepare("SELECT * FROM \(identifier: view)")) != nil
  }

  private func checkForeignKeys() throws {
    guard
      let table = try connection.first(
        .column(.string), "SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1")
    else { return }
    throw SQLiteError(
      .constraintForeignKey, "A row of \"\(table)\" would refer to one that is not there")
  }

  private mutating func note(_ version: Int) throws {
    try run(
      """
      CREATE TABLE IF NOT EXISTS sluice_model_history(\
      table_name TEXT NOT NULL, version INTEGER NOT NULL, migrated TEXT NOT NULL, \
      PRIMARY KEY(table_name, version)) STRICT
      """)
    try run(
      "INSERT INTO sluice_model_history VALUES (\(M.table.name), \(version), datetime())")
  }

  private mutating func run(_ sql: SQL) throws {
    try connection.prepare(sql).execute()
    plan.statements.append(sql.text)
  }

  private mutating func run(sql: String) throws {
    try connection.prepare(sql: sql).execute()
    plan.statements.append(sql)
  }
}

extension TableSchema.Column {
  /// The SQL of the default, if there is one.
  var defaultSQL: ((Connection) throws -> String)? {
    for constraint in constraints {
      switch constraint.content {
      case .defaultValue(let value): return { connection in try connection.literal(of: value) }
      case .defaultSQL(let sql): return { _ in "(\(sql))" }
      default: break
      }
    }
    return nil
  }
}
