/// How a queue comes to an end, or to a halt.
extension ConnectionQueue {
  /// Closes the connection, with a checkpoint and what ``Configuration/optimizesOnClose`` says; see
  /// ``Connection/close()``.
  ///
  /// `shutdown` says what becomes of what was called before. What is called later throws ``ResultCode/misuse``.
  /// It throws, and closes nothing, while the queue is suspended, unless it interrupts.
  @available(*, noasync, message: "Use shutDown, which does not block the thread")
  public func close(_ shutdown: Shutdown = .drain) throws {
    try line.close(shutdown, checkpoints: true)
  }

  /// Closes the connection, as ``close(_:)`` does; the task waits, no thread does.
  ///
  /// To cancel the task does not stop it.
  public func shutDown(_ shutdown: Shutdown = .drain) async throws {
    try await waitingApart { [line] in try line.close(shutdown, checkpoints: true) }
  }

  /// Interrupts and rolls back what runs, keeps all else waiting, and returns when no lock is held any more.
  ///
  /// This is for what an app does before the system freezes it: a lock that it held then would keep others from
  /// the file. What is interrupted throws ``ResultCode/interrupt``. To suspend a queue that is suspended changes
  /// nothing.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try line.suspend() }

  /// Interrupts what runs, as ``syncSuspend()`` does; the task waits, no thread does.
  public func suspend() async throws { try await waitingApart { [line] in try line.suspend() } }

  /// Lets go on what has waited since ``suspend()``.
  public func resume() { line.resume() }
}

/// How a read queue comes to an end, or to a halt.
extension ConnectionReadQueue {
  /// Closes the connection; see ``ConnectionQueue/close(_:)``.
  @available(*, noasync, message: "Use shutDown, which does not block the thread")
  public func close(_ shutdown: Shutdown = .drain) throws {
    try line.close(shutdown, checkpoints: false)
  }

  /// Closes the connection, as ``close(_:)`` does; the task waits, no thread does.
  public func shutDown(_ shutdown: Shutdown = .drain) async throws {
    try await waitingApart { [line] in try line.close(shutdown, checkpoints: false) }
  }

  /// Interrupts what runs, and keeps all else waiting; see ``ConnectionQueue/syncSuspend()``.
  ///
  /// A transaction that ``Connection/beginReadTransaction()`` began ends here.
  @available(*, noasync, message: "Use suspend, which does not block the thread")
  public func syncSuspend() throws { try line.suspend() }

  /// Interrupts what runs, as ``syncSuspend()`` does; the task waits, no thread does.
  public func suspend() async throws { try await waitingApart { [line] in try line.suspend() } }

  /// Lets go on what has waited since ``suspend()``.
  public func resume() { line.resume() }
}
