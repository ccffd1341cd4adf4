import Dispatch

/// How a pool comes to an end, or to a halt.
extension ConnectionPool {
  /// Closes all connections, with a checkpoint and what ``Configuration/optimizesOnClose`` says.
  ///
  /// What is called from now on throws ``ResultCode/misuse``. `shutdown` says what becomes of what was called
  /// before. It throws, and closes nothing, while the pool is suspended, unless it interrupts. A connection that
  /// is being opened is waited for. To close the pool again does nothing.
  @available(*, noasync, message: "Use shutDown, which does not block the thread")
  public func close(_ shutdown: Shutdown = .drain) throws { try end(shutdown) }

  /// Closes all connections, as ``close(_:)`` does; the task waits, no thread does.
  ///
  /// To cancel the task does not stop it.
  public func shutDown(_ shutdown: Shutdown = .drain) async throws {
    try await waitingApart { try self.end(shutdown) }
  }

  /// Interrupts and rolls back what runs, keeps all else waiting, and returns when no lock is held any more.
  ///
  /// This is for what an app does before the system freezes it: a lock that it held then would keep others from
  /// the file. What is interrupted throws ``ResultCode/interrupt``. To suspend a pool that is suspended changes
  /// nothing.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try halt() }

  /// Interrupts what runs, as ``syncSuspend()`` does; the task waits, no thread does.
  public func suspend() async throws { try await waitingApart { try self.halt() } }

  /// Lets go on what has waited since ``suspend()``.
  public func resume() {
    halting.withLock { _ in
      writer.resume()
      readers?.resume()
    }
  }

  private func end(_ shutdown: Shutdown) throws {
    try refuseNested()
    if shutdown == .drain, writer.isSuspended { throw writer.standsStill }
    if shutdown == .interrupt { writer.stopForGood() }
    var failure: (any Error)?
    do { try readers?.close(shutdown) } catch { failure = error }
    try writer.close(shutdown, checkpoints: true)
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

/// Runs `body`, which may block its thread, where no task misses it.
func waitingApart<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
  }
}
