public import Dispatch

/// A connection that any number of threads and tasks can use, one at a time.
///
/// ```swift
/// let queue = try ConnectionQueue(path: "app.db", label: "app")
/// try queue.sync { connection in
///   try connection.execute(sql: "CREATE TABLE IF NOT EXISTS t1(a,b)")
/// }
/// ```
///
/// Asynchronous code uses `await`, which does not block a thread:
///
/// ```swift
/// let count = try await queue.perform { connection in
///   try connection.first(.column(.int), sql: "SELECT count(*) FROM t1")
/// }
/// ```
///
/// Calls run in the order in which they are made, even if some are synchronous and others are asynchronous. A
/// closure only borrows the connection: the compiler ensures that nothing that belongs to the connection is
/// returned or stored. Convert rows to values inside the closure.
///
/// A closure that begins a transaction must end it. Otherwise, the transaction is rolled back, and the call throws
/// ``ResultCode/misuse``. A call from inside a closure of the same queue also throws ``ResultCode/misuse``: use the
/// connection that the closure borrows. Two queues whose closures wait for each other wait forever.
///
/// The connection closes when you call ``DatabaseReader/close(_:)``, or when the last reference to the queue is released.
public final class ConnectionQueue: Sendable {
  @usableFromInline let serial: SerialConnection
  /// The location for other connections to the same database, if it is known.
  let location: DatabaseLocation?

  /// Creates a queue for an in-memory database.
  ///
  /// `label`, `qos` and `target` configure the dispatch queue that runs the asynchronous calls. Code that runs on
  /// `target` must not call ``sync(_:)``, which would deadlock.
  public init(
    label: String = "ConnectionQueue", qos: DispatchQoS = .unspecified,
    target: DispatchQueue? = nil, configuration: Configuration = Configuration()
  ) throws {
    let connection = try Connection(configuration: configuration.ownedByQueue)
    location = nil
    serial = SerialConnection(label: label, qos: qos, target: target, connection)
  }

  /// Creates a queue for the database file at `path`.
  ///
  /// See ``Connection/init(path:readOnly:create:configuration:)``.
  public init(
    path: String, create: Bool = true, label: String = "ConnectionQueue",
    qos: DispatchQoS = .unspecified, target: DispatchQueue? = nil,
    configuration: Configuration = Configuration()
  ) throws {
    let connection = try Connection(
      path: path, create: create, configuration: configuration.ownedByQueue)
    location = DatabaseLocation(of: connection, configuration)
    serial = SerialConnection(label: label, qos: qos, target: target, connection)
  }

  /// Creates a queue for the database that a URI filename identifies.
  ///
  /// See ``Connection/init(uri:readOnly:create:configuration:)``.
  public init(
    uri: String, create: Bool = true, label: String = "ConnectionQueue",
    qos: DispatchQoS = .unspecified, target: DispatchQueue? = nil,
    configuration: Configuration = Configuration()
  ) throws {
    let connection = try Connection(
      uri: uri, create: create, configuration: configuration.ownedByQueue)
    location = DatabaseLocation(of: connection, openedBy: uri, configuration)
    serial = SerialConnection(label: label, qos: qos, target: target, connection)
  }

  /// Creates a queue for the connection that `open` returns, such as a connection to a temporary database.
  public init(
    label: String = "ConnectionQueue", qos: DispatchQoS = .unspecified,
    target: DispatchQueue? = nil, opening open: () throws -> sending Connection
  ) throws {
    let connection = try open()
    location = nil
    serial = SerialConnection(label: label, qos: qos, target: target, connection)
  }
}

extension ConnectionQueue: DatabaseWriter {
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

/// Read-only accesses.
extension ConnectionQueue {
  /// Runs `body` in a read transaction, and returns its result without blocking a thread.
  ///
  /// All queries in `body` see the same state of the database, which the first query determines. Writing throws
  /// ``ResultCode/readOnly``, even to temporary tables. In all other respects, this method behaves like
  /// ``perform(qos:deadline:_:)``.
  @discardableResult
  public func read<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await serial.perform(deadline: deadline) { connection in
      try transactGuarded(&connection, body)
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
    try serial.sync(until: deadline) { connection in try transactGuarded(&connection, body) }
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
      group: group, qos: qos, { connection in try transactGuarded(&connection, body) },
      completion: completion)
  }
}

/// Closing and suspending a queue.
extension ConnectionQueue {
  /// Closes the connection on the calling thread.
  ///
  /// Closing runs the checkpoint and the optimization that ``Configuration/checkpointsAutomatically`` and
  /// ``Configuration/optimizesOnClose`` request. Later calls throw ``ResultCode/misuseClosed``; `mode` determines how
  /// earlier calls are treated. While the queue is suspended, ``CloseMode/drain`` throws ``ResultCode/misuse`` and closes
  /// nothing. See ``Connection/close()``.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws {
    try serial.close(mode, checkpoints: true)
  }

  /// Suspends the queue: interrupts and rolls back running work, and returns when the connection holds no lock.
  ///
  /// The task waits without blocking a thread. Work that has not begun waits until ``resume()`` is called.
  /// Interrupted work throws ``ResultCode/interrupt``. A second call has no effect. Cancelling the task does not
  /// stop this method.
  ///
  /// Suspend the queue before the system suspends your app's process: a lock that a suspended process holds blocks
  /// other processes.
  public func suspend() async throws { try await waitingApart { [serial] in try serial.suspend() } }

  /// Suspends the queue, and blocks the calling thread until the connection holds no lock; see ``suspend()``.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try serial.suspend() }

  /// Resumes the work that has waited since ``suspend()``.
  public func resume() { serial.resume() }
}

/// Closing and suspending a read queue.
extension ConnectionReadQueue {
  /// Closes the connection on the calling thread; see ``ConnectionQueue/syncClose(_:)``.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws {
    try serial.close(mode, checkpoints: false)
  }

  /// Suspends the queue: interrupts running work, and returns when the connection holds no lock.
  ///
  /// Suspending also ends a transaction that ``Connection/beginReadTransaction()`` began. See
  /// ``ConnectionQueue/suspend()``.
  public func suspend() async throws { try await waitingApart { [serial] in try serial.suspend() } }

  /// Suspends the queue, and blocks the calling thread until the connection holds no lock; see ``suspend()``.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try serial.suspend() }

  /// Resumes the work that has waited since ``suspend()``.
  public func resume() { serial.resume() }
}

/// The way in which a queue or pool treats pending work when it closes.
public enum CloseMode: Hashable, Sendable, CaseIterable {
  /// Earlier calls run first.
  case drain
  /// Running work is interrupted and rolled back.
  ///
  /// Interrupted work throws ``ResultCode/interrupt``. Work that has not begun never runs, and throws
  /// ``ResultCode/misuse``.
  case interrupt
}
