import Dispatch
import Synchronization

/// An asynchronous sequence of the rows of a statement, which are read on demand.
///
/// ```swift
/// for try await event in readQueue.rows(.titled, sql: "SELECT id, title FROM event") {
///   print(event.title)
///   if event.title == "Analytical Engine" { break }
/// }
/// ```
///
/// The stream reads rows in batches, with one batch in memory at a time. Between batches, the queue can serve other
/// calls. Only a statement that writes runs to its end in one call, and all its rows are then in memory. The statement
/// ends after its last row, or when the iterator is released, for example by `break`. A call to the queue after that
/// release waits until the statement has ended. If the task is cancelled, the stream throws `CancellationError`. If
/// reading a row fails, the stream returns the rows before that row, and then throws the error.
///
/// Until the statement ends, its connection sees the database as it was when the stream began, together with the
/// connection's own later changes. This has consequences for other calls to the queue:
///
/// - Other reads of a ``ConnectionReadQueue`` see the same state.
/// - Writes of a ``ConnectionQueue`` can throw ``ResultCode/busySnapshot`` if another connection has written. The
///   queue cannot drop a table, run a checkpoint or run `VACUUM`. If it rolls back a schema change, the stream
///   throws ``ResultCode/abortRollback``.
///
/// For long streams, use a ``ConnectionPool`` or a separate read queue. In a pool, a stream occupies one of the
/// readers until the stream ends. A stream ends when its pool closes. If the queue or pool is suspended, the stream
/// throws ``ResultCode/interrupt``.
public struct RowStream<Element: Sendable>: AsyncSequence, Sendable {
  let query: RowQuery<Element>
  let access: Result<DatabaseAccess, any Error>

  /// Creates an iterator that begins at the first row.
  public func makeAsyncIterator() -> Iterator {
    Iterator(cursor: access.map { RowCursor(query, on: $0) })
  }

  /// The iterator of a row stream.
  public struct Iterator: AsyncIteratorProtocol {
    /// The cursor; nil after the end.
    private var cursor: RowCursor<Element>?
    /// The error of a database that does not support streams; nil once it has been thrown.
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
      // The old batch is released first, so that two batches are never in memory at the same time.
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
  /// Returns a stream that reads the rows of a statement on demand, converted by `converter`.
  ///
  /// The values in `parameters` are bound by position.
  @_disfavoredOverload  // An array literal is a list of values, not the bytes of a blob.
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

  /// Returns a stream that reads the rows of a statement on demand, converted by `converter`.
  ///
  /// The values in `parameters` are bound by position or by name.
  public func rows<T: Sendable>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) -> RowStream<T> {
    stream(converter, sql: sql) { try $0.prepare(sql: sql).bind(parameters) }
  }

  /// Returns a stream that reads the rows of an SQL literal on demand, converted by `converter`.
  public func rows<T: Sendable>(_ converter: RowConverter<T>, _ sql: SQL) -> RowStream<T> {
    rows(converter, sql: sql.text, parameters: SQLParameters(sql.parameters))
  }

  /// Returns a stream that reads the rows of the SQL that a closure returns on the stream's connection.
  package func rows<T: Sendable>(
    _ converter: RowConverter<T>, making sql: @escaping @Sendable (Connection) throws -> SQL
  ) -> RowStream<T> {
    stream(converter, sql: nil) { try $0.prepare(sql($0)) }
  }

  private func stream<T: Sendable>(
    _ converter: RowConverter<T>, sql: String?,
    _ prepare: @escaping @Sendable (Connection) throws -> Statement
  ) -> RowStream<T> {
    let query = RowQuery(sql: sql, prepare: prepare, convert: converter.convert)
    return RowStream(query: query, access: Result { try observableAccess })
  }
}

/// A statement that continues across calls to a queue, with one batch of rows per call.
///
/// The connection retains the statement until the statement ends or fails, or the cursor is released.
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
        _ = $0.dependents.removeStream(number)
      } result: { _ in
      }
    case .pool(let pool): pool.cancelLease(of: number)
    }
  }

  typealias Batch = RowWork<Value>.Batch

  /// A closure that reads the next rows in a given job, and calls its second argument with the result.
  ///
  /// The result states whether these rows are the last.
  typealias Start = @Sendable (Job, @escaping @Sendable (Result<Batch, any Error>) -> Void) -> Void

  /// Returns a closure that reads the next rows.
  ///
  /// On a queue, the closure does not retain the cursor: the cursor must be released by its owner, not later by the
  /// queue or a task that still retains the closure.
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
        // The closure retains the cursor, because a reader in use has no lease yet that `deinit` could cancel.
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

