import Sluice

/// A migration in progress, which follows the procedure in SQLite's documentation of ALTER TABLE.
struct MigrationWork<M: Model> {
  let connection: Connection
  private(set) var plan = MigrationPlan()

  init(connection: Connection) { self.connection = connection }

  mutating func migrate(
    to version: Int, adopting adopted: Int, _ body: (inout TableMigration<M>) throws -> Void
  ) throws {
    let hasTable = try connection.hasTable(of: M.self)
    var last = try connection.lastVersion(of: M.self)
    if last == nil, hasTable, adopted > 0 {
      try note(adopted)
      last = adopted
    }
    if let last, last >= version {
      guard last == version else {
        throw SQLiteError(
          .misuse,
          "The table \"\(M.table.name)\" has version \(last), which is later than \(version)")
      }
      return
    }
    let schema = try M.table.schema.get()
    if hasTable {
      var migration = TableMigration<M>(lastVersion: last, schema: schema)
      try body(&migration)
      if try !isDone(migration, schema) { try change(by: migration, schema) }
    } else {
      for sql in try connection.tableSQL(of: M.self) { try run(sql: sql) }
    }
    try note(version)
  }

  /// Returns whether the table matches the model, and has none of the columns to rename, drop or combine.
  private func isDone(_ migration: TableMigration<M>, _ schema: TableSchema<M>) throws -> Bool {
    let columns = Set(try columnNames().map { $0.lowercased() })
    let kept = Set(schema.columns.map { $0.name.lowercased() })
    // A column that gets another name may give its own name to another column of the model.
    let gone = Set(
      (migration.renames.map(\.old) + migration.drops + migration.combined).map {
        $0.lowercased()
      }
    ).subtracting(kept)
    guard !gone.isEmpty, gone.isDisjoint(with: columns) else { return false }
    let definition = try self.definition(schema)
    return try isSame(definition)
      && schema.indexes.allSatisfy { try sql(ofIndex: $0.name) == definition.indexSQL($0) }
  }

  private func definition(_ schema: TableSchema<M>) throws -> TableDefinition<M> {
    TableDefinition(
      name: M.table.name, schema: schema, types: try connection.columnTypes(of: M.self))
  }

  private func isSame(_ definition: TableDefinition<M>) throws -> Bool {
    let stored = try connection.first(
      .column(.string),
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = \(M.table.name) COLLATE NOCASE"
    )
    return try stored == definition.tableSQL(on: connection)
  }

  private func columnNames() throws -> [String] {
    try connection.query(
      .column(.string), "SELECT name FROM pragma_table_xinfo(\(M.table.name)) WHERE hidden <> 1")
  }

  private mutating func change(by migration: TableMigration<M>, _ schema: TableSchema<M>) throws {
    try refuseUseless(migration.drops, try columnNames(), schema)
    let views = try connection.workingViews()
    let triggers = try connection.workingTriggers()
    // In legacy mode, SQLite would not rename every use of a column.
    try connection.setOption(.legacyAlterTable, false)
    try rename(migration.renames.map { (old: $0.old, new: try $0.new.get()) })
    let kept = Set(schema.columns.map { $0.name.lowercased() })
    let named = try connection.triggers(
      naming: try columnNames().filter { !kept.contains($0.lowercased()) }, of: M.table.name)
    try connection.setOption(.legacyAlterTable, true)
    let definition = try self.definition(schema)
    if try !isSame(definition) || !migration.fills.isEmpty || !migration.statements.isEmpty {
      try rebuild(by: migration, definition)
    }
    for index in schema.indexes {
      let sql = definition.indexSQL(index)
      let stored = try self.sql(ofIndex: index.name)
      if stored == sql { continue }
      if stored != nil { try run("DROP INDEX \(identifier: index.name)") }
      try run(sql: sql)
    }
    try connection.refuseBroken(views)
    try connection.refuseBroken(triggers)
    try connection.refuse(named)
    try checkForeignKeys()
  }

  /// Renames columns in an order in which each new name is free.
  private mutating func rename(_ renames: [(old: String, new: String)]) throws {
    var pending = renames
    while let first = pending.first {
      let columns = Set(try columnNames().map { $0.lowercased() })
      let moving = Set(pending.map { $0.old.lowercased() })
      let next = pending.firstIndex { !columns.contains($0.new.lowercased()) } ?? 0
      let blocked = pending[next].new.lowercased()
      if columns.contains(blocked), moving.contains(blocked), first.old.lowercased() != blocked {
        // The columns exchange their names.
        let free = "sluice_renamed_\(pending.count)"
        try rename(first.old, to: free)
        pending[0].old = free
      } else {
        let (old, new) = pending.remove(at: next)
        try rename(old, to: new)
      }
    }
  }

