import Dispatch
import Synchronization

/// Rows of a queue that come as they are asked for.
///
/// ```swift
/// for try await event in readQueue.rows(.titled, sql: "SELECT id, title FROM event") {
///   print(event.title)
///   if event.title == "Analytical Engine" { break }
/// }
/// ```
///
/// They are read in batches, of which there is one in memory at a time, and the queue is free between
/// them. The statement ends with its last row, and when the iterator goes, be it by `break`: what is
/// called on the queue after that finds it gone. If the task is cancelled, `CancellationError` is thrown. The
/// rows before one that fails come before its error.
///
/// Until then its connection reads the database as it was when the stream began, but for what that connection
/// writes itself. So what else a ``ConnectionReadQueue`` reads meanwhile is of that time as well; and a queue that writes
/// can find that another connection has written, with ``ResultCode/busySnapshot``, and cannot drop a table, make
/// a checkpoint or run `VACUUM`. If it rolls back a change of the schema, the stream ends with
/// ``ResultCode/abortRollback``. Long streams are for a ``ConnectionPool``, or for a read queue of their own. In a
/// pool, a stream has one of the readers for as long as it goes on; when the pool closes, it ends. A queue or pool
/// that is suspended ends it with ``ResultCode/interrupt``.
public struct RowStream<Element: Sendable>: AsyncSequence, Sendable {
  let query: RowQuery<Element>
  let access: Result<DatabaseAccess, any Error>

  /// Begins at the first row.
  public func makeAsyncIterator() -> Iterator {
    Iterator(cursor: access.map { RowCursor(query, on: $0) })
  }

  /// The state between two rows.
  public struct Iterator: AsyncIteratorProtocol {
    /// Nil after the end.
    private var cursor: RowCursor<Element>?
    /// The error of a database that has no streams, until it is thrown.
    private var failure: (any Error)?
    private var values: [Element] = []
    private var position = 0
    private var limit = 16

    init(cursor: Result<RowCursor<Element>, any Error>) {
      switch cursor {
      case .success(let cursor): self.cursor = cursor
      case .failure(let failure): self.failure = failure
      }
    }

    /// Returns the next converted row, or nil at the end.
    public mutating func next() async throws -> Element? {
      do {
        try Task.checkCancellation()
        if let failure = failure.take() { throw failure }
        if position == values.count { try await readOn() }
      } catch {
        cursor = nil
        values = []
        position = 0
        throw error
      }
      guard position < values.count else { return nil }
      defer { position += 1 }
      return values[position]
    }

    private mutating func readOn() async throws {
      guard let cursor else { return }
      let limit = limit
      // The old ones go first: of two batches, one would be waste.
      values = []
      position = 0
      let (batch, isLast) = try await Job.result(of: cursor.start(limit))
      values = batch
      if isLast { self.cursor = nil }
      self.limit = Swift.min(limit * 2, 512)
    }
  }
}

