import Synchronization

/// One statement of a queue that goes on from call to call, a batch of rows each.
///
/// The statement stays with the connection, and goes when it is at its end, when it fails, or when the
/// cursor goes.
final class RowCursor<Value: Sendable>: Sendable {
  let access: DatabaseAccess
  private let work: RowWork<Value>
  private let isStarted = Atomic(false)

  init(_ query: RowQuery<Value>, on access: DatabaseAccess) {
    self.access = access
    work = RowWork(query)
  }

  deinit {
    guard isStarted.load(ordering: .acquiring) else { return }
    let number = work.number
    switch access.source {
    case .line(let line), .guarded(let line):
      line.async {
        _ = $0.cursors.removeValue(forKey: number)
      } result: { _ in
      }
    case .pool(let pool): pool.evict(number)
    }
  }

  typealias Batch = RowWork<Value>.Batch

  /// Reads the next rows by a job, and hands on what becomes of them, and whether they were the last.
  typealias Start = @Sendable (Job, @escaping @Sendable (Result<Batch, any Error>) -> Void) -> Void

  /// Reads the next rows when it is called.
  ///
  /// On a queue it does not keep the cursor, which has to be gone when its owner lets go of it, and not when the queue or a
  /// task has forgotten this closure.
  func start(_ limit: Int) -> Start {
    isStarted.store(true, ordering: .releasing)
    let body = { @Sendable [work] (connection: inout sending Connection) in
      try work.batch(limit, connection)
    }
    guard case .pool(let pool) = access.source else {
      return { [access] job, result in access.start(job, body, result: result) }
    }
    return { [self] job, result in
      if let line = pool.line(of: work.number) {
        line.start(job, body) { [self] outcome in
          if case .success((_, true)) = outcome { pool.endStay(of: work.number) }
          result(outcome)
        }
      } else {
        // As long as it runs, the reader has not been kept, and there is nothing yet that could be evicted.
        pool.start(job, body) { [self] line, outcome in
          if case .success((_, false)) = outcome {
            pool.keep(line, for: work.number)
          } else {
            false
          }
        } result: {
          result($0)
        }
      }
    }
  }
}

/// What a cursor does on its connection.
final class RowWork<Value: Sendable>: Sendable {
  let number = cursorCount.add(1, ordering: .relaxed).newValue
  private let isBegun = Atomic(false)
  private let query: RowQuery<Value>
  /// What was read, and nobody has asked for yet.
  private let rest = Locked<Rest?>(nil)

  /// Values, and what comes after the last of them: the end, unless there is an error.
  private struct Rest {
    var values: ArraySlice<Value>
    let error: (any Error)?
  }

  typealias Batch = (values: [Value], isLast: Bool)

  init(_ query: RowQuery<Value>) { self.query = query }

  func batch(_ limit: Int, _ connection: Connection) throws -> Batch {
    if let rest = try takeRest(limit) { return rest }
    let statement = try statement(connection)
    // What writes is not left half way: it has done all before its first row, and ends with its last.
    let isWhole = try !statement.isReadOnly
    var values: [Value] = []
    do {
      while isWhole || values.count < max(1, limit) {
        guard let row = try statement.step() else {
          drop(connection)
          guard isWhole else { return (values, true) }
          return try leaveRest(values, nil, limit)
        }
        values.append(try query.convert(row))
      }
    } catch {
      drop(connection)
      // An interruption is of this call, and of no row.
      if case SQLiteError.interrupt = error { throw error }
      return try leaveRest(values, error, limit)
    }
    return (values, false)
  }

  /// Keeps what was read before the end, and takes the first of it.
  private func leaveRest(_ values: [Value], _ error: (any Error)?, _ limit: Int) throws -> Batch {
    rest.withLock { $0 = Rest(values: values[...], error: error) }
    return try takeRest(limit) ?? (values, true)
  }

  /// The next of the rows that were read already, or nil if none were; their error comes after them.
  private func takeRest(_ limit: Int) throws -> Batch? {
    try rest.withLock { rest in
      guard let all = rest else { return nil }
      if let error = all.error, all.values.isEmpty { throw error }
      let values = Array(all.values.prefix(limit))
      rest?.values = all.values.dropFirst(limit)
      return (values, all.error == nil && values.count == all.values.count)
    }
  }

  private func drop(_ connection: Connection) {
    _ = connection.cursors.removeValue(forKey: number)
  }

  private func statement(_ connection: Connection) throws -> Statement {
    if let statement = connection.cursors[number] { return statement }
    guard !isBegun.exchange(true, ordering: .acquiringAndReleasing) else {
      throw SQLiteError(
        .interrupt, "The stream has ended: its queue was suspended, or its pool closed",
        sql: query.sql)
    }
    let statement = try connection.prepare(sql: query.sql)
    try query.bind(statement)
    connection.cursors[number] = statement
    return statement
  }
}

private let cursorCount = Atomic<UInt64>(0)

/// A statement, its values, and what its rows become.
struct RowQuery<Value: Sendable>: Sendable {
  let sql: String
  let bind: @Sendable (Statement) throws -> Void
  let convert: @Sendable (borrowing Row) throws -> Value
}