  private mutating func rename(_ old: String, to new: String) throws {
    try run(
      "ALTER TABLE \(identifier: M.table.name) RENAME COLUMN \(identifier: old) TO \(identifier: new)"
    )
  }

  private mutating func rebuild(
    by migration: TableMigration<M>, _ definition: TableDefinition<M>
  ) throws {
    let schema = definition.schema
    let old = try columnNames()
    try refuseLoss(old, migration, schema)

    let lastKey = try lastKey()
    let types = try declaredTypes()
    let temporary = TableDefinition(
      name: migration.newTable, schema: schema, types: definition.types)
    try run(sql: temporary.tableSQL(on: connection))
    try run(try copy(old, migration, into: definition))
    for sql in migration.statements { try run(sql) }
    for index in try uselessIndexes(schema) { try run("DROP INDEX \(identifier: index)") }
    let pieces = try connection.pieces(ofTable: M.table.name)
    try run("DROP TABLE \(identifier: M.table.name)")
    try run(
      "ALTER TABLE \(identifier: migration.newTable) RENAME TO \(identifier: M.table.name)")
    if let lastKey, schema.isAutoincrement {
      try run("DELETE FROM sqlite_sequence WHERE name = \(M.table.name) COLLATE NOCASE")
      try run("INSERT INTO sqlite_sequence VALUES (\(M.table.name), \(lastKey))")
    }
    let hasNewTypes = try declaredTypes().contains { types[$0.key] ?? $0.value != $0.value }
    if hasNewTypes || !migration.fills.isEmpty { try refuseUnreadableRows() }
    let declared = Set(schema.indexes.map { $0.name.lowercased() })
    for piece in pieces where piece.isTrigger || !declared.contains(piece.name.lowercased()) {
      if try piece.isTemporary && connection.hasTemporaryTrigger(piece.name) { continue }
      do { try run(sql: piece.sql) } catch let error as SQLiteError {
        throw SQLiteError(
          error.code,
          "\(piece) does not work with the new columns; .run(\"\(piece.drop)\") drops it (\(error.message))"
        )
      }
    }
  }

  /// Returns the declared types of the columns.
  private func declaredTypes() throws -> [String: String] {
    let types = try connection.query(
      .columns(.string, .string),
      "SELECT lower(name), upper(type) FROM pragma_table_xinfo(\(M.table.name))")
    return Dictionary(types) { first, _ in first }
  }

  /// Throws if a row cannot be read as the model: a column without STRICT stores text that is not a number as text.
  private func refuseUnreadableRows() throws {
    let converter = RowConverter.model(M.self)
    let select = try M.table.statements.get().select
    do {
      try connection.prepare(sql: select).forEachRow { row in _ = try converter.value(of: row) }
    } catch {
      throw SQLiteError(
        .mismatch,
        "A row of \"\(M.table.name)\" could not be read as \(M.self) after the migration: fill the column "
          + "with a value of its new type (\((error as? SQLiteError)?.message ?? "\(error)"))")
    }
  }

  /// Returns the indexes whose columns are all dropped.
  private func uselessIndexes(_ schema: TableSchema<M>) throws -> [String] {
    let declared = Set(schema.indexes.map { $0.name.lowercased() })
    let columns = Set(schema.columns.map { $0.name.lowercased() })
    return try connection.pieces(ofTable: M.table.name).filter { piece in
      guard !piece.isTrigger, !declared.contains(piece.name.lowercased()) else { return false }
      let names = try connection.query(
        .column(.optional(.string)), "SELECT name FROM pragma_index_info(\(piece.name))")
      // A term without a column name is an expression, so the index is not useless.
      return names.allSatisfy { name in name.map { !columns.contains($0.lowercased()) } ?? false }
    }.map(\.name)
  }

  /// Returns the largest key that a table with AUTOINCREMENT ever had; nil if there is none.
  private func lastKey() throws -> Int64? {
    guard
      try connection.first(
        .column(.int), "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") != nil
    else { return nil }
    return try connection.first(
      .column(.int64),
      "SELECT seq FROM sqlite_sequence WHERE name = \(M.table.name) COLLATE NOCASE")
  }

  private func sql(ofIndex name: String) throws -> String? {
    try connection.first(
      .column(.string),
      """
      SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = \(name) COLLATE NOCASE
      AND tbl_name = \(M.table.name) COLLATE NOCASE AND sql IS NOT NULL
      """)
  }

  private func checkForeignKeys() throws {
    guard
      let table = try connection.first(
        .column(.string), "SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1")
    else { return }
    throw SQLiteError(
      .constraintForeignKey, "A row of \"\(table)\" would refer to a missing row")
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
