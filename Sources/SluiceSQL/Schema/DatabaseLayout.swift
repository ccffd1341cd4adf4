import Sluice

/// The stored tables and indexes of all databases of a connection.
///
/// A program identifies a table or an index by a database number and a page number.
struct DatabaseLayout: Sendable {
  /// The location of a table or an index: its database and its first page.
  struct Root: Hashable, Sendable {
    let database: Int
    let page: Int
  }

  /// The columns in the records of a table or index, in order.
  struct Record: Sendable {
    var columns: [AbstractValue]
    /// The rowid of a table; nil for an index.
    var rowid: AbstractValue?
  }

  private(set) var records: [Root: Record] = [:]
  private(set) var tables: [DescribedTable] = []
  private(set) var virtualColumns: [VirtualColumn] = []

  init(_ connection: Connection, _ functions: FunctionCatalog) throws {
    let databases = try connection.query(
      .columns(.int, .string), sql: "SELECT seq, name FROM pragma_database_list")
    for (number, database) in databases {
      for table in try connection.tables(database: database) {
        let described = try DescribedTable(table, database, connection)
        tables.append(described)
        try add(described, number, connection)
        addVirtualColumns(of: described, connection)
      }
    }
    for expressions in try IndexExpressions.all(in: databases, connection) {
      addValues(of: expressions, connection, functions)
    }
  }

  /// Returns the table with this name in a database; nil if there is none.
  func table(_ name: String, in database: String) -> DescribedTable? {
    tables.first { $0.database == database && $0.info.name == name }
  }

  private mutating func add(
    _ table: DescribedTable, _ number: Int, _ connection: Connection
  ) throws {
    guard table.info.kind == .table || table.info.kind == .shadow else { return }
    let schema = "\(table.database.quotedName).sqlite_schema"
    let roots = try connection.query(
      .columns(.optional(.string), .string, .int),
      sql: "SELECT name, type, rootpage FROM \(schema) WHERE tbl_name = ? AND rootpage > 0",
      parameters: table.info.name)
    for (name, type, page) in roots {
      let root = Root(database: number, page: page)
      if type == "table", !table.info.isWithoutRowid {
        records[root] = Record(columns: table.stored, rowid: table.rowid)
      } else if type == "table" {
        let keys = try connection.query(
          .columns(.string, .string),
          sql: "SELECT name, origin FROM pragma_index_list(?, ?) WHERE origin = 'pk'",
          parameters: table.info.name, table.database)
        guard let key = keys.first?.0 else { continue }
        records[root] = try index(key, of: table, connection)
      } else if let name {
        records[root] = try index(name, of: table, connection)
      }
    }
  }

  private mutating func addVirtualColumns(of table: DescribedTable, _ connection: Connection) {
    for (column, value) in zip(table.columns, table.values) where column.kind == .virtualGenerated {
      let sql =
        "SELECT \(column.name.quotedName)"
        + " FROM \(table.database.quotedName).\(table.info.name.quotedName) NOT INDEXED"
      // Skip a column that cannot be computed, because no query can read it.
      guard let program = try? connection.program(of: sql, parameterCount: 0),
        let virtual = VirtualColumn(
          DeclaredType(column.declaredType), value, program, Cursor.all(in: program, self))
      else { continue }
      virtualColumns.append(virtual)
    }
  }

  /// Adds the values of expressions in an index, from which a query may read them.
  private mutating func addValues(
    of index: IndexExpressions, _ connection: Connection, _ functions: FunctionCatalog
  ) {
    // The values of an expression that cannot be compiled stay unknown.
    guard let program = try? connection.program(of: index.select, parameterCount: 0) else { return }
    var interpreter = Interpreter(
      program, columnCount: index.places.count, layout: self, functions: functions)
    guard let values = interpreter.run()?.results else { return }
    for (place, value) in zip(index.places, values)
    where records[index.root]?.columns.indices.contains(place) == true {
      records[index.root]?.columns[place] = value.inIndex
    }
  }

  private func index(
    _ name: String, of table: DescribedTable, _ connection: Connection
  ) throws -> Record {
    let columns = try connection.query(
      .column(.int, at: 0),
      sql: "SELECT cid FROM pragma_index_xinfo(?, ?) ORDER BY seqno",
      parameters: name, table.database)
    return Record(
      columns: columns.map { number in
        if number == -1 { return table.rowid }
        guard table.values.indices.contains(number) else { return .unknown }
        return table.values[number]
      }, rowid: nil)
  }
}
