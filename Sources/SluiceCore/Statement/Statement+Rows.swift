import CSluice

/// Methods that restart a statement, whatever its state, and read its rows.
extension Statement {
  /// Calls `body` with each row, and then resets the statement, even if `body` throws.
  ///
  /// A row is valid only inside the closure.
  ///
  /// - Throws: ``ResultCode/misuse`` if `body` steps or resets the statement; any error that `body` throws.
  @inlinable @inline(__always)
  public func forEachRow(_ body: (borrowing Row) throws -> Void) throws {
    try beginUse()
    defer { endUse() }
    guard try startAnew() else { return }
    do {
      var row = Row(self)
      repeat {
        row.generation = currentRow.position
        try body(row)
        guard row.generation == currentRow.position else { throw movedByClosure }
      } while try advance()
    } catch {
      // A failed reset is ignored, because the first error is the one to report.
      try? stop()
      throw error
    }
  }

  /// Returns the results of calling `transform` with each row.
  @inlinable
  public func map<T>(_ transform: (borrowing Row) throws -> T) throws -> [T] {
    var values: [T] = []
    try forEachRow { row in values.append(try transform(row)) }
    return values
  }

  /// Returns all rows, as converted by `converter`.
  @inlinable
  public func query<T>(_ converter: RowConverter<T>) throws -> [T] {
    try map(converter.convert)
  }

  /// Returns the converted first row, or nil if there are no rows; does not read the other rows.
  @inlinable
  public func first<T>(_ converter: RowConverter<T>) throws -> T? {
    try beginUse()
    defer { endUse() }
    return try firstDuringUse(converter)
  }

  /// Performs `first` as a part of a use of the connection.
  @inlinable
  func firstDuringUse<T>(_ converter: RowConverter<T>) throws -> T? {
    guard try startAnew() else { return nil }
    let value: T
    do {
      value = try converter.convert(Row(self))
    } catch {
      // A failed reset is ignored, because the first error is the one to report.
      try? stop()
      throw error
    }
    try stop()
    return value
  }

  /// Returns copies of all rows.
  public func rows() throws -> [RowValues] { try query(.values) }

  @usableFromInline
  func beginUse() throws { try state.beginUse() }

  @usableFromInline
  func endUse() { state.endUse() }

  @usableFromInline var movedByClosure: SQLiteError {
    unsafe handle == nil
      ? connection.closed
      : SQLiteError(
        .misuse, "The closure that received a row stepped or reset its statement", sql: sql)
  }
}

extension Statement {
  /// The number of columns in each row.
  ///
  /// The number is 0 for a statement that returns no rows, and once the connection is closed. If the connection
  /// belongs to a queue, the number is also 0 outside the closure that receives the connection.
  ///
  /// The corresponding C function is `sqlite3_column_count`.
  public var columnCount: Int { unsafe handle == nil || state.isStranger ? 0 : currentRow.width }

  /// The names of the columns in order, which may contain duplicates.
  ///
  /// After a schema change, the names are outdated until the statement is next stepped. The array is empty once
  /// the connection is closed. If the connection belongs to a queue, the array is also empty outside the closure
  /// that receives the connection.
  ///
  /// The corresponding C function is `sqlite3_column_name`.
  public var columnNames: [String] {
    guard let handle = unsafe handle, !state.isStranger else { return [] }
    return unsafe resultColumns.names(of: handle)
  }

  /// Returns the index of the first column with this name, for reading the column in many rows.
  ///
  /// ```swift
  /// let length = try query.index(named: "length")
  /// var total = 0
  /// try query.forEachRow { row in total += try row.get(.int, at: length) }
  /// ```
  ///
  /// After a schema change, the index can be different once the statement is next stepped.
  public func index(named name: String) throws -> Int {
    let handle = try unsafe openHandle()
    guard let index = unsafe resultColumns.index(named: name, of: handle) else {
      throw noColumn(name)
    }
    return index
  }

  func noColumn(_ name: String) -> SQLiteError {
    SQLiteError(.range, "There is no column named \"\(name)\"", sql: sql)
  }

  func noColumn(_ index: Int) -> SQLiteError {
    SQLiteError(
      .range, "There is no column at index \(index); the row has \(resultColumns.count) columns",
      sql: sql
    )
  }
}
