import SluiceCore

/// The parts of a dump, in the order in which a script can create them.
struct DatabaseDump {
  private let connection: Connection
  private let database: String
  private let encoding: TextEncoding
  private let objects: [SchemaObject]
  /// The tables by their folded names.
  private let tables: [String: TableInfo]
  /// The names of SQLite's own tables that a dump contains.
  private let ownTables: Set<String>

  /// Reads the schema of a database; throws if a virtual table needs a module that the connection lacks.
  init(of connection: Connection, database: String) throws {
    self.connection = connection
    self.database = database
    encoding = try connection.pragma(.encoding)
    objects = try connection.schemaObjects(database: database)
    tables = Dictionary(
      try connection.tables(database: database).map { (foldedName($0.name), $0) },
      uniquingKeysWith: { $1 })
    let names = try connection.query(
      .column(.string),
      sql: """
        SELECT name FROM \(database.quotedName).sqlite_master
        WHERE name IN ('sqlite_sequence', 'sqlite_stat1')
        """)
    ownTables = Set(names)
    try checkModules()
  }

  /// Writes a script, which creates the database in one transaction.
  func write(to writer: inout DumpWriter) throws {
    if !tables(.shadow).isEmpty {
      writer.write("-- The connection that runs this script must not be defensive.\n")
    }
    writer.write("PRAGMA foreign_keys = OFF;\nPRAGMA encoding = '\(encodingName)';\nBEGIN;\n")
    var sequences: [String] = []
    for table in tables(.table) {
      try write(table.sql, to: &writer)
      if try writeRows(of: table.name, to: &writer) { sequences.append(table.name) }
    }
    try writeSequences(of: sequences, to: &writer)
    try writeVirtualTables(to: &writer)
    for index in objects where index.kind == .index { try write(index.sql, to: &writer) }
    try writeEnd(to: &writer)
    writer.write("COMMIT;\n")
    try writer.passOn(isEnd: true)
  }

  /// Writes statements that can be executed in several transactions, without the tables that are `excluded`.
  ///
  /// The indexes precede the rows, because the creation of an index on a large table takes long.
  func writeStatements(excluding excluded: Set<String>, to writer: inout DumpWriter) throws {
    let tables = tables(.table).filter { !excluded.contains($0.name) }
    for table in tables { try write(table.sql, to: &writer) }
    let names = Set(tables.map { foldedName($0.name) })
    let indexes = objects.filter { $0.kind == .index && !excluded.contains($0.table) }
    let isEarly = { (index: SchemaObject) in names.contains(foldedName(index.table)) }
    for index in indexes where isEarly(index) { try write(index.sql, to: &writer) }
    var sequences: [String] = []
    for table in tables where try writeRows(of: table.name, to: &writer) {
      sequences.append(table.name)
    }
    try writeSequences(of: sequences, to: &writer)
    try writeVirtualTables(to: &writer)
    for index in indexes where !isEarly(index) { try write(index.sql, to: &writer) }
    try writeEnd(to: &writer)
    try writer.passOn(isEnd: true)
  }

  private func writeVirtualTables(to writer: inout DumpWriter) throws {
    // A virtual table can read the columns of a view when it is created.
    for view in objects where view.kind == .view { try write(view.sql, to: &writer) }
    for table in tables(.virtual) { try write(table.sql, to: &writer) }
    for table in tables(.shadow) { try writeShadow(table, to: &writer) }
  }

  private func writeEnd(to writer: inout DumpWriter) throws {
    for trigger in objects where trigger.kind == .trigger { try write(trigger.sql, to: &writer) }
    try writeStatistics(to: &writer)
    for pragma in ["application_id", "user_version"] {
      let sql = "PRAGMA \(database.quotedName).\(pragma)"
      let number = try connection.prepare(sql: sql).first(.column(.int)) ?? 0
      guard number != 0 else { continue }
      writer.write("PRAGMA \(pragma) = \(number)")
      try writer.endStatement()
    }
  }
}

