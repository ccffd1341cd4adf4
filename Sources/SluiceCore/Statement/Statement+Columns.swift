import CSluice

extension Statement {
  /// How many columns the rows have; 0 for a statement that returns none, once its connection is closed, and
  /// outside of the closure that has the connection from its queue.
  ///
  /// The corresponding C function is `sqlite3_column_count`.
  public var columnCount: Int { unsafe handle == nil || state.isStranger ? 0 : width }

  /// The names of the columns in order, which need not differ from each other.
  ///
  /// After a change of the schema they are up to date once the statement has been stepped. There are none once
  /// the connection is closed, and outside of the closure that has it from its queue.
  ///
  /// The corresponding C function is `sqlite3_column_name`.
  public var columnNames: [String] {
    guard let handle = unsafe handle, !state.isStranger else { return [] }
    return unsafe columns.names(of: handle)
  }

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
