import CSluice

/// The columns whose old values SQLite before 3.47 may record as NULL, whatever their defaults.
///
/// It does so for rows that were written before the column was added. If the column is `NOT NULL`, its default takes the
/// place of such a NULL. In any other column, the row may have contained the NULL, so a session refuses the table.
@safe struct AddedColumns {
  private struct Column {
    /// The index among the columns that a session records.
    let index: Int
    let name: String
    let isNullable: Bool
    /// The default, which is not NULL.
    let value: DatabaseValue
  }

  private let schema: String
  private let handle: OpaquePointer
  /// Whether columns may have been added since the rows were checked.
  private let isChanged: Bool
  /// For each table, its columns with a default, by index.
  private var columns: [ChangesCheck.Table: [Int: Column]] = [:]

  /// Creates a description of a database, whose rows were checked when its schema had a version; nil if SQLite records the
  /// defaults.
  init?(of schema: String, _ handle: OpaquePointer, since checked: Int64? = nil) throws {
    guard SQLiteLibrary.knownDefects.contains(.addedColumns) else { return nil }
    self.schema = schema
    unsafe self.handle = handle
    isChanged = try unsafe checked != nil && Self.version(of: schema, handle) != checked
  }

  /// Returns the recorded form of the default of a `NOT NULL` column, which takes the place of NULL; nil for any other.
  ///
  /// Throws if the column is not `NOT NULL`, and may have been added since the rows were checked.
  mutating func value(of index: Int, in table: ChangesCheck.Table) throws -> [UInt8]? {
    if columns[table] == nil {
      let (count, found) = try columns(of: String(decoding: table.name, as: UTF8.self))
      // A session that records the rowid puts it first.
      let shift = table.keys.count - count
      columns[table] =
        shift < 0 ? [:] : Dictionary(uniqueKeysWithValues: found.map { ($0.index + shift, $0) })
    }
    guard let column = columns[table]?[index] else { return nil }
    guard column.isNullable else { return column.value.recorded }
    guard !isChanged else {
      throw SQLiteError(
        .schema,
        "The schema changed while the session was open, and SQLite \(SQLiteLibrary.version) may have recorded NULL for rows of \(String(decoding: table.name, as: UTF8.self)) that lack its column \(column.name): end a session before the schema changes"
      )
    }
    return nil
  }

  /// Returns the tables with a column that is not `NOT NULL` and has a default.
  func tables() throws -> [String] {
    let schema = try quoted(identifier: schema)
    var names: [String] = []
    let sql = """
      SELECT name FROM \(schema).sqlite_master AS m WHERE type = 'table' AND rootpage > 0 AND EXISTS (
        SELECT 1 FROM pragma_table_xinfo(m.name, \(self.schema.quoted("'")))
        WHERE "notnull" = 0 AND dflt_value IS NOT NULL AND pk = 0 AND hidden = 0)
      """
    try unsafe RawQuery.run(sql, on: handle) { row in names.append(unsafe RawQuery.text(row, 0)) }
    return names
  }

  /// Returns a number that changes with the schema.
  func version() throws -> Int64 { try unsafe Self.version(of: schema, handle) }

  private static func version(of schema: String, _ handle: OpaquePointer) throws -> Int64 {
    var version: Int64 = 0
    let sql = "PRAGMA \(try quoted(identifier: schema)).schema_version"
    try unsafe RawQuery.run(sql, on: handle) { version = unsafe sqlite3_column_int64($0, 0) }
    return version
  }

  private struct RowWithoutColumn: Error {}