extension DatabaseDump {
  private var encodingName: String {
    switch encoding {
    case .utf8: "UTF-8"
    case .utf16LittleEndian: "UTF-16le"
    case .utf16BigEndian: "UTF-16be"
    }
  }

  private func tables(_ kind: TableInfo.Kind) -> [SchemaObject] {
    objects.filter { $0.kind == .table && tables[foldedName($0.name)]?.kind == kind }
  }

  private func checkModules() throws {
    for table in tables(.virtual) {
      let tokens = SQLToken.tokens(of: table.sql)
      guard let using = tokens.firstIndex(where: { $0.is("using") }), using + 1 < tokens.count
      else { continue }
      let module = String(decoding: tokens[using + 1].content, as: UTF8.self)
      let isKnown = try connection.first(
        .column(.int), sql: "SELECT 1 FROM pragma_module_list WHERE lower(name) = ?",
        parameters: module)
      guard isKnown != nil else {
        // Without the module, SQLite does not tell the shadow tables from ordinary ones.
        throw SQLiteError(
          .error,
          "The virtual table \"\(table.name)\" needs the module \(module), which this connection lacks",
          sql: table.sql)
      }
    }
  }

  private func write(_ sql: String, to writer: inout DumpWriter) throws {
    writer.write("\(sql)\(sql.endOfComment)")
    try writer.endStatement()
  }

  /// Writes the rows of a table, and returns whether it has an `AUTOINCREMENT` key.
  @discardableResult
  private func writeRows(
    of name: String, keepsRowid: Bool = true, to writer: inout DumpWriter
  ) throws -> Bool {
    let table = try DumpedTable(
      name, in: database, of: connection,
      isWithoutRowid: tables[foldedName(name)]?.isWithoutRowid ?? false,
      keepsRowid: keepsRowid)
    try table.writeRows(of: connection, encoding, to: &writer)
    return table.isAutoincrement
  }

  /// Writes the content of a table in which a virtual table keeps its data.
  ///
  /// The module has created this table together with the virtual table, and has filled it.
  private func writeShadow(_ table: SchemaObject, to writer: inout DumpWriter) throws {
    let create = "CREATE TABLE "
    if table.sql.hasPrefix(create) {
      // The name of a table of the user can look like that of a shadow table which the module does not create.
      try write("\(create)IF NOT EXISTS \(table.sql.dropFirst(create.count))", to: &writer)
    }
    writer.write("DELETE FROM \(table.name.quotedName)")
    try writer.endStatement()
    try writeRows(of: table.name, to: &writer)
  }

  /// Writes the greatest keys of the `AUTOINCREMENT` tables, in place of those that inserting the rows has set.
  private func writeSequences(of names: [String], to writer: inout DumpWriter) throws {
    guard ownTables.contains("sqlite_sequence") else { return }
    if names.isEmpty {
      // Only a table with such a key makes SQLite create the table of the sequences.
      writer.write(
        """
        CREATE TABLE sluice_sequence(id INTEGER PRIMARY KEY AUTOINCREMENT);
        DROP TABLE sluice_sequence
        """)
      try writer.endStatement()
    } else {
      let list = names.map { $0.quoted("'") }.joined(separator: ",")
      writer.write("DELETE FROM sqlite_sequence WHERE name IN (\(list))")
      try writer.endStatement()
    }
    try writeRows(of: "sqlite_sequence", keepsRowid: false, to: &writer)
  }

  private func writeStatistics(to writer: inout DumpWriter) throws {
    guard ownTables.contains("sqlite_stat1") else { return }
    // The first ANALYZE creates the table, and the second one makes SQLite use its new content. Many builds of SQLite lack
    // sqlite_stat4, and could not load its rows.
    let analyze = "ANALYZE sqlite_master"
    try write(analyze, to: &writer)
    try writeRows(of: "sqlite_stat1", keepsRowid: false, to: &writer)
    try write(analyze, to: &writer)
  }
}
