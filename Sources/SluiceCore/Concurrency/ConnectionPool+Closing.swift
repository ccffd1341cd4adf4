import CSluice
public import Dispatch

/// Closing and suspending a pool.
extension ConnectionPool {
  /// Closes all connections on the calling thread.
  ///
  /// Closing runs the checkpoint and the optimization that ``Configuration/checkpointsAutomatically`` and
  /// ``Configuration/optimizesOnClose`` request. Later calls throw ``ResultCode/misuseClosed``; `mode` determines how
  /// earlier calls are treated. While the pool is suspended, ``CloseMode/drain`` throws ``ResultCode/misuse`` and closes
  /// nothing. This method also waits for connections that are being opened. A second call has no effect.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws {
    try refuseNested()
    if mode == .drain, writer.isSuspended { throw writer.standsStill }
    keeper?.end()
    if mode == .interrupt { writer.stopForGood() }
    var failure: (any Error)?
    do { try readers?.close(mode) } catch { failure = error }
    try writer.close(mode, checkpoints: true)
    if let failure { throw failure }
  }

  /// Suspends the pool: interrupts and rolls back running work, and returns when no connection holds a lock.
  ///
  /// The task waits without blocking a thread. Work that has not begun waits until ``resume()`` is called.
  /// Interrupted work throws ``ResultCode/interrupt``. A second call has no effect. Cancelling the task does not
  /// stop this method.
  ///
  /// Suspend the pool before the system suspends your app's process: a lock that a suspended process holds blocks
  /// other processes.
  public func suspend() async throws { try await waitingApart { try self.halt() } }

  /// Suspends the pool, and blocks the calling thread until no connection holds a lock; see ``suspend()``.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try halt() }

  /// Resumes the work that has waited since ``suspend()``.
  public func resume() {
    halting.withLock { _ in
      writer.resume()
      readers?.resume()
    }
  }

  private func halt() throws {
    try refuseNested()
    // A concurrent `resume()` affects either all connections or none.
    halting.withLock { _ in
      writer.halt()
      readers?.halt()
    }
    try writer.waitForHalt()
    try readers?.waitForHalt()
  }
}

/// Runs `body` on a Dispatch thread, which `body` may block without holding up tasks, and returns its result.
func waitingApart<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      // The thread keeps no reference to the result: the caller can release a snapshot while the thread still runs.
      do { continuation.resume(returning: try body()) } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}

/// Exclusive accesses to a pool.
extension ConnectionPool {
  /// Runs `body` with the write connection while no read runs, and returns its result.
  ///
  /// ```swift
  /// try await pool.barrier { connection in try connection.vacuum() }
  /// ```
  ///
  /// The task waits without blocking a thread. A barrier waits for its turn among the writes. Once its turn has come,
  /// no read begins, and the barrier waits until running reads and row streams have ended. Reads that are requested
  /// in the meantime begin after the barrier, in the order of their calls. A barrier does not wait for snapshots.
  ///
  /// A loop over a row stream of the pool must not await another access to the pool while a barrier may be waiting:
  /// the loop and the barrier would wait for each other. A `deadline` limits how long the barrier waits.
  ///
  /// `body` runs without a transaction, as in ``perform(qos:deadline:_:)``. If the task is cancelled or the
  /// `deadline` passes, `body` does not begin or is interrupted.
  @discardableResult
  public func barrier<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await writer.perform(deadline: deadline) { try self.alone(&$0, body) }
  }

  /// Runs `body` on the calling thread with the write connection, while no read runs, and returns its result.
  ///
  /// Throws ``DeadlineError`` if `body` has not returned by the `deadline`. See ``barrier(deadline:_:)``.
  @available(*, noasync, message: "Use barrier, which does not block the thread")
  @discardableResult
  public func syncBarrier<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try refuseNested()
    return try writer.sync(until: deadline) { try alone(&$0, body) }
  }

  /// Schedules `body` to run with the write connection while no read runs.
  ///
  /// `completion` is called with the result. The call belongs to `group` until its completion handler has returned.
  /// See ``barrier(deadline:_:)``.
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
    while true {
      // A barrier that is stopped while it waits throws, and its body does not begin.
      if writer.interruptState.has(InterruptState.closed) { throw writer.closed }
      try connection.state.refuseStopped()
      guard readers.isBusy else { return try body(&connection) }
      sqlite3_sleep(pause)
      pause = min(2 * pause, 8)
    }
  }
}
