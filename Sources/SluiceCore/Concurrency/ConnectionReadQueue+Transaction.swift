public import Dispatch

/// Read transactions: several statements that see one state of the database.
extension ConnectionReadQueue {
  /// Runs `body` in a read transaction on the calling thread.
  ///
  /// It sees the database as it is now, or, inside a transaction that
  /// ``Connection/beginReadTransaction()`` began, as it was then.
  @available(*, noasync, message: "Use readTransaction, which does not block the thread")
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
    completion: @escaping @Sendable (_ result: Result<T, any Error>) -> Void
  ) {
    line.async(
      group: group, qos: qos, { connection in try transactReading(&connection, body) },
      completion: completion)
  }

  /// Runs `body` in a read transaction; the task waits, no thread does.
  public func readTransaction<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await line.perform(deadline: deadline) { connection in
      try transactReading(&connection, body)
    }
  }
}