/// The work of a cursor on the connection that runs its statement.
final class RowWork<Value: Sendable>: Sendable {
  let number = cursorCount.add(1, ordering: .relaxed).newValue
  private let isBegun = Atomic(false)
  private let query: RowQuery<Value>
  /// The rows that were read before they were requested.
  private let rest = Locked<Rest?>(nil)

  /// The remaining values, and the error that follows them, which is nil if the rows end there.
  private struct Rest {
    var values: ArraySlice<Value>
    let error: (any Error)?
  }

  typealias Batch = (values: [Value], isLast: Bool)

  init(_ query: RowQuery<Value>) { self.query = query }

  func batch(_ limit: Int, _ connection: Connection) throws -> Batch {
    if let rest = try takeRest(limit) { return rest }
    let statement = try statement(connection)
    // A statement that writes makes all its changes before its first row, but does not end before its last row, so
    // all its rows are read at once.
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
      // An interrupt concerns this call, not a row, so it is not stored for a later call.
      if case SQLiteError.interrupt = error { throw error }
      return try leaveRest(values, error, limit)
    }
    return (values, false)
  }

  /// Stores the rows that were read up to the end or an error, and returns the first batch of them.
  private func leaveRest(_ values: [Value], _ error: (any Error)?, _ limit: Int) throws -> Batch {
    rest.withLock { $0 = Rest(values: values[...], error: error) }
    return try takeRest(limit) ?? (values, true)
  }

  /// Returns the next of the stored rows, or nil if none were stored.
  ///
  /// Throws the stored error after the last of these rows.
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
    _ = connection.dependents.removeStream(number)
  }

  private func statement(_ connection: Connection) throws -> Statement {
    if let statement = connection.dependents.statement(ofStream: number) { return statement }
    guard !isBegun.exchange(true, ordering: .acquiringAndReleasing) else {
      throw SQLiteError(
        .interrupt, "The stream has ended: its queue was suspended, or its pool closed",
        sql: query.sql)
    }
    let statement = try query.prepare(connection)
    connection.dependents.add(statement, ofStream: number)
    return statement
  }
}

private let cursorCount = Atomic<UInt64>(0)

/// The statement of a query, and the conversion of its rows.
struct RowQuery<Value: Sendable>: Sendable {
  /// The SQL; nil if it is known only when the statement is prepared.
  let sql: String?
  /// Prepares the statement and binds its values.
  let prepare: @Sendable (Connection) throws -> Statement
  let convert: @Sendable (borrowing Row) throws -> Value
}

/// The rows of a statement, before a converter converts them to values.
public struct QueueRowPublisher: Sendable {
  let access: Result<DatabaseAccess, any Error>
  let sql: String
  let bind: @Sendable (Statement) throws -> Void

  /// Returns a publisher of the values that `converter` creates from the rows.
  public func mapRows<T: Sendable>(_ converter: RowConverter<T>) -> ValuePublisher<T> {
    let query = RowQuery(
      sql: sql,
      prepare: { [sql, bind] connection in
        let statement = try connection.prepare(sql: sql)
        try bind(statement)
        return statement
      }, convert: converter.convert)
    let access: DatabaseAccess
    do { access = try self.access.get() } catch { return .failing(error) }
    let publisher = ValuePublisher<T> { subscriber in
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
    return publisher.waiting(for: access)
  }
}

extension RowCursor {
  /// Delivers one batch of values, up to the subscriber's demand.
  fileprivate func deliver(to delivery: SubscriptionState, _ job: Job) {
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
  /// Returns the rows of a statement, for publication to subscribers.
  ///
  /// ```swift
  /// let titles = queue.rowPublisher(sql: "SELECT title FROM event WHERE id > ?1") {
  ///   try $0.bind(.int(0), toParameter: 1)
  /// }.mapRows(.column(.string))
  /// ```
  ///
  /// `bind` binds the parameters of the statement. Each subscription has its own statement, which produces only as
  /// many rows as the subscriber demands, and ends like the statement of a ``RowStream``.
  public func rowPublisher(
    sql: String, bind: @escaping @Sendable (_ statement: Statement) throws -> Void = { _ in }
  ) -> QueueRowPublisher {
    QueueRowPublisher(access: Result { try observableAccess }, sql: sql, bind: bind)
  }

  /// Returns the rows of an SQL literal, for publication to subscribers.
  public func rowPublisher(_ sql: SQL) -> QueueRowPublisher {
    rowPublisher(sql: sql.text) { try $0.bind(SQLParameters(sql.parameters)) }
  }
}
