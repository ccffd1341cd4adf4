public import Dispatch

/// A database that threads and tasks can read: a queue, a read queue, a pool, a snapshot or a cluster.
///
/// ```swift
/// func count(in database: some DatabaseReader) async throws -> Int {
///   try await database.read { connection in
///     try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
///   }
/// }
/// ```
///
/// A read sees a single state of the database, which its first query determines. Writing throws
/// ``ResultCode/readOnly``. ``DatabaseWriter`` adds methods that can write.
///
/// Row streams and observation are available only for queues, pools and snapshots. For any other type, they fail with
/// ``ResultCode/misuse``.
public protocol DatabaseReader: Sendable {
  /// Runs `body` in a read transaction, and returns its result without blocking a thread.
  ///
  /// If the task is cancelled or the `deadline` passes, `body` does not begin or is interrupted.
  @discardableResult
  func read<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T

  /// Runs `body` in a read transaction on the calling thread, and returns its result.
  ///
  /// Throws ``DeadlineError`` if `body` has not returned by the `deadline`.
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  func syncRead<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T

  /// Schedules `body` to run in a read transaction, and calls `completion` with the result.
  ///
  /// The call belongs to `group` until its completion handler has returned.
  func asyncRead<T: Sendable>(
    group: DispatchGroup?, qos: DispatchQoS,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)?
  )

  /// Closes the connections on the calling thread; `mode` determines how earlier calls are treated.
  ///
  /// Later calls throw ``ResultCode/misuseClosed``.
  @available(*, noasync, message: "Use close, which does not block the thread")
  func syncClose(_ mode: CloseMode) throws
}

extension DatabaseReader {
  /// Closes the connections without blocking a thread; `mode` determines how earlier calls are treated.
  ///
  /// Later calls throw ``ResultCode/misuseClosed``. Cancelling the task does not stop this method. A queue and a pool run
  /// the checkpoint and the optimization that ``Configuration/checkpointsAutomatically`` and
  /// ``Configuration/optimizesOnClose`` request. While they are suspended, ``CloseMode/drain`` throws
  /// ``ResultCode/misuse`` and closes nothing.
  public func close(_ mode: CloseMode = .drain) async throws {
    try await waitingApart { try self.syncClose(mode) }
  }

  /// Runs `body` in a read transaction, and returns its result without blocking a thread.
  @discardableResult
  public func read<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await read(deadline: nil, body)
  }

  /// Runs `body` in a read transaction on the calling thread, and returns its result.
  @inlinable
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try syncRead(deadline: nil, body)
  }

  /// Schedules `body` to run in a read transaction, and calls `completion` with the result.
  public func asyncRead<T: Sendable>(
    group: DispatchGroup? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    asyncRead(group: group, qos: .unspecified, body, completion: completion)
  }
}
