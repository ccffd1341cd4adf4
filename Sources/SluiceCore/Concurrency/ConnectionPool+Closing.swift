import CSluice
public import Dispatch

/// How a pool comes to an end, or to a halt.
extension ConnectionPool {
  /// Closes all connections, with a checkpoint and the optimization that ``Configuration/optimizesOnClose``
  /// demands; the task waits without blocking a thread.
  ///
  /// Later calls throw ``ResultCode/misuse``. `mode` decides about earlier calls. While the pool is suspended,
  /// ``CloseMode/drain`` throws ``ResultCode/misuse`` and closes nothing. A connection that is being opened is
  /// waited for. A second call has no effect. Cancelling the task does not stop it.
  public func close(_ mode: CloseMode = .drain) async throws {
    try await waitingApart { try self.end(mode) }
  }

  /// Closes all connections on the calling thread; see ``close(_:)``.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws { try end(mode) }

  /// Closes all connections later, and calls `completion` with the result; see ``close(_:)``.
  public func asyncClose(
    _ mode: CloseMode = .drain,
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    writer.complete(apart: { try self.end(mode) }, completion)
  }

  /// Interrupts and rolls back running work, and returns when no connection holds a lock; the task waits without
  /// blocking a thread.
  ///
  /// Other work waits for ``resume()``. An app suspends its pool before the system freezes the process: a lock
  /// that it holds then would block other processes. Interrupted work throws ``ResultCode/interrupt``.
  /// A second call has no effect. Cancelling the task does not stop it.
  public func suspend() async throws { try await waitingApart { try self.halt() } }

  /// Interrupts running work, and blocks the calling thread until no connection holds a lock; see ``suspend()``.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try halt() }

  /// Interrupts running work, and calls `completion` when no connection holds a lock; see ``suspend()``.
  public func asyncSuspend(
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    writer.complete(apart: { try self.halt() }, completion)
  }

  /// Lets go on what has waited since ``suspend()``.
  public func resume() {
    halting.withLock { _ in
      writer.resume()
      readers?.resume()
    }
  }

  private func end(_ mode: CloseMode) throws {
    try refuseNested()
    if mode == .drain, writer.isSuspended { throw writer.standsStill }
    if mode == .interrupt { writer.stopForGood() }
    var failure: (any Error)?
    do { try readers?.close(mode) } catch { failure = error }
    try writer.close(mode, checkpoints: true)
    if let failure { throw failure }
  }

  private func halt() throws {
    try refuseNested()
    // Who resumes the pool meanwhile resumes all of it, or nothing.
    halting.withLock { _ in
      writer.halt()
      readers?.halt()
    }
    try writer.waitForHalt()
    try readers?.waitForHalt()
  }
}

extension SerialConnection {
  /// Runs `body`, which may block its thread, and calls `completion`, if there is one, with its result.
  func complete(
    apart body: @escaping @Sendable () throws -> Void,
    _ completion: (@Sendable (Result<Void, any Error>) -> Void)?
  ) {
    DispatchQueue.global().async { [self] in
      complete(Result { try body() }, group: nil, qos: .unspecified, completion)
    }
  }
}

/// Runs `body`, which may block its thread, where no task misses it.
func waitingApart<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
  }
}

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
    while true {
      // An access that is stopped waits no longer, and does not begin.
      if writer.interruptState.has(InterruptState.closed) { throw writer.closed }
      try connection.state.refuseStopped()
      guard readers.isBusy else { return try body(&connection) }
      sqlite3_sleep(pause)
      pause = min(2 * pause, 8)
    }
  }
}
