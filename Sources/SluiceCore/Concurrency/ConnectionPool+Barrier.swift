import CSluice
public import Dispatch

/// Accesses during which nobody else uses the pool.
extension ConnectionPool {
  /// Runs `body` on the connection that writes while no read runs, and returns its value; the task waits without
  /// blocking a thread.
  ///
  /// ```swift
  /// try await pool.barrier { connection in try connection.vacuum() }
  /// ```
  ///
  /// It has its turn in the order of the writes. From then on no read begins; reads that run, and streams of rows, are
  /// waited for. Reads that were called meanwhile begin afterwards, in their order. Snapshots are not waited for.
  ///
  /// A loop over a stream of the pool must not await another access of the pool while a barrier can wait: the loop would
  /// wait for the barrier, and the barrier for the loop. A `deadline` ends the barrier.
  ///
  /// `body` runs without a transaction, as in ``perform(qos:deadline:_:)``. When the task is cancelled or the `deadline`
  /// passes, `body` does not begin, or is interrupted.
  @discardableResult
  public func barrier<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await writer.perform(deadline: deadline) { try self.alone(&$0, body) }
  }

  /// Runs `body` on the connection that writes while no read runs, on the calling thread; see ``barrier(deadline:_:)``.
  ///
  /// It throws ``DeadlineError`` if `body` has not returned by the `deadline`.
  @available(*, noasync, message: "Use barrier, which does not block the thread")
  @discardableResult
  public func syncBarrier<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try refuseNested()
    return try writer.sync(until: deadline) { try alone(&$0, body) }
  }

  /// Runs `body` on the connection that writes later, while no read runs, and calls `completion` with the result; see
  /// ``barrier(deadline:_:)``.
  ///
  /// The call is part of `group` until its completion has returned.
  public func asyncBarrier<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    writer.async(group: group, qos: qos, { try self.alone(&$0, body) }, completion: completion)
  }

  private func alone<T: Sendable>(
    _ connection: inout sending Connection, _ body: (inout sending Connection) throws -> T
  ) throws -> T {
    guard let readers else { return try body(&connection) }
    readers.holdBack()
    defer { readers.letGo() }
    var pause: Int32 = 1
    while readers.isBusy {
      // An access that is stopped waits no longer.
      try connection.state.refuseStopped()
      sqlite3_sleep(pause)
      pause = min(2 * pause, 8)
    }
    return try body(&connection)
  }
}
