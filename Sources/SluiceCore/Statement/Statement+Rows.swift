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

// Statements after which more has to be done than to end them.
extension Statement {
  /// Whether a statement changes the names of tables, or begins or ends a savepoint.
  static func hasAftermath(_ sql: String, isWriter: Bool, columnCount: Int) -> Bool {
    if isWriter { return StatementCache.changesNames(sql) }
    return columnCount == 0 && SavepointStep.mayBe(in: sql)
  }

  /// Takes note of other names of tables, or of a savepoint that has begun or ended.
  @inline(never)
  func settleAftermath(isWriter: Bool) {
    if isWriter {
      connection.expireStatements()
      state.transactionWatch?.forgetNames()
    } else if let step = SavepointStep(sql: sql) {
      connection.transactionWatch.apply(step)
    }
  }
}

/// On the way into the cache, where a statement brings along nothing of whoever used it.
extension Statement {
  /// Prepares for the time in the cache; false if that is not possible.
  @inline(__always)
  func sleep() -> Bool {
    guard let handle = unsafe handle, progress != .atRow, isIdle else {
      return false
    }
    if parameters.count > 0 {
      unsafe sqlite3_clear_bindings(handle)
      parameters.clear()
      if state.hasReleased { state.drain() }
      // What has been let go of may have changed what names mean, or closed the connection.
      guard isForCache, unsafe self.handle != nil else { return false }
    }
    if progress != .ready { progress = .ready }
    return true
  }

  /// Sees to it that it does not come into the cache, or back there.
  func expire() {
    isForCache = false
    shedsAttachment = false
  }

  /// Sees to it that the cache does not keep what is attached now.
  package func willShedAttachment() {
    guard isForCache else { return }
    isForCache = false
    shedsAttachment = true
  }

  /// Lets go of what is attached; whether the statement goes to the cache then.
  @inline(never)
  func shedAttachment() -> Bool {
    guard shedsAttachment else { return false }
    shedsAttachment = false
    isForCache = true
    // What goes with it can do anything, also expire the statement.
    attachment = nil
    return isForCache
  }
}
