import CSluice

/// Queries that run on the handle alone, such as in a hook, without the statement cache and the checks of a connection.
enum RawQuery {
  /// Runs a query with the parameters that `bind` binds, and calls `body` with each row.
  static func run(
    _ sql: String, on handle: OpaquePointer,
    binding bind: (OpaquePointer?) -> Int32 = { _ in SQLITE_OK },
    _ body: (OpaquePointer?) throws -> Void
  ) throws {
    var statement: OpaquePointer?
    defer { unsafe sqlite3_finalize(statement) }
    var code = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    if code == SQLITE_OK { code = unsafe bind(statement) }
    if code == SQLITE_OK { code = unsafe sqlite3_step(statement) }
    while code == SQLITE_ROW {
      try unsafe body(statement)
      code = unsafe sqlite3_step(statement)
    }
    guard code == SQLITE_DONE else { throw unsafe SQLiteError(code, of: handle, sql: sql) }
  }

  /// Returns the text in a column of a row; empty for NULL.
  static func text(_ row: OpaquePointer?, _ column: Int32) -> String {
    unsafe sqlite3_column_text(row, column).map { unsafe String(cString: $0) } ?? ""
  }
}
