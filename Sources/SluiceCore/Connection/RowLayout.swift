import CSluice

/// The columns that the rows of a table store.
struct RowLayout {
  struct Column {
    let index: Int
    let isReal: Bool

    /// Returns the value as SQLite stores it.
    ///
    /// In a column with the affinity REAL, SQLite reports an integer before it converts the integer to a real.
    func stored(_ value: DatabaseValue) -> DatabaseValue {
      guard isReal, case .integer(let integer) = value else { return value }
      return .real(Double(integer))
    }
  }

  private(set) var columns: [Column] = []
  private(set) var names: [String] = []
  /// The number of columns, including virtual columns, which SQLite computes when it reads them.
  private(set) var count = 0
  private(set) var hasRowid = true
  /// A name of the rowid that no column has; nil if there is none, or the table has no rowid.
  private(set) var rowidName: String?
  /// The columns of the primary key.
  private(set) var keys: [(index: Int, name: String)] = []

  init(of table: String, _ schema: String, _ handle: OpaquePointer) throws {
    let (schema, table) = (try quoted(identifier: schema), try quoted(identifier: table))
    var all: [String] = []
    try unsafe RawQuery.run("PRAGMA \(schema).table_xinfo(\(table))", on: handle) { row in
      let (index, name) = (all.count, unsafe RawQuery.text(row, 1))
      all.append(name)
      // Rows do not store virtual columns, which SQLite computes when it reads them.
      guard unsafe sqlite3_column_int64(row, 6) != 2 else { return }
      if unsafe sqlite3_column_int64(row, 5) > 0 { keys.append((index, name)) }
      names.append(name)
      columns.append(
        Column(index: index, isReal: Self.isReal(unsafe RawQuery.text(row, 2).withoutCase)))
    }
    count = all.count
    try unsafe RawQuery.run("PRAGMA \(schema).table_list(\(table))", on: handle) { row in
      hasRowid = unsafe sqlite3_column_int64(row, 4) == 0
    }
    if hasRowid { rowidName = SluiceCore.rowidName(besides: all) }
  }

  /// Returns whether a column of this declared type, in lower case, has the affinity REAL.
  private static func isReal(_ type: String) -> Bool {
    !["int", "char", "clob", "text", "blob"].contains { type.contains($0) }
      && ["real", "floa", "doub"].contains { type.contains($0) }
  }
}
