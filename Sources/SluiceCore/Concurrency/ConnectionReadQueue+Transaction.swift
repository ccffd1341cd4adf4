public import Dispatch

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
    try line.sync(until: deadline) { connection in try transactReading(&connection, body) }
  }

  /// Runs `body` in a read transaction later, and calls `completion` with what came of it.
  public func asyncReadTransaction<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    line.async(
      group: group, qos: qos, { connection in try transactReading(&connection, body) },
      completion: completion)
  }

  /// Runs `body` in a read transaction; the task waits, no thread does.
  @discardableResult
  public func readTransaction<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await line.perform(deadline: deadline) { connection in
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
    try await line.perform(deadline: deadline) { connection in
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
    try line.sync(until: deadline) { connection in try transactReadingLater(&connection, body) }
  }

  /// Runs `body` in a read transaction later, and calls `completion` with the result.
  ///
  /// In all else it is like ``read(deadline:_:)``.
  public func asyncRead<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    line.async(
      group: group, qos: qos, { connection in try transactReadingLater(&connection, body) },
      completion: completion)
  }
}
