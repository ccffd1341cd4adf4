import Sluice
import SluiceCore

/// The SQL that creates a table.
struct TableDefinition<Value: Sendable> {
  let name: String
  let schema: TableSchema<Value>
  let types: [String: ColumnType]

  /// Whether the key is the rowid of the table.
  var hasRowNumber: Bool {
    schema.keyNames.count == 1 && types[schema.keyNames[0]] == .integer && !schema.isWithoutRowid
  }

  func tableSQL(_ prefix: String = "", on connection: Connection) throws -> String {
    var parts = try schema.columns.map { try column($0, on: connection) }
    if schema.keyNames.count > 1 { parts.append("PRIMARY KEY(\(quoted(schema.keyNames)))") }
    parts += schema.uniques.map { "UNIQUE(\(quoted($0)))" }
    parts += schema.checks.map { "CHECK (\(pasted($0)))" }
    parts += try schema.foreignKeys.map { columns, key in
      "FOREIGN KEY(\(quoted(columns))) \(try references(key))"
    }
    var options: [String] = []
    if schema.isStrict { options.append("STRICT") }
    if schema.isWithoutRowid { options.append("WITHOUT ROWID") }
    let body = parts.joined(separator: ", ")
    return "CREATE TABLE \(prefix)\(quoted(name))(\(body))"
      + (options.isEmpty ? "" : " " + options.joined(separator: ", "))
  }

  func indexSQL(_ index: TableSchema<Value>.Index, _ prefix: String = "") -> String {
    let condition = index.condition.map { " WHERE \(pasted($0))" } ?? ""
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(prefix)\(quoted(index.name))"
      + " ON \(quoted(name))(\(index.sql.map(pasted) ?? quoted(index.columns)))\(condition)"
  }

  func column(_ column: TableSchema<Value>.Column, on connection: Connection) throws -> String {
    let type = types[column.name] ?? .any
    var parts = [quoted(column.name), type.rawValue]
    let isKey = schema.keyNames == [column.name]
    if isKey { parts.append("PRIMARY KEY") }
    for constraint in column.constraints {
      if case .autoincrement = constraint.content { parts.append("AUTOINCREMENT") }
    }
    // A rowid is never NULL: if NULL is inserted, SQLite assigns a rowid.
    let isRowNumber = isKey && hasRowNumber
    let isOfKey = schema.keyNames.contains(column.name)
    if (column.isNotNull || isOfKey) && !isRowNumber && !column.isGenerated {
      parts.append("NOT NULL")
    }
    parts += try column.constraints.compactMap { try sql(of: $0, column, on: connection) }
    return parts.joined(separator: " ")
  }

  private func sql(
    of constraint: ColumnConstraint, _ column: TableSchema<Value>.Column, on connection: Connection
  ) throws -> String? {
    switch constraint.content {
    case .type, .representation, .notNull, .autoincrement: nil
    case .unique: "UNIQUE"
    case .check(let sql): "CHECK (\(pasted(sql)))"
    case .defaultSQL(let sql): "DEFAULT (\(pasted(sql)))"
    case .defaultValue(let value):
      "DEFAULT (\(try connection.literal(of: value, in: column, of: types[column.name])))"
    case .collate(let name): "COLLATE \(quoted(name))"
    case .references(let key): try references(key)
    case .generated(let sql, let isStored): "AS (\(pasted(sql))) \(isStored ? "STORED" : "VIRTUAL")"
    }
  }

  private func references(_ key: ForeignKey) throws -> String {
    let target = try key.target()
    return "REFERENCES \(quoted(target.table))(\(quoted(target.columns)))"
      + " ON DELETE \(key.onDelete.rawValue) ON UPDATE \(key.onUpdate.rawValue)"
      + (key.isDeferred ? " DEFERRABLE INITIALLY DEFERRED" : "")
  }
}

/// Returns a name as a quoted SQL identifier.
func quoted(_ name: String) -> String { name.quoted("\"") }

/// Returns the caller's SQL with any open comment closed, so that the comment does not hide the SQL that follows.
func pasted(_ sql: String) -> String { sql + sql.endOfComment }

/// Returns names as quoted SQL identifiers, separated by commas.
func quoted(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }
