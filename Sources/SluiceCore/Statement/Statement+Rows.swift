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

  /// What `transform` makes of each row.
  @inlinable
  public func map<T>(_ transform: (borrowing Row) throws -> T) throws -> [T] {
    var values: [T] = []
    try forEachRow { row in values.append(try transform(row)) }
    return values
  }

  /// What `converter` makes of each row.
  @inlinable
  public func query<T>(_ converter: RowConverter<T>) throws -> [T] {
    try map(converter.convert)
  }

  /// What `converter` makes of the first row, or nil if there is none; the others are not looked at.
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
      : SQLiteError(.misuse, "The closure that got a row has moved the statement", sql: sql)
  }
}
