import CSluice

// In SQLite 3.40 to 3.46, the old value of a column that was added after the row was written is NULL, whatever its
// default.
extension PendingRowChange {
  /// Whether a value is the one that SQLite returns for a column that the stored row lacks.
  static func isMissing(_ value: OpaquePointer) -> Bool {
    // SQLite returns one shared NULL wherever there is no value.
    unsafe value == sqlite3_column_value(nil, 0)
  }

  /// Reads a column of the row, which has not changed yet; returns nil if SQLite no longer finds the row.
  func storedValue(_ index: Int, of handle: OpaquePointer, rowid: Int64) throws -> DatabaseValue? {
    let layout = try unsafe RowLayout(of: table, schema, handle)
    let (keys, rowidName) = (layout.keys, layout.rowidName)
    guard let place = layout.columns.firstIndex(where: { $0.index == index }),
      rowidName != nil || !keys.isEmpty
    else { return nil }
    let conditions =
      try rowidName.map { ["\($0) = ?"] } ?? keys.map { "\(try quoted(identifier: $0.name)) IS ?" }
    let sql = """
      SELECT \(try quoted(identifier: layout.names[place]))
      FROM \(try quoted(identifier: schema)).\(try quoted(identifier: table))
      WHERE \(conditions.joined(separator: " AND "))
      """
    func bindKey(_ statement: OpaquePointer?) -> Int32 {
      guard rowidName == nil else { return unsafe sqlite3_bind_int64(statement, 1, rowid) }
      for (place, key) in keys.enumerated() {
        var part: OpaquePointer?
        var code = unsafe sluice_preupdate_old(handle, Int32(key.index), &part)
        if code == SQLITE_OK {
          code = unsafe sqlite3_bind_value(statement, Int32(place + 1), part)
        }
        guard code == SQLITE_OK else { return code }
      }
      return SQLITE_OK
    }
    var found: DatabaseValue?
    try unsafe RawQuery.run(sql, on: handle, binding: bindKey) { row in
      found = try unsafe Argument(sqlite3_column_value(row, 0)).stored()
    }
    return found
  }
}
