import CSluice

/// Methods that read the schema of a database.
///
/// SQLite's own objects, whose names begin with `sqlite_`, are omitted.
///
/// An unknown database throws ``ResultCode/range``. Table names follow SQLite's rules, so they are
/// case-insensitive. A name may contain any character except NUL, which throws ``ResultCode/misuse``.
extension Connection {
  /// Returns the tables, views, indexes and triggers of a database, with the SQL that created them.
  ///
  /// ```swift
  /// for view in try connection.schemaObjects(.view) {
  ///   print(view.name, view.sql)
  /// }
  /// ```
  ///
  /// The objects are in the order of their creation. If `kind` is not nil, only objects of this kind are
  /// returned. An index that implements a `UNIQUE` or `PRIMARY KEY` constraint has no SQL, and is not included. A
  /// temporary trigger on a table is in the database `temp`.
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

  /// Returns the tables and views of a database, sorted by name.
  ///
  /// The corresponding SQL is `PRAGMA table_list`.
  public func tables(database: String = "main") throws -> [TableInfo] {
    try tables(quotedName(of: database), "").filter {
      !$0.name.utf8.prefix(7).elementsEqual("sqlite_".utf8)
    }.sorted { $0.name < $1.name }
  }

  /// Returns the table or view with this name, or nil if there is none.
  ///
  /// The corresponding SQL is `PRAGMA table_list`.
  public func table(named name: String, database: String = "main") throws -> TableInfo? {
    // The pragma reports the schema tables by their newer names, but accepts only the older names as its argument.
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

  /// Returns the number of columns of a view or virtual table, or 0 if the view or table is broken.
  ///
  /// Once `PRAGMA table_list` has found a broken view or virtual table, it no longer counts the columns of the views
  /// and virtual tables that follow, and can report 0 for them even if they are intact.
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

/// Methods that return the columns, indexes and foreign keys of a table.
///
/// A table or view that does not exist throws ``ResultCode/error``, as in SQL.
extension Connection {
  /// Returns the columns of a table or view in order, including those that `SELECT *` omits.
  ///
  /// ```swift
  /// for column in try connection.columns(of: "person") {
  ///   print(column.name, column.declaredType ?? "", column.isNotNull)
  /// }
  /// ```
  ///
  /// A view that refers to a missing object throws ``ResultCode/error``.
  ///
  /// The corresponding C function is `sqlite3_table_column_metadata`, and the SQL `PRAGMA table_xinfo`.
  public func columns(of table: String, database: String = "main") throws -> [ColumnInfo] {
    let (found, schema) = try present(table, database)
    let copy = try localCopy(of: found, schema)
    return try rows("\(schema).table_xinfo", found.name) { row in
      let name = try row.text(at: 1)
      let type = try row.text(at: 2)
      let position = try row.get(.int, at: 5)
      let kind: ColumnInfo.Kind =
        switch try row.get(.int, at: 6) {
        case 1: .hidden
        case 2: .virtualGenerated
        case 3: .storedGenerated
        default: .ordinary
        }
      let (collation, isAutoincrement): (String?, Bool) =
        if found.kind == .view {
          (nil, false)
        } else if translator == nil {
          try details(of: name, found.name, database)
        } else {
          try copy?.details(of: name, found.name, "main") ?? ("BINARY", false)
        }
      return try ColumnInfo(
        name: name, declaredType: type.isEmpty ? nil : type, isNotNull: row.get(.bool, at: 3),
        defaultSQL: row.optional(.string, at: 4), primaryKeyPosition: position > 0 ? position : nil,
        kind: kind, collation: collation,
        isAutoincrement: isAutoincrement)
    }
  }

  /// Returns the indexes of a table, in the order of their creation.
  ///
  /// The corresponding SQL is `PRAGMA index_list` and `PRAGMA index_xinfo`.
  public func indexes(of table: String, database: String = "main") throws -> [IndexInfo] {
    let (found, schema) = try present(table, database)
    let indexes = try rows("\(schema).index_list", found.name) { row in
      let origin: IndexInfo.Origin =
        switch try row.text(at: 3) {
        case "pk": .primaryKey
        case "u": .unique
        default: .statement
        }
      return try (row.text(at: 1), row.get(.bool, at: 2), origin, row.get(.bool, at: 4))
    }
    return try indexes.reversed().map { name, isUnique, origin, isPartial in
      IndexInfo(
        name: name, isUnique: isUnique, origin: origin, isPartial: isPartial,
        terms: try terms(of: name, schema))
    }
  }

  /// Returns the foreign keys of a table, sorted by number.
  ///
  /// The corresponding SQL is `PRAGMA foreign_key_list`.
  public func foreignKeys(of table: String, database: String = "main") throws -> [ForeignKeyInfo] {
    let (found, schema) = try present(table, database)
    let parts = try rows("\(schema).foreign_key_list", found.name) { row in
      try (
        key: ForeignKeyInfo(
          number: row.get(.int, at: 0), referencedTable: row.text(at: 2),
          columns: [row.text(at: 3)],
          referencedColumns: row.optional(.string, at: 4).map { [$0] } ?? [],
          onUpdate: action(row.text(at: 5)), onDelete: action(row.text(at: 6))),
        place: row.get(.int, at: 1)
      )
    }
    return Dictionary(grouping: parts, by: \.key.number).values.map { parts in
      let keys = parts.sorted { $0.place < $1.place }.map(\.key)
      return ForeignKeyInfo(
        number: keys[0].number, referencedTable: keys[0].referencedTable,
        columns: keys.flatMap(\.columns), referencedColumns: keys.flatMap(\.referencedColumns),
        onUpdate: keys[0].onUpdate, onDelete: keys[0].onDelete)
    }.sorted { $0.number < $1.number }
  }
}

extension Connection {
  /// Returns an existing table, and the quoted name of its database.
  private func present(_ table: String, _ database: String) throws -> (TableInfo, String) {
    guard let found = try self.table(named: table, database: database) else {
      throw SQLiteError(.error, "no such table: \(database).\(table)")
    }
    return (found, try quotedName(of: database))
  }

  private func rows<T>(
    _ pragma: String, _ name: String, _ convert: (borrowing Row) throws -> T
  ) throws -> [T] {
    var rows: [T] = []
    try prepare(sql: "PRAGMA \(pragma)(\(quoted(identifier: name)))").forEachRow { row in
      rows.append(try convert(row))
    }
    return rows
  }

  private func terms(of index: String, _ schema: String) throws -> [IndexInfo.Term] {
    let terms = try rows("\(schema).index_xinfo", index) { row -> IndexInfo.Term? in
      // The pragma also lists columns that are not part of the index key; they only locate the row.
      guard try row.get(.bool, at: 5) else { return nil }
      return try IndexInfo.Term(
        column: row.optional(.string, at: 2), isDescending: row.get(.bool, at: 3),
        collation: row.text(at: 4))
    }
    return terms.compactMap(\.self)
  }

  private func action(_ name: String) -> ForeignKeyInfo.Action {
    ForeignKeyInfo.Action(rawValue: name) ?? .noAction
  }

  /// Returns a connection with an empty copy of a table of another database, because the C function that reports all
  /// properties of a column knows only local tables.
  ///
  /// - Returns: The connection, or nil for a local table, and for one that SQLite or a module creates.
  private func localCopy(of table: TableInfo, _ schema: String) throws -> Connection? {
    guard translator != nil, table.kind == .table || table.kind == .shadow,
      !table.name.hasPrefix("sqlite_"),
      let sql = try first(
        .column(.string), sql: "SELECT sql FROM \(schema).sqlite_schema WHERE name = ?",
        parameters: table.name)
    else { return nil }
    let copy = try Connection()
    try copy.execute(sql: sql)
    return copy
  }

  /// Returns the properties of a column that no pragma reports.
  private func details(
    of column: String, _ table: String, _ database: String
  ) throws -> (collation: String?, isAutoincrement: Bool) {
    try refuseStatements()
    var collation: UnsafePointer<CChar>?
    var isAutoincrement: Int32 = 0
    try check(
      unsafe sqlite3_table_column_metadata(
        handle(), database, table, column, nil, &collation, nil, nil, &isAutoincrement))
    return unsafe (collation.map { unsafe String(cString: $0) }, isAutoincrement != 0)
  }
}
