public import Dispatch

/// A connection for reading that any number of threads and tasks use, one at a time.
///
/// With a WAL, any number of read queues read while one ``ConnectionQueue`` writes, and neither
/// waits for the other:
///
/// ```swift
/// var configuration = Configuration()
/// configuration.journalMode = .wal
/// let queue = try ConnectionQueue(path: "app.db", label: "app", configuration: configuration)
/// let readQueue = try ConnectionReadQueue(writeQueue: queue, label: "reader")
/// ```
///
/// Writing throws ``ResultCode/readOnly``. By itself each statement sees what is committed when it
/// begins. In a read transaction, all of them see the database as it was when that began:
/// ``readTransaction(deadline:_:)`` for the time of a closure, and ``Connection/beginReadTransaction()`` until
/// it is ended, with ``Connection/updateReadTransaction()`` to move on to the present.
///
/// For all else it is like ``ConnectionQueue``.
public final class ConnectionReadQueue: Sendable {
  @usableFromInline let serial: SerialConnection
  /// The connection of the queue that writes, if that is known.
  let writer: SerialConnection?

  /// Makes a queue that reads the database to which `writeQueue` writes, set up as that is.
  ///
  /// A database in memory belongs to its connection alone, so this throws ``ResultCode/misuse``
  /// for one. If the file was moved, deleted or replaced since `writeQueue` opened it, it throws
  /// ``ResultCode/cantOpen``.
  public convenience init(
    writeQueue: ConnectionQueue, label: String = "ConnectionReadQueue",
    qos: DispatchQoS = .unspecified, target: DispatchQueue? = nil
  ) throws {
    guard let location = writeQueue.location else {
      throw SQLiteError(
        .misuse, "The database is in memory and private to the connection of the write queue")
    }
    try self.init(location, label: label, qos: qos, target: target, writer: writeQueue.serial)
  }

  /// Makes a queue that reads the database file at `path`.
  public convenience init(
    path: String, label: String = "ConnectionReadQueue", qos: DispatchQoS = .unspecified,
    target: DispatchQueue? = nil, configuration: Configuration = Configuration()
  ) throws {
    try self.init(.path(path, configuration), label: label, qos: qos, target: target)
  }

  /// Makes a queue that reads the database that a URI means.
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
      label: label, qos: qos, target: target, keepsTransactions: true, try location.openReader())
  }
}

extension ConnectionReadQueue {
  /// Lends the connection to `body`, and returns its value; the task waits without blocking a thread.
  ///
  /// `body` runs in the task that awaits it, and sees its task-local values, its priority and its cancellation.
  ///
  /// If the task is cancelled before its turn, `body` does not run. While it runs, its statement is interrupted
  /// with ``ResultCode/interrupt``, as is each further one, and what it has left open is rolled back. Both times
  /// `CancellationError` is thrown, unless `body` has returned a value. When the `deadline` passes it is the
  /// same, with ``DeadlineError``.
  @discardableResult
  public func perform<T: Sendable>(
    qos: DispatchQoS = .unspecified, deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await serial.perform(qos: qos, deadline: deadline, body)
  }

  /// Lends the connection to `body` on the calling thread, and returns its value.
  ///
  /// It waits for earlier calls. Asynchronous code uses ``perform(qos:deadline:_:)``, which does not
  /// block a thread.
  @inlinable
  @available(*, noasync, message: "Use perform, which does not block the thread")
  @discardableResult
  public func sync<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try serial.sync(body)
  }

  /// Lends the connection to `body` on the calling thread, and throws ``DeadlineError`` if it has not returned
  /// by the `deadline`.
  ///
  /// The deadline holds while the call waits for earlier calls, and while `body` runs: its statement is
  /// interrupted with ``ResultCode/interrupt``, as is each further one, and an open transaction is rolled back.
  @inlinable
  @available(*, noasync, message: "Use perform, which does not block the thread")
  @discardableResult
  public func sync<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try serial.sync(until: deadline, body)
  }

  /// Lends the connection to `body` later, and calls `completion` with the result.
  ///
  /// Completions are called in order, one after another, and may use the queue. The call is part of
  /// `group` until its completion has returned. A ``ConnectionMonitor`` sees an error also without a completion.
  public func async<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    serial.async(group: group, qos: qos, body, completion: completion)
  }
}

/// Read transactions: several statements that see one state of the database.
extension ConnectionReadQueue {
  /// Runs `body` in a read transaction on the calling thread, and returns its value.
  ///
  /// Its state is that of the beginning, whereas the first query decides in ``syncRead(deadline:_:)``.
  /// It sees the database as it is now, or, inside a transaction that
  /// ``Connection/beginReadTransaction()`` began, as it was then.
  @available(*, noasync, message: "Use readTransaction, which does not block the thread")
  @discardableResult
  public func syncReadTransaction<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try serial.sync(until: deadline) { connection in try transactReading(&connection, body) }
  }

  /// Runs `body` in a read transaction later, and calls `completion` with what came of it.
  public func asyncReadTransaction<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    serial.async(
      group: group, qos: qos, { connection in try transactReading(&connection, body) },
      completion: completion)
  }

  /// Runs `body` in a read transaction; the task waits, no thread does.
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

/// Reads that see the state of the database that their first query finds.
extension ConnectionReadQueue: DatabaseReader {
  /// Runs `body` in a read transaction, and returns its value; the task waits without blocking a thread.
  ///
  /// All queries of `body` see the state of the database that the first query finds, or, inside a transaction that
  /// ``Connection/beginReadTransaction()`` began, the state of that transaction. Writing throws
  /// ``ResultCode/readOnly``.
  @discardableResult
  public func read<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await serial.perform(deadline: deadline) { connection in
      try transactReadingLater(&connection, body)
    }
  }

  /// Runs `body` in a read transaction on the calling thread, and returns its value.
  ///
  /// In all else it is like ``read(deadline:_:)``.
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try serial.sync(until: deadline) { connection in try transactReadingLater(&connection, body) }
  }

  /// Runs `body` in a read transaction later, and calls `completion` with the result.
  ///
  /// In all else it is like ``read(deadline:_:)``.
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
