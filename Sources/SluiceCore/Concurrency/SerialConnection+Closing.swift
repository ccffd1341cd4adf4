import CSluice
import Dispatch
import Synchronization

// Closing and suspending.
extension SerialConnection {
  /// Whether the connection is open, and is still the one that was passed to `init`.
  var isUsable: Bool {
    !interruptState.has(InterruptState.replaced | InterruptState.closed | InterruptState.notOpen)
  }

  /// Stops running work, and prevents all other work permanently.
  func stopForGood() { interruptState.interrupt(setting: InterruptState.closed) }

  /// Closes the connection, after earlier calls or immediately, with an optional checkpoint.
  func close(_ mode: CloseMode, checkpoints: Bool) throws {
    switch mode {
    case .drain:
      guard !interruptState.has(InterruptState.closed) else { return }
      guard !isSuspended else { throw standsStill }
      do { try sync { try close(&$0, checkpoints) } } catch let error as SQLiteError
        where error == closed
      {
        // The queue was closed earlier, or while this call waited for its turn.
      }
    case .interrupt:
      guard interruptState.holder.load(ordering: .relaxed) != sluice_current_thread() else {
        throw nested
      }
      stopForGood()
      try interruptUntilIdle { connection in
        guard connection.number == identity.number else { return }
        connection.forgetInterruption()
        _ = try? endAll(on: &connection)
        try close(&connection, checkpoints)
      }
      // Waiting calls can now run, and throw because the queue is closed.
      resume()
    }
  }

  private func close(_ connection: inout sending Connection, _ checkpoints: Bool) throws {
    if checkpoints { connection.checkpointWhileClosing() }
    try connection.close()
  }

  /// Stops running work, prevents other work from beginning, and waits until the connection holds no lock.
  func suspend() throws {
    guard interruptState.holder.load(ordering: .relaxed) != sluice_current_thread() else {
      throw nested
    }
    halt()
    try waitForHalt()
  }

  /// Stops running work and prevents other work from beginning, if the connection is still usable.
  func halt() {
    suspension.withLock { suspension in
      guard !suspension.isSuspended, isUsable else { return }
      suspension.isSuspended = true
      suspension.count += 1
      // While this count is greater than 0, no call acquires the lock directly: every call waits in the
      // dispatch queue, which runs no job while it is suspended.
      waiting.add(1, ordering: .acquiringAndReleasing)
      jobs.suspend()
      interruptState.interrupt(setting: InterruptState.suspended)
    }
  }

  /// Waits until the connection holds no lock, or until `resume()` is called.
  func waitForHalt() throws {
    try interruptUntilIdle(!isSuspended) { connection in
      guard connection.number == identity.number else { return }
      connection.forgetInterruption()
      _ = try? endAll(on: &connection)
      // A stream that is at a row would otherwise keep its read lock.
      _ = connection.dependents.takeStreams()
    }
  }

  /// Whether the connection is suspended.
  var isSuspended: Bool { suspension.withLock(\.isSuspended) }

  /// The number of times that the connection was suspended.
  var haltCount: Int { suspension.withLock(\.count) }

  /// The number of waiting calls.
  var waitingCount: Int {
    let count =
      waiting.load(ordering: .acquiring) - (isSuspended ? 1 : 0) - (reporting == nil ? 0 : 1)
    return max(0, count)
  }

  var standsStill: SQLiteError {
    SQLiteError(
      .misuse,
      "The \(identity.owner.name) is suspended, so closing it would wait forever: resume it, or pass .interrupt"
    )
  }

  /// Allows jobs to run again, after `halt()`.
  func resume() {
    suspension.withLock { suspension in
      guard suspension.isSuspended else { return }
      suspension.isSuspended = false
      interruptState.clear(InterruptState.suspended)
      waiting.subtract(1, ordering: .acquiringAndReleasing)
      jobs.resume()
    }
  }

  /// Runs `body` as soon as the connection is free, and until then repeatedly interrupts the work that uses it.
  ///
  /// SQLite ignores an interrupt that arrives just before a statement begins.
  private func interruptUntilIdle(
    _ isOver: @autoclosure () -> Bool = false, _ body: (inout sending Connection) throws -> Void
  ) throws {
    while !isOver() {
      let isDone: Void? = try connection.withLockIfAvailable { connection in
        interruptState.holder.store(sluice_current_thread(), ordering: .relaxed)
        defer { interruptState.holder.store(0, ordering: .relaxed) }
        try body(&connection)
      }
      if isDone != nil { return }
      interruptState.interrupt()
      sqlite3_sleep(1)
    }
  }
}

extension Connection {
  /// Copies the WAL to the database file, as far as possible without waiting for another connection.
  ///
  /// The checkpoint is optional, so an error is ignored. ``ConnectionOption/noCheckpointOnClose`` prevents it.
  fileprivate func checkpointWhileClosing() {
    guard let handle = unsafe rawHandle, !state.isForked, isInAutocommit, !isReadOnly(),
      (try? option(.noCheckpointOnClose)) == false
    else { return }
    unsafe sqlite3_busy_timeout(handle, 0)
    _ = state.cleaningUp {
      unsafe sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
    unsafe resumeWaiting(handle)
  }
}
