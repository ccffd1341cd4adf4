import CSQLite

extension Statement {
  /// How many columns the rows have; 0 for a statement that returns none, and once its connection is
  /// closed.
  ///
  /// The corresponding C function is `sqlite3_column_count`.
  public var columnCount: Int { unsafe handle == nil ? 0 : width }

  /// The names of the columns in order, which need not differ from each other.
  ///
  /// After a change of the schema they are up to date once the statement has been stepped. Once the
  /// connection is closed, there are none.
  ///
  /// The corresponding C function is `sqlite3_column_name`.
  public var columnNames: [String] { unsafe handle.map { unsafe columns.names(of: $0) } ?? [] }

  /// The index of the first column of this name, to read a column of many rows by.
  ///
  /// ```swift
  /// let length = try query.index(named: "length")
  /// var total = 0
  /// try query.forEachRow { row in total += try row.get(.int, at: length) }
  /// ```
  ///
  /// After a change of the schema it can be another one once the statement has been stepped.
  public func index(named name: String) throws -> Int {
    let handle = try unsafe openHandle()
    guard let index = unsafe columns.index(named: name, of: handle) else { throw noColumn(name) }
    return index
  }

  func noColumn(_ name: String) -> SQLiteError {
    SQLiteError(.range, "There is no column named \"\(name)\"", sql: sql)
  }

  func noColumn(_ index: Int) -> SQLiteError {
    SQLiteError(.range, "There is no column \(index): the row has \(columns.count)", sql: sql)
  }
}
