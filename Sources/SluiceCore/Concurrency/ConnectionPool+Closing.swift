import Dispatch

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

extension ConnectionLine {
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
