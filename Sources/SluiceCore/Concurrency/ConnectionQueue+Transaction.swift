public import Dispatch

/// Transactions and savepoints on a queue, each in the three forms of a call.
///
/// They do what the methods of ``Connection`` with these names do, but begin
/// immediately by default: a queue that writes should not find out half way that it cannot.
///
/// Another process can keep a transaction from being done, with ``ResultCode/busy`` or, if it has read before
/// it writes, ``ResultCode/busySnapshot``. Such a one is rolled back, and its whole body runs again, up to
/// `retries` times, after a pause that grows and is random in part. That does not happen where nobody can
/// know whether the commit has reached the disk, nor if the body throws another error.
///
/// What is not done by its `deadline` is rolled back, and throws ``DeadlineError``. A task that is cancelled
/// throws `CancellationError` if its transaction was rolled back, and returns the value if it was committed, or if
/// its body has returned and has written nothing.
extension ConnectionQueue {
  /// Runs `body` in a transaction on the calling thread.
  @inlinable
  @available(*, noasync, message: "Use transaction, which does not block the thread")
  @discardableResult
  public func syncTransaction<T: Sendable>(
    _ kind: TransactionKind = .immediate, retries: Int = 0,
    deadline: ContinuousClock.Instant? = nil,
    _ body:
      sending (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
    try line.sync(until: deadline) { connection in
      try transact(&connection, kind, retries: retries, body)
    }
  }

  /// Runs `body` in a transaction later, and calls `completion` with what came of it.
  public func asyncTransaction<T: Sendable>(
    _ kind: TransactionKind = .immediate, group: DispatchGroup? = nil,
    qos: DispatchQoS = .unspecified,
    _ body:
      @escaping @Sendable (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T,
    completion:
      @escaping @Sendable (_ result: Result<(command: TransactionCommand, value: T), any Error>) ->
      Void
  ) {
    line.async(
      group: group, qos: qos, { connection in try transact(&connection, kind, body) },
      completion: completion)
  }

  /// Runs `body` in a transaction; the task waits, no thread does.
  @discardableResult
  public func transaction<T: Sendable>(
    _ kind: TransactionKind = .immediate, retries: Int = 0,
    deadline: ContinuousClock.Instant? = nil,
    _ body:
      @escaping @Sendable (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T
  ) async throws -> (command: TransactionCommand, value: T) {
    try await line.perform(deadline: deadline) { connection in
      try transact(&connection, kind, retries: retries, body)
    }
  }

  /// Runs `body` in a savepoint on the calling thread.
  @available(*, noasync, message: "Use savepoint, which does not block the thread")
  @discardableResult
  public func syncSavepoint<T: Sendable>(
    _ name: String? = nil, deadline: ContinuousClock.Instant? = nil,
    _ body:
      sending (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
    try line.sync(until: deadline) { connection in
      try transact(&connection, .deferred, isSavepoint: true, name: name, body)
    }
  }

  /// Runs `body` in a savepoint later, and calls `completion` with what came of it.
  public func asyncSavepoint<T: Sendable>(
    _ name: String? = nil, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body:
      @escaping @Sendable (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T,
    completion:
      @escaping @Sendable (_ result: Result<(command: TransactionCommand, value: T), any Error>) ->
      Void
  ) {
    line.async(
      group: group, qos: qos,
      { connection in try transact(&connection, .deferred, isSavepoint: true, name: name, body) },
      completion: completion)
  }

  /// Runs `body` in a savepoint; the task waits, no thread does.
  @discardableResult
  public func savepoint<T: Sendable>(
    _ name: String? = nil, deadline: ContinuousClock.Instant? = nil,
    _ body:
      @escaping @Sendable (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T
  ) async throws -> (command: TransactionCommand, value: T) {
    try await line.perform(deadline: deadline) { connection in
      try transact(&connection, .deferred, isSavepoint: true, name: name, body)
    }
  }
}
