import CSluice

// Before SQLite 3.47, the old value of a column that was added after the row was written is NULL, whatever its default.
extension PendingRowChange {
  /// Whether a value is the one that SQLite returns for a column that the stored row lacks.
  static func isMissing(_ value: OpaquePointer) -> Bool {
    // SQLite returns one shared NULL wherever there is no value.
    unsafe value == sqlite3_column_value(nil, 0)
  }

  /// Reads a column of the row, which has not changed yet; returns nil if SQLite no longer finds the row.
  func storedValue(_ index: Int, of handle: OpaquePointer, rowid: Int64) throws -> DatabaseValue? {
    let (schema, table) = (try quoted(identifier: schema), try quoted(identifier: table))
    var columns: [(name: String, keyPosition: Int64)] = []
    try unsafe ask(handle, "PRAGMA \(schema).table_xinfo(\(table))") { row in
      unsafe columns.append((RowLayout.text(row, 1), sqlite3_column_int64(row, 5)))
    }
    var hasRowid = true
    try unsafe ask(handle, "PRAGMA \(schema).table_list(\(table))") { row in
      hasRowid = unsafe sqlite3_column_int64(row, 4) == 0
    }
    guard columns.indices.contains(index) else { return nil }
    let name = hasRowid ? rowidName(besides: columns.map(\.name)) : nil
    let keys = columns.indices.filter { columns[$0].keyPosition > 0 }
    guard name != nil || !keys.isEmpty else { return nil }
    let conditions =
      try name.map { ["\($0) = ?"] }
      ?? keys.map { "\(try quoted(identifier: columns[$0].name)) IS ?" }
    let sql = """
      SELECT \(try quoted(identifier: columns[index].name)) FROM \(schema).\(table)
      WHERE \(conditions.joined(separator: " AND "))
      """
    func bindKey(_ statement: OpaquePointer?) -> Int32 {
      guard name == nil else { return unsafe sqlite3_bind_int64(statement, 1, rowid) }
      for (place, key) in keys.enumerated() {
        var part: OpaquePointer?
        var code = unsafe sluice_preupdate_old(handle, Int32(key), &part)
        if code == SQLITE_OK {
          code = unsafe sqlite3_bind_value(statement, Int32(place + 1), part)
        }
        guard code == SQLITE_OK else { return code }
      }
      return SQLITE_OK
    }
    var found: Result<DatabaseValue, any Error>?
    try unsafe ask(handle, sql, bindKey) { row in
      found = Result { try unsafe Argument(sqlite3_column_value(row, 0)).stored() }
    }
    return try found?.get()
  }

  /// Calls `body` with each row of a query.
  private func ask(
    _ handle: OpaquePointer, _ sql: String,
    _ bind: (OpaquePointer?) -> Int32 = { _ in SQLITE_OK }, _ body: (OpaquePointer?) -> Void
  ) throws {
    var statement: OpaquePointer?
    defer { unsafe sqlite3_finalize(statement) }
    var code = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    if code == SQLITE_OK { code = unsafe bind(statement) }
    if code == SQLITE_OK { code = unsafe sqlite3_step(statement) }
    while code == SQLITE_ROW {
      unsafe body(statement)
      code = unsafe sqlite3_step(statement)
    }
    guard code == SQLITE_DONE else { throw unsafe SQLiteError(code, of: handle, sql: sql) }
  }
}
