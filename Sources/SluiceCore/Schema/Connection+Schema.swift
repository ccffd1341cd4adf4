/// What a database consists of. What belongs to SQLite, with a name that begins with `sqlite_`, is left out.
///
/// An unknown database throws ``ResultCode/range``. Names of tables go by SQLite's rules, so that case does not
/// count; any name can be asked for, whatever is in it, but for a NUL, which throws ``ResultCode/misuse``.
extension Connection {
  /// The tables, views, indexes and triggers of a database with the SQL that made them, or those of one kind, in
  /// the order in which they were made.
  ///
  /// ```swift
  /// for view in try connection.schemaObjects(.view) {
  ///   print(view.name, view.sql)
  /// }
  /// ```
  ///
  /// An index that comes from a `UNIQUE` or `PRIMARY KEY` has no SQL, and is not among them. A temporary trigger
  /// of a table is in the database `temp`.
  ///
  /// The corresponding SQL is `SELECT * FROM sqlite_schema`.
  public func schemaObjects(
    _ kind: SchemaObject.Kind? = nil, database: String = "main"
  ) throws -> [SchemaObject] {
    let statement = try prepare(
      sql: """
        SELECT type, name, tbl_name, sql FROM \(quotedName(of: database)).sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND type = ifnull(?, type)
        ORDER BY rowid
        """)
    let objects = try statement.bind(kind?.rawValue).query(
      RowConverter { row in
        try SchemaObject.Kind(rawValue: row.text(at: 0)).map { kind in
          try SchemaObject(
            kind: kind, name: row.text(at: 1), table: row.text(at: 2), sql: row.text(at: 3))
        }
      })
    return objects.compactMap(\.self)
  }

  /// The tables and views of a database, sorted by name.
  ///
  /// The corresponding SQL is `PRAGMA table_list`.
  public func tables(database: String = "main") throws -> [TableInfo] {
    try tables(quotedName(of: database), "").filter {
      !$0.name.utf8.prefix(7).elementsEqual("sqlite_".utf8)
    }.sorted { $0.name < $1.name }
  }

  /// The table or view of this name, or nil if there is none.
  ///
  /// The corresponding SQL is `PRAGMA table_list`.
  public func table(named name: String, database: String = "main") throws -> TableInfo? {
    // The pragma does not know the newer names, by which it tells of what it finds under the older.
    let known =
      switch name.lowercased() {
      case "sqlite_schema": "sqlite_master"
      case "sqlite_temp_schema": "sqlite_temp_master"
      default: name
      }
    return try tables(quotedName(of: database), "(\(quoted(identifier: known)))").first
  }
}

extension Connection {
  private func tables(_ database: String, _ argument: String) throws -> [TableInfo] {
    var tables: [TableInfo] = []
    try prepare(sql: "PRAGMA \(database).table_list\(argument)").forEachRow { row in
      guard let kind = try TableInfo.Kind(rawValue: row.text(at: 2)) else { return }
      let (name, count) = try (row.text(at: 1), row.get(.int, at: 3))
      tables.append(
        try TableInfo(
          name: name, kind: kind,
          columnCount: count == 0 ? countedColumns(of: name, database) : count,
          isWithoutRowid: row.get(.bool, at: 4), isStrict: row.get(.bool, at: 5)))
    }
    return tables
  }

  /// How many columns a view or virtual table has, or 0 if it is broken.
  ///
  /// SQLite counts them itself until it comes to one that is broken, and the others may come later.
  private func countedColumns(of table: String, _ database: String) throws -> Int {
    var count = 0
    do {
      try prepare(sql: "PRAGMA \(database).table_xinfo(\(quoted(identifier: table)))")
        .forEachRow { _ in count += 1 }
      return count
    } catch let error as SQLiteError
      where error.code.primary != .interrupt && error.code.primary != .noMemory
    {
      return 0
    }
  }
}
