import CSluice

/// All rows of a statement, from its start, whatever it stood on before.
extension Statement {
  /// Lends each row to `body`, and resets the statement, also if `body` throws.
  ///
  /// If `body` moves the statement by itself, ``ResultCode/misuse`` is thrown.
  @inlinable @inline(__always)
  public func forEachRow(_ body: (borrowing Row) throws -> Void) throws {
    guard try startAnew() else { return }
    do {
      var row = Row(self)
      repeat {
        unsafe row.generation = position
        try body(row)
        guard unsafe row.generation == position else { throw movedByClosure }
      } while try advance()
    } catch {
      // The first error is the one to report.
      try? reset()
      throw error
    }
  }

  /// Returns an array of the results of `transform` for each row.
  @inlinable
  public func map<T>(_ transform: (borrowing Row) throws -> T) throws -> [T] {
    var values: [T] = []
    try forEachRow { row in values.append(try transform(row)) }
    return values
  }

  /// Returns an array of the converted rows.
  @inlinable
  public func query<T>(_ converter: RowConverter<T>) throws -> [T] {
    try map(converter.convert)
  }

  /// Returns the converted first row, or nil if there is none; the other rows are not read.
  @inlinable
  public func first<T>(_ converter: RowConverter<T>) throws -> T? {
    guard try startAnew() else { return nil }
    let value: T
    do {
      value = try converter.convert(Row(self))
    } catch {
      // The first error is the one to report.
      try? reset()
      throw error
    }
    try reset()
    return value
  }

  /// Copies of all rows.
  public func rows() throws -> [RowValues] { try query(.values) }

  @usableFromInline var movedByClosure: SQLiteError {
    unsafe handle == nil
      ? connection.closed
      : SQLiteError(
        .misuse, "The closure that received a row stepped or reset its statement", sql: sql)
  }
}

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
    SQLiteError(.range, "There is no column \(index); the row has \(columns.count)", sql: sql)
  }
}
