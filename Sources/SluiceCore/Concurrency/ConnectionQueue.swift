public import Dispatch

/// A connection that any number of threads and tasks use, one at a time.
///
/// ```swift
/// let queue = try ConnectionQueue(path: "app.db", label: "app")
/// try queue.sync { connection in
///   try connection.execute(sql: "CREATE TABLE IF NOT EXISTS t1(a,b)")
/// }
/// ```
///
/// Asynchronous code awaits, and blocks no thread:
///
/// ```swift
/// let count = try await queue.perform { connection in
///   try connection.first(.column(.int), sql: "SELECT count(*) FROM t1")
/// }
/// ```
///
/// What is called after something else also runs after it, whatever the form of the calls. The
/// connection is lent to a closure, and the compiler keeps it there: nothing that belongs to it can
/// be returned or stored. Rows become values inside.
///
/// A closure that begins a transaction has to end it: what it leaves open is rolled back, and
/// ``ResultCode/misuse`` is thrown. A call from inside a closure of the same queue throws it too: use
/// the connection that is at hand. Two queues that wait for each other wait for ever.
///
/// The connection closes with ``close(_:)``, or when nothing refers to the queue any more.
public final class ConnectionQueue: Sendable {
  @usableFromInline let serial: SerialConnection
  /// Where another connection to the same database can be opened, if that is known.
  let location: DatabaseLocation?

  /// Makes a queue over a database in memory.
  ///
  /// `label`, `qos` and `target` are those of the dispatch queue that runs the asynchronous calls.
  /// Code that runs on `target` must not call ``sync(_:)``, which can wait for ever there.
  public init(
    label: String = "ConnectionQueue", qos: DispatchQoS = .unspecified,
    target: DispatchQueue? = nil, configuration: Configuration = Configuration()
  ) throws {
    let connection = try Connection(configuration: configuration.ownedByQueue)
    location = nil
    serial = SerialConnection(label: label, qos: qos, target: target, connection)
  }

  /// Makes a queue over the database file at `path`; see ``Connection/init(path:readOnly:create:configuration:)``.
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

  /// Makes a queue over the database that a URI means; see ``Connection/init(uri:readOnly:create:configuration:)``.
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

  /// Makes a queue over the connection that `open` returns, for example one to a temporary database.
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

/// Accesses that only read.
extension ConnectionQueue {
  /// Runs `body` in a read transaction, and returns its value; the task waits without blocking a thread.
  ///
  /// All queries of `body` see the state of the database that the first query finds. Writing throws
  /// ``ResultCode/readOnly``, even to temporary tables. In all else it is like ``perform(qos:deadline:_:)``.
  @discardableResult
  public func read<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await serial.perform(deadline: deadline) { connection in
      try transactGuarded(&connection, body)
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
    try serial.sync(until: deadline) { connection in try transactGuarded(&connection, body) }
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
      group: group, qos: qos, { connection in try transactGuarded(&connection, body) },
      completion: completion)
  }
}

/// Closing and suspending a queue.
extension ConnectionQueue {
  /// Closes the connection, with a checkpoint and the optimization that ``Configuration/optimizesOnClose``
  /// demands; the task waits without blocking a thread.
  ///
  /// Later calls throw ``ResultCode/misuse``. `mode` decides about earlier calls. While the queue is suspended,
  /// ``CloseMode/drain`` throws ``ResultCode/misuse`` and closes nothing. Cancelling the task does not stop it.
  /// See ``Connection/close()``.
  public func close(_ mode: CloseMode = .drain) async throws {
    try await waitingApart { [serial] in try serial.close(mode, checkpoints: true) }
  }

  /// Closes the connection on the calling thread; see ``close(_:)``.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws {
    try serial.close(mode, checkpoints: true)
  }

  /// Closes the connection later, and calls `completion` with the result; see ``close(_:)``.
  public func asyncClose(
    _ mode: CloseMode = .drain,
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    serial.complete(apart: { [serial] in try serial.close(mode, checkpoints: true) }, completion)
  }

  /// Interrupts and rolls back running work, and returns when no lock is held; the task waits without
  /// blocking a thread.
  ///
  /// Other work waits for ``resume()``. An app suspends its queue before the system freezes the process: a lock
  /// that it holds then would block other processes. Interrupted work throws ``ResultCode/interrupt``.
  /// A second call has no effect. Cancelling the task does not stop it.
  public func suspend() async throws { try await waitingApart { [serial] in try serial.suspend() } }

  /// Interrupts running work, and blocks the calling thread until no lock is held; see ``suspend()``.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try serial.suspend() }

  /// Interrupts running work, and calls `completion` when no lock is held; see ``suspend()``.
  public func asyncSuspend(
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    serial.complete(apart: { [serial] in try serial.suspend() }, completion)
  }

  /// Lets the work continue that has waited since ``suspend()``.
  public func resume() { serial.resume() }
}

/// Closing and suspending a read queue.
extension ConnectionReadQueue {
  /// Closes the connection; the task waits without blocking a thread.
  ///
  /// See ``ConnectionQueue/close(_:)``.
  public func close(_ mode: CloseMode = .drain) async throws {
    try await waitingApart { [serial] in try serial.close(mode, checkpoints: false) }
  }

  /// Closes the connection on the calling thread; see ``close(_:)``.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws {
    try serial.close(mode, checkpoints: false)
  }

  /// Closes the connection later, and calls `completion` with the result; see ``close(_:)``.
  public func asyncClose(
    _ mode: CloseMode = .drain,
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    serial.complete(apart: { [serial] in try serial.close(mode, checkpoints: false) }, completion)
  }

  /// Interrupts running work, and returns when no lock is held; see ``ConnectionQueue/suspend()``.
  ///
  /// A transaction that ``Connection/beginReadTransaction()`` began ends here.
  public func suspend() async throws { try await waitingApart { [serial] in try serial.suspend() } }

  /// Interrupts running work, and blocks the calling thread until no lock is held; see ``suspend()``.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try serial.suspend() }

  /// Interrupts running work, and calls `completion` when no lock is held; see ``suspend()``.
  public func asyncSuspend(
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    serial.complete(apart: { [serial] in try serial.suspend() }, completion)
  }

  /// Lets the work continue that has waited since ``suspend()``.
  public func resume() { serial.resume() }
}

/// The treatment of pending work when a queue or pool closes.
public enum CloseMode: Hashable, Sendable, CaseIterable {
  /// Work that was called before runs first.
  case drain
  /// Running work is interrupted and rolled back, and throws ``ResultCode/interrupt``. Work that has not begun
  /// never runs, and throws ``ResultCode/misuse``.
  case interrupt
}
