import CSluice

/// What a table consists of. A table or view that is not there throws ``ResultCode/error``, as it does in SQL.
extension Connection {
  /// The columns of a table or view, in order, with those that `SELECT *` does not show.
  ///
  /// ```swift
  /// for column in try connection.columns(of: "person") {
  ///   print(column.name, column.declaredType ?? "", column.isNotNull)
  /// }
  /// ```
  ///
  /// A view that refers to what is not there throws ``ResultCode/error``.
  ///
  /// The corresponding C function is `sqlite3_table_column_metadata`, and the SQL `PRAGMA table_xinfo`.
  public func columns(of table: String, database: String = "main") throws -> [ColumnInfo] {
    let (found, schema) = try present(table, database)
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
      let (collation, isAutoincrement) =
        found.kind == .view ? (nil, false) : try details(of: name, found.name, database)
      return try ColumnInfo(
        name: name, declaredType: type.isEmpty ? nil : type, isNotNull: row.get(.bool, at: 3),
        defaultSQL: row.optional(.string, at: 4), primaryKeyPosition: position > 0 ? position : nil,
        kind: kind, collation: collation,
        isAutoincrement: isAutoincrement)
    }
  }

  /// The indexes of a table, in the order in which they were made.
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

  /// The foreign keys of a table, sorted by number.
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
  /// A table that is there, and the quoted name of its database.
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
      // The others are there to find the row.
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

  /// What no pragma tells of a column.
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
