import Sluice

/// A table with the known properties of its columns.
struct DescribedTable: Sendable {
  let database: String
  let info: TableInfo
  let columns: [ColumnInfo]
  private let references: [ColumnReference]
  /// The index of the column that is the rowid; nil if there is none.
  let key: Int?
  /// Whether the table is a full-text table.
  let isFullText: Bool

  init(_ table: TableInfo, _ database: String, _ connection: Connection) throws {
    self.database = database
    info = table
    // A view with an invalid reference has no columns; checking a query that uses the view reports the error.
    columns =
      table.kind == .view
      ? (try? connection.columns(of: table.name, database: database)) ?? []
      : try connection.columns(of: table.name, database: database)
    references = columns.map {
      ColumnReference(
        database: database, table: table.name, column: $0.name,
        isGenerated: $0.kind == .virtualGenerated || $0.kind == .storedGenerated)
    }
    key = try Self.key(of: table, columns, database, connection)
    let module = try connection.first(
      .column(.optional(.string)),
      sql: "SELECT sql FROM \(database.quotedName).sqlite_schema WHERE name = ? AND type = 'table'",
      parameters: table.name)
    isFullText =
      table.kind == .virtual && module??.lowercased().contains(/using\s+"?fts[345]\b/) == true
  }

  /// The values of the columns.
  var values: [AbstractValue] {
    columns.enumerated().map { index, column in
      let isKey = index == key
      let isPart = info.isWithoutRowid && column.primaryKeyPosition != nil
      let type = DeclaredType(column.declaredType)
      // Before version 3.51, SQLite does not enforce the type of a generated column, even in a STRICT table.
      let isEnforced = info.isStrict && !references[index].isGenerated
      return AbstractValue(
        mayBeNull: !(column.isNotNull || isKey || isPart),
        possible: isKey ? .integer : isEnforced ? type.strictKinds : .any,
        expected: type.kinds,
        origins: [references[index]])
    }
  }

  /// The values of a record, without virtual columns; a column that is the rowid is stored as NULL.
  var stored: [AbstractValue] {
    zip(columns, values).enumerated().compactMap { index, pair in
      guard pair.0.kind != .virtualGenerated, pair.0.kind != .hidden else { return nil }
      return index == key ? .null : pair.1
    }
  }

  var rowid: AbstractValue { key.map { values[$0] } ?? .integer }

  /// Returns the index of the column that is the rowid; nil if there is none.
  ///
  /// Not every integer primary key is the rowid. To find out, this method examines the program into which SQLite
  /// compiles a statement that reads the column.
  private static func key(
    of table: TableInfo, _ columns: [ColumnInfo], _ database: String, _ connection: Connection
  ) throws -> Int? {
    guard table.kind == .table, !table.isWithoutRowid,
      let index = columns.firstIndex(where: { $0.primaryKeyPosition == 1 }),
      columns.filter({ $0.primaryKeyPosition != nil }).count == 1
    else { return nil }
    let sql =
      "SELECT \(columns[index].name.quotedName)"
      + " FROM \(database.quotedName).\(table.name.quotedName) NOT INDEXED"
    let program = try connection.program(of: sql, parameterCount: 0)
    return program.contains { $0.opcode == "Rowid" } ? index : nil
  }
}