  /// Returns an error if a row of a table lacks a column that is not `NOT NULL` and has a default; nil otherwise.
  func refusal(of table: String) throws -> SQLiteError? {
    // A row that lacks any column lacks all later ones as well.
    guard let column = try columns(of: table).columns.last(where: \.isNullable),
      let rowid = try unsafe RowLayout(of: table, schema, handle).rowidName
    else { return nil }
    let (name, place) = try (
      quoted(identifier: column.name), "\(quoted(identifier: schema)).\(quoted(identifier: table))"
    )
    var blob: OpaquePointer?
    defer { unsafe sqlite3_blob_close(blob) }
    let sql =
      "SELECT \(rowid) FROM \(place) WHERE \(name) COLLATE BINARY IS \(column.value.exactLiteral)"
    do {
      try unsafe RawQuery.run(sql, on: handle) { row in
        let rowid = unsafe sqlite3_column_int64(row, 0)
        if let open = unsafe blob, unsafe sqlite3_blob_reopen(open, rowid) == SQLITE_OK { return }
        unsafe sqlite3_blob_close(blob)
        unsafe blob = nil
        let code = unsafe sqlite3_blob_open(handle, schema, table, column.name, rowid, 0, &blob)
        // SQLite opens text and blobs only, and its message names the type of any other value in the row.
        guard code == SQLITE_ERROR,
          unsafe String(cString: sqlite3_errmsg(handle)).hasSuffix(" null")
        else { return }
        throw RowWithoutColumn()
      }
    } catch is RowWithoutColumn {
      return SQLiteError(
        .schema,
        "Rows of \(table) lack its column \(column.name), which was added after they were written, and SQLite \(SQLiteLibrary.version) would record NULL for it: execute UPDATE \(place) SET \(name) = \(name) before the session"
      )
    }
    return nil
  }

  /// Returns the number of columns that a session records, and those with defaults that rows can lack.
  private func columns(of table: String) throws -> (count: Int, columns: [Column]) {
    let (schema, name) = try (quoted(identifier: schema), quoted(identifier: table))
    var isStrict = false
    try unsafe RawQuery.run("PRAGMA \(schema).table_list(\(name))", on: handle) { row in
      isStrict = unsafe sqlite3_column_int64(row, 5) != 0
    }
    var count = 0
    var columns: [Column] = []
    try unsafe RawQuery.run("PRAGMA \(schema).table_xinfo(\(name))", on: handle) { row in
      // Generated columns are not recorded.
      guard unsafe sqlite3_column_int64(row, 6) == 0 else { return }
      count += 1
      guard unsafe sqlite3_column_type(row, 4) != SQLITE_NULL,
        unsafe sqlite3_column_int64(row, 5) == 0,
        let value = try ColumnDefault.constant(
          unsafe RawQuery.text(row, 4), type: unsafe RawQuery.text(row, 2), isStrict: isStrict)
      else { return }
      columns.append(
        Column(
          index: count - 1, name: unsafe RawQuery.text(row, 1),
          isNullable: unsafe sqlite3_column_int64(row, 3) == 0, value: value))
    }
    return (count, columns)
  }
}

extension Connection {
  /// Throws if the old values of a table's rows cannot be recorded; nil for all tables for which `isRecorded` is true.
  func refuseRowsWithoutColumns(
    in schema: String, _ table: String?, if isRecorded: (String) -> Bool = { _ in true }
  ) throws {
    guard let added = try unsafe AddedColumns(of: schema, handle()) else { return }
    let key = table.map { "table \(foldedName($0))" } ?? "all tables"
    let refusals: [(table: String, error: any Error)] = try cleaningUp {
      // Rows that are written later have all columns, until the schema changes. A rollback would bring old rows back, and
      // another database can be attached with the same name.
      let version = isInAutocommit && schema.withoutCase == "main" ? try added.version() : nil
      if let version, state.watchers.preUpdates.wholeTables[key] == version { return [] }
      let tables = try table.map { [$0] } ?? added.tables()
      let found: [(String, any Error)] = tables.compactMap { table in
        // An error of a table that is not recorded does not matter.
        do { return try added.refusal(of: table).map { (table, $0) } } catch {
          return (table, error)
        }
      }
      if found.isEmpty { state.watchers.preUpdates.wholeTables[key] = version }
      return found
    }
    for refusal in refusals where state.within(.hook, { isRecorded(refusal.table) }) {
      throw refusal.error
    }
  }
}
