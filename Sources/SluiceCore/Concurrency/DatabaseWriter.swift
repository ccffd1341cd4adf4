public import Dispatch

/// A database that threads and tasks can read and write: a queue or a pool.
///
/// ```swift
/// struct EventRepository {
///   var database: any DatabaseWriter
///
///   func add(_ title: String) async throws -> Int64 {
///     try await database.write { connection in
///       try connection.execute("INSERT INTO event(title) VALUES (\(title))")
///       return connection.lastInsertRowid
///     }
///   }
///
///   func count() async throws -> Int {
///     try await database.read { try $0.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0 }
///   }
/// }
/// ```
///
/// Each method has three forms. The plain name is for use with `await`. The form `sync…` blocks the calling thread.
/// The form `async…` returns immediately, and calls an optional completion handler when the work is done. Without a
/// completion handler, only a ``ConnectionMonitor`` observes the failure of an `async…` call.
///
/// - ``perform(deadline:_:)`` runs its body with the write connection, without a transaction.
/// - ``write(retries:deadline:_:)`` runs its body in an immediate transaction; see ``TransactionKind/immediate``.
/// - `transaction` has a ``TransactionKind`` as its argument. A body with a second argument sets that argument to
///   the ``TransactionCommand`` that ends the transaction.
/// - `savepoint` runs its body in a savepoint.
///
/// Another process can make a transaction fail with ``ResultCode/busy`` or, after a read, with
/// ``ResultCode/busySnapshot``. The transaction is then rolled back, and its body runs again, up to `retries`
/// times, after a random pause that grows with each attempt. The body does not run again if the commit may have
/// reached the disk, or if the body throws another error.
///
/// A transaction that is not committed by its `deadline` is rolled back, and the call throws ``DeadlineError``. In
/// a cancelled task, the call throws `CancellationError` if the transaction was rolled back. The call returns the
/// value if the transaction was committed, or if its body has returned and has written nothing.
public protocol DatabaseWriter: DatabaseReader {
  /// Calls `body` with the write connection, and returns its result without blocking a thread.
  ///
  /// If the task is cancelled or the `deadline` passes, `body` does not begin or is interrupted.
  @discardableResult
  func perform<T: Sendable>(
    qos: DispatchQoS, deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T

  /// Calls `body` with the write connection on the calling thread, and returns its result.
  ///
  /// Throws ``DeadlineError`` if `body` has not returned by the `deadline`.
  @available(*, noasync, message: "Use perform, which does not block the thread")
  @discardableResult
  func sync<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T

  /// Schedules a call of `body` with the write connection, and calls `completion` with the result.
  ///
  /// The call belongs to `group` until its completion handler has returned.
  func async<T: Sendable>(
    group: DispatchGroup?, qos: DispatchQoS,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)?
  )
}

extension DatabaseWriter {
  /// Calls `body` with the write connection, and returns its result without blocking a thread.
  @discardableResult
  public func perform<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await perform(qos: .unspecified, deadline: deadline, body)
  }

  /// Calls `body` with the write connection on the calling thread, and returns its result.
  @inlinable
  @available(*, noasync, message: "Use perform, which does not block the thread")
  @discardableResult
  public func sync<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try sync(deadline: nil, body)
  }

  /// Schedules a call of `body` with the write connection, and calls `completion` with the result.
  public func async<T: Sendable>(
    group: DispatchGroup? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    async(group: group, qos: .unspecified, body, completion: completion)
  }
}