extension DatabaseReader {
  /// The values that `converter` makes of the rows of one statement, as they are asked for.
  ///
  /// `parameters` are the values by position.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  public func rows<
    T: Sendable, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable,
    F: SQLBindable
  >(
    _ converter: RowConverter<T>, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) -> RowStream<T> {
    rows(converter, sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// The values that `converter` makes of the rows of one statement, as they are asked for.
  ///
  /// `parameters` are the values by position or by name.
  public func rows<T: Sendable>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) -> RowStream<T> {
    stream(converter, sql: sql) { try $0.bind(parameters) }
  }

  /// The values that `converter` makes of the rows of a literal, as they are asked for.
  public func rows<T: Sendable>(_ converter: RowConverter<T>, _ sql: SQL) -> RowStream<T> {
    rows(converter, sql: sql.text, parameters: SQLParameters(sql.parameters))
  }

  private func stream<T: Sendable>(
    _ converter: RowConverter<T>, sql: String,
    _ bind: @escaping @Sendable (Statement) throws -> Void
  ) -> RowStream<T> {
    let query = RowQuery(sql: sql, bind: bind, convert: converter.convert)
    return RowStream(query: query, access: Result { try observableAccess })
  }
}

/// One statement of a queue that goes on from call to call, a batch of rows each.
///
/// The statement leases with the connection, and goes when it is at its end, when it fails, or when the
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
    case .serial(let serial), .guarded(let serial):
      serial.async {
        _ = $0.cursors.removeValue(forKey: number)
      } result: { _ in
      }
    case .pool(let pool): pool.cancelLease(of: number)
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
      if let serial = pool.leasedConnection(to: work.number) {
        serial.start(job, body) { [self] outcome in
          if case .success((_, true)) = outcome { pool.endLease(of: work.number) }
          result(outcome)
        }
      } else {
        // As long as it runs, the reader has no lease that could be cancelled.
        pool.start(job, body) { [self] serial, outcome in
          if case .success((_, false)) = outcome {
            pool.lease(serial, to: work.number)
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

/// The work of a cursor on its connection.
final class RowWork<Value: Sendable>: Sendable {
  let number = cursorCount.add(1, ordering: .relaxed).newValue
  private let isBegun = Atomic(false)
  private let query: RowQuery<Value>
  /// The rows that were read before anybody asked for them.
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

/// The rows of a statement on a queue, before it is said what they become.
public struct QueueRowPublisher: Sendable {
  let access: Result<DatabaseAccess, any Error>
  let sql: String
  let bind: @Sendable (Statement) throws -> Void

  /// Publishes what `converter` makes of each row.
  public func mapRows<T: Sendable>(_ converter: RowConverter<T>) -> ValuePublisher<T> {
    let query = RowQuery(sql: sql, bind: bind, convert: converter.convert)
    let access: DatabaseAccess
    do { access = try self.access.get() } catch { return .failing(error) }
    return ValuePublisher { subscriber in
      let cursor = Locked<RowCursor<T>?>(RowCursor(query, on: access))
      let current = CurrentJob()
      SubscriptionState(subscriber) {
        cursor.withLock { $0 = nil }
        current.stop()
      } resume: { delivery in
        guard delivery.begin(), let job = current.begin() else { return }
        cursor.withLock { $0 }?.deliver(to: delivery, job)
      }.start()
    }
  }
}

extension RowCursor {
  /// Delivers as many values as are wanted, a batch at a time.
  fileprivate func deliver(to delivery: SubscriptionState<Value>, _ job: Job) {
    start(min(delivery.wanted, 256))(job) { [access] result in
      access.afterCompletions {
        do {
          let (values, isLast) = try result.get()
          for value in values where !delivery.deliver(value) { break }
          if isLast { return delivery.finish(.finished) }
          delivery.pause()
        } catch { delivery.finish(.failure(error)) }
      }
    }
  }
}

extension DatabaseReader {
  /// The rows of one statement, to whoever subscribes.
  ///
  /// ```swift
  /// let titles = queue.rowPublisher(sql: "SELECT title FROM event WHERE id > ?1") {
  ///   try $0.bind(.int(0), toParameter: 1)
  /// }.mapRows(.column(.string))
  /// ```
  ///
  /// `bind` binds what the statement needs. Each subscription has a statement of its own, which runs only
  /// as far as values are asked for, and ends as that of ``RowStream`` does.
  public func rowPublisher(
    sql: String, bind: @escaping @Sendable (_ statement: Statement) throws -> Void = { _ in }
  ) -> QueueRowPublisher {
    QueueRowPublisher(access: Result { try observableAccess }, sql: sql, bind: bind)
  }

  /// The rows of one statement with values, to whoever subscribes.
  public func rowPublisher(_ sql: SQL) -> QueueRowPublisher {
    rowPublisher(sql: sql.text) { try $0.bind(SQLParameters(sql.parameters)) }
  }
}
