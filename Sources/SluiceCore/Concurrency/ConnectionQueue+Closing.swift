/// Closing and suspending a queue.
extension ConnectionQueue {
  /// Closes the connection, with a checkpoint and the optimization that ``Configuration/optimizesOnClose``
  /// demands; the task waits without blocking a thread.
  ///
  /// Later calls throw ``ResultCode/misuse``. `mode` decides about earlier calls. While the queue is suspended,
  /// ``CloseMode/drain`` throws ``ResultCode/misuse`` and closes nothing. Cancelling the task does not stop it.
  /// See ``Connection/close()``.
  public func close(_ mode: CloseMode = .drain) async throws {
    try await waitingApart { [line] in try line.close(mode, checkpoints: true) }
  }

  /// Closes the connection on the calling thread; see ``close(_:)``.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws {
    try line.close(mode, checkpoints: true)
  }

  /// Closes the connection later, and calls `completion` with the result; see ``close(_:)``.
  public func asyncClose(
    _ mode: CloseMode = .drain,
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    line.complete(apart: { [line] in try line.close(mode, checkpoints: true) }, completion)
  }

  /// Interrupts and rolls back running work, and returns when no lock is held; the task waits without
  /// blocking a thread.
  ///
  /// Other work waits for ``resume()``. An app suspends its queue before the system freezes the process: a lock
  /// that it holds then would block other processes. Interrupted work throws ``ResultCode/interrupt``.
  /// A second call has no effect. Cancelling the task does not stop it.
  public func suspend() async throws { try await waitingApart { [line] in try line.suspend() } }

  /// Interrupts running work, and blocks the calling thread until no lock is held; see ``suspend()``.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try line.suspend() }

  /// Interrupts running work, and calls `completion` when no lock is held; see ``suspend()``.
  public func asyncSuspend(
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    line.complete(apart: { [line] in try line.suspend() }, completion)
  }

  /// Lets the work continue that has waited since ``suspend()``.
  public func resume() { line.resume() }
}

/// Closing and suspending a read queue.
extension ConnectionReadQueue {
  /// Closes the connection; the task waits without blocking a thread.
  ///
  /// See ``ConnectionQueue/close(_:)``.
  public func close(_ mode: CloseMode = .drain) async throws {
    try await waitingApart { [line] in try line.close(mode, checkpoints: false) }
  }

  /// Closes the connection on the calling thread; see ``close(_:)``.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws {
    try line.close(mode, checkpoints: false)
  }

  /// Closes the connection later, and calls `completion` with the result; see ``close(_:)``.
  public func asyncClose(
    _ mode: CloseMode = .drain,
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    line.complete(apart: { [line] in try line.close(mode, checkpoints: false) }, completion)
  }

  /// Interrupts running work, and returns when no lock is held; see ``ConnectionQueue/suspend()``.
  ///
  /// A transaction that ``Connection/beginReadTransaction()`` began ends here.
  public func suspend() async throws { try await waitingApart { [line] in try line.suspend() } }

  /// Interrupts running work, and blocks the calling thread until no lock is held; see ``suspend()``.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try line.suspend() }

  /// Interrupts running work, and calls `completion` when no lock is held; see ``suspend()``.
  public func asyncSuspend(
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    line.complete(apart: { [line] in try line.suspend() }, completion)
  }

  /// Lets the work continue that has waited since ``suspend()``.
  public func resume() { line.resume() }
}
