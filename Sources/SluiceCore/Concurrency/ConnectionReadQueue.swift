public import Dispatch

/// A read-only connection that any number of threads and tasks can use, one at a time.
///
/// With a WAL, any number of read queues can read while a ``ConnectionQueue`` writes, without waiting for each
/// other:
///
/// ```swift
/// var configuration = Configuration()
/// configuration.journalMode = .wal
/// let queue = try ConnectionQueue(path: "app.db", label: "app", configuration: configuration)
/// let readQueue = try ConnectionReadQueue(writeQueue: queue, label: "reader")
/// ```
///
/// Writing throws ``ResultCode/readOnly``. Outside a transaction, each statement sees the data that is committed
/// when the statement begins. In a read transaction, all statements see the database as it was when the transaction
/// began:
///
/// - ``readTransaction(deadline:_:)`` begins a transaction that lasts until its closure returns.
/// - ``Connection/beginReadTransaction()`` begins a transaction that lasts until you end it.
///   ``Connection/updateReadTransaction()`` advances such a transaction to the current state.
///
/// In all other respects, a read queue behaves like a ``ConnectionQueue``.
public final class ConnectionReadQueue: Sendable {
  @usableFromInline let serial: SerialConnection
  /// The connection of the queue that writes, if it is known.
  let writer: SerialConnection?

  /// Creates a queue that reads the database of `writeQueue`, with the same configuration.
  ///
  /// Throws ``ResultCode/misuse`` for an in-memory database, which is private to its connection. Throws
  /// ``ResultCode/cantOpen`` if the file was moved, deleted or replaced since `writeQueue` opened it.
  public convenience init(
    writeQueue: ConnectionQueue, label: String = "ConnectionReadQueue",
    qos: DispatchQoS = .unspecified, target: DispatchQueue? = nil
  ) throws {
    guard let location = writeQueue.location else {
      throw SQLiteError(
        .misuse, "The database is private to the connection of the write queue")
    }
    try self.init(location, label: label, qos: qos, target: target, writer: writeQueue.serial)
  }

  /// Creates a queue that reads the database file at `path`.
  public convenience init(
    path: String, label: String = "ConnectionReadQueue", qos: DispatchQoS = .unspecified,
    target: DispatchQueue? = nil, configuration: Configuration = Configuration()
  ) throws {
    try self.init(.path(path, configuration), label: label, qos: qos, target: target)
  }

  /// Creates a queue that reads the database that a URI filename identifies.
  public convenience init(
    uri: String, label: String = "ConnectionReadQueue", qos: DispatchQoS = .unspecified,
    target: DispatchQueue? = nil, configuration: Configuration = Configuration()
  ) throws {
    try self.init(.uri(uri, configuration), label: label, qos: qos, target: target)
  }

  private init(
    _ location: DatabaseLocation, label: String, qos: DispatchQoS, target: DispatchQueue?,
    writer: SerialConnection? = nil
  ) throws {
    self.writer = writer
    serial = SerialConnection(
      label: label, qos: qos, target: target, of: .readQueue, try location.openReader())
  }
}

extension ConnectionReadQueue {
  /// Calls `body` with the connection, and returns its result without blocking a thread.
  ///
  /// `body` runs in the task that awaits the call, with the task-local values, the priority and the cancellation of
  /// that task.
  ///
  /// If the task is cancelled before the call's turn, `body` does not run. If the task is cancelled while `body`
  /// runs, the current statement and all later statements throw ``ResultCode/interrupt``, and an open transaction
  /// is rolled back. In both cases, the call throws `CancellationError`, unless `body` has returned a value. The
  /// same applies when the `deadline` passes, except that the call throws ``DeadlineError``.
  @discardableResult
  public func perform<T: Sendable>(
    qos: DispatchQoS = .unspecified, deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await serial.perform(qos: qos, deadline: deadline, body)
  }

  /// Calls `body` with the connection on the calling thread, and returns its result.
  ///
  /// The call waits for earlier calls. In asynchronous code, use ``perform(qos:deadline:_:)``, which does not block
  /// a thread.
  @inlinable
  @available(*, noasync, message: "Use perform, which does not block the thread")
  @discardableResult
  public func sync<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try serial.sync(body)
  }

  /// Calls `body` with the connection on the calling thread, with a deadline, and returns its result.
  ///
  /// Throws ``DeadlineError`` if `body` has not returned by the `deadline`. The deadline applies while the call
  /// waits for earlier calls, and while `body` runs. If it passes while `body` runs, the current statement and all
  /// later statements throw ``ResultCode/interrupt``, and an open transaction is rolled back.
  @inlinable
  @available(*, noasync, message: "Use perform, which does not block the thread")
  @discardableResult
  public func sync<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try serial.sync(until: deadline, body)
  }

  /// Schedules a call of `body` with the connection, and calls `completion` with the result.
  ///
  /// Completion handlers are called in order, one after another, and may use the queue. The call belongs to `group`
  /// until its completion handler has returned. A ``ConnectionMonitor`` observes a failure even without a completion
  /// handler.
  public func async<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    serial.async(group: group, qos: qos, body, completion: completion)
  }
}

/// Read transactions, in which all statements see the same state of the database.
extension ConnectionReadQueue {
  /// Runs `body` in a read transaction on the calling thread, and returns its result.
  ///
  /// `body` sees the database as it is when the transaction begins. In ``syncRead(deadline:_:)``, in contrast, the
  /// first query determines the state. Inside a transaction that ``Connection/beginReadTransaction()`` began, `body`
  /// sees the state of that transaction.
  @available(*, noasync, message: "Use readTransaction, which does not block the thread")
  @discardableResult
  public func syncReadTransaction<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try serial.sync(until: deadline) { connection in try transactReading(&connection, body) }
  }

  /// Schedules `body` to run in a read transaction, and calls `completion` with the result.
  public func asyncReadTransaction<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    serial.async(
      group: group, qos: qos, { connection in try transactReading(&connection, body) },
      completion: completion)
  }

  /// Runs `body` in a read transaction, and returns its result without blocking a thread.
  @discardableResult
  public func readTransaction<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await serial.perform(deadline: deadline) { connection in
      try transactReading(&connection, body)
    }
  }
}

/// Reads that see a single state of the database, which their first query determines.
extension ConnectionReadQueue: DatabaseReader {
  /// Runs `body` in a read transaction, and returns its result without blocking a thread.
  ///
  /// All queries in `body` see the same state of the database, which the first query determines. Inside a
  /// transaction that ``Connection/beginReadTransaction()`` began, they see the state of that transaction. Writing
  /// throws ``ResultCode/readOnly``.
  @discardableResult
  public func read<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await serial.perform(deadline: deadline) { connection in
      try transactReadingLater(&connection, body)
    }
  }

  /// Runs `body` in a read transaction on the calling thread, and returns its result.
  ///
  /// Apart from blocking the thread, this method behaves like ``read(deadline:_:)``.
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try serial.sync(until: deadline) { connection in try transactReadingLater(&connection, body) }
  }

  /// Schedules `body` to run in a read transaction, and calls `completion` with the result.
  ///
  /// Apart from the completion handler, this method behaves like ``read(deadline:_:)``.
  public func asyncRead<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    serial.async(
      group: group, qos: qos, { connection in try transactReadingLater(&connection, body) },
      completion: completion)
  }
}
