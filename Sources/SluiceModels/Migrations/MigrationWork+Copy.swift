import Sluice

/// The copying of the old table's rows into the columns of the new table.
extension MigrationWork {
  func refuseLoss(
    _ old: [String], _ migration: TableMigration<M>, _ schema: TableSchema<M>
  ) throws {
    let new = Set(schema.columns.map { $0.name.lowercased() })
    let drops = Set((migration.drops + migration.combined).map { $0.lowercased() })
    for name in old where !new.contains(name.lowercased()) && !drops.contains(name.lowercased()) {
      throw SQLiteError(
        .misuse, "The column \"\(name)\" of \"\(M.table.name)\" would be lost: rename it or drop it"
      )
    }
  }

  /// Throws if a column to drop does not exist, or belongs to the model.
  func refuseUseless(_ drops: [String], _ old: [String], _ schema: TableSchema<M>) throws {
    let old = Set(old.map { $0.lowercased() })
    let new = Set(schema.columns.map { $0.name.lowercased() })
    for name in drops {
      guard old.contains(name.lowercased()) else {
        throw SQLiteError(
          .misuse, "The table \"\(M.table.name)\" has no column \"\(name)\" to drop")
      }
      guard !new.contains(name.lowercased()) else {
        throw SQLiteError(
          .misuse, "The column \"\(name)\" cannot be dropped, because \(M.self) declares it")
      }
    }
  }

  /// Returns the INSERT statement that copies all rows into the new table.
  func copy(
    _ old: [String], _ migration: TableMigration<M>, into definition: TableDefinition<M>
  ) throws -> SQL {
    let schema = definition.schema
    var sources: [String: SQL] = [:]
    for name in old {
      for column in schema.columns where column.name.lowercased() == name.lowercased() {
        sources[column.name] = try source(of: column)
      }
    }
    for (column, sql) in migration.fills { sources[try column.get()] = sql }
    let columns = schema.columns.filter { !$0.isGenerated && sources[$0.name] != nil }
    var names = columns.map { "\(identifier: $0.name)" as SQL }
    var values = columns.compactMap { sources[$0.name] }
    if let rowid = try rowids(old, definition) {
      names.append(rowid.new)
      values.append(rowid.old)
    }
    let count = try connection.first(
      .column(.int), "SELECT count(*) FROM \(identifier: M.table.name)")
    for column in schema.columns
    where count != 0 && column.isNotNull && !column.isGenerated && sources[column.name] == nil
      && column.defaultSQL == nil
    {
      throw SQLiteError(
        .constraintNotNull,
        "The new column \"\(column.name)\" is NOT NULL: fill it, or declare a default")
    }
    return """
      INSERT INTO \(identifier: migration.newTable)(\(names.list)) \
      SELECT \(values.list) FROM \(identifier: M.table.name)
      """
  }

  /// Returns SQL for the old value of a column; if the column is NOT NULL, the SQL replaces NULL by the default.
  private func source(of column: TableSchema<M>.Column) throws -> SQL {
    guard column.isNotNull, let value = column.defaultSQL else {
      return "\(identifier: column.name)"
    }
    return "coalesce(\(identifier: column.name), \(raw: try value(connection)))"
  }

  /// Returns the names of the rowid in both tables, if neither table declares the rowid as a column.
  ///
  /// Other objects, such as an FTS5 index, may identify a row only by its rowid.
  private func rowids(
    _ old: [String], _ definition: TableDefinition<M>
  ) throws -> (old: SQL, new: SQL)? {
    let hasRowids = try connection.first(
      .column(.bool),
      """
      SELECT NOT wr FROM pragma_table_list
      WHERE schema = 'main' AND name = \(M.table.name) COLLATE NOCASE
      """)
    guard hasRowids == true, !definition.schema.isWithoutRowid, !definition.hasRowNumber,
      let oldName = rowidName(besides: old),
      let newName = rowidName(besides: definition.schema.columns.map(\.name))
    else { return nil }
    return ("\(raw: oldName)", "\(raw: newName)")
  }
}

extension TableSchema.Column {
  /// The SQL of the column's default; nil if the column has no default.
  var defaultSQL: ((Connection) throws -> String)? {
    for constraint in constraints {
      switch constraint.content {
      case .defaultValue(let value):
        return { connection in try connection.literal(of: value, in: self, of: nil) }
      case .defaultSQL(let sql): return { _ in "(\(pasted(sql)))" }
      default: break
      }
    }
    return nil
  }
}
