import CSluice
import Dispatch
import Synchronization

// How a line comes to an end, or to a halt.
extension ConnectionLine {
  /// Whether the connection is open, and the one that the line was made with.
  var isUsable: Bool { !alarm.shows(Alarm.replaced | Alarm.closed | Alarm.gone) }

  /// Stops what runs, and keeps all else from running, for good.
  func stopForGood() { alarm.raise(Alarm.closed) }

  /// Closes the connection, after what was called before or at once, with a checkpoint if it writes.
  func close(_ mode: CloseMode, checkpoints: Bool) throws {
    switch mode {
    case .drain:
      guard !alarm.shows(Alarm.closed) else { return }
      guard !isSuspended else { throw standsStill }
      do { try sync { try close(&$0, checkpoints) } } catch let error as SQLiteError
        where error == closed
      {
        // It was closed before, or while this waited for its turn.
      }
    case .interrupt:
      guard alarm.holder.load(ordering: .relaxed) != sluice_current_thread() else { throw nested }
      stopForGood()
      try interruptUntilIdle { connection in
        guard connection.number == number else { return }
        connection.forgetInterruption()
        _ = try? endAll(on: &connection)
        try close(&connection, checkpoints)
      }
      // Those who wait hear that it is too late.
      resume()
    }
  }

  private func close(_ connection: inout sending Connection, _ checkpoints: Bool) throws {
    if checkpoints { connection.checkpointWhileClosing() }
    try connection.close()
  }

  /// Stops what runs, lets nothing else begin, and returns when no lock is held any more.
  func suspend() throws {
    guard alarm.holder.load(ordering: .relaxed) != sluice_current_thread() else { throw nested }
    halt()
    try waitForHalt()
  }

  /// Stops what runs, and lets nothing else begin, unless it is at its end.
  func halt() {
    suspension.withLock { isSuspended in
      guard !isSuspended, isUsable else { return }
      isSuspended = true
      // Whoever comes now goes to the end of the line, which does not move.
      waiting.add(1, ordering: .acquiringAndReleasing)
      jobs.suspend()
      halts.add(1, ordering: .acquiringAndReleasing)
      alarm.raise(Alarm.suspended)
    }
  }

  /// Returns when no lock is held any more, or the line moves again.
  func waitForHalt() throws {
    try interruptUntilIdle(!isSuspended) { connection in
      guard connection.number == number else { return }
      connection.forgetInterruption()
      _ = try? endAll(on: &connection)
      // A stream that stands on a row reads as long as it does.
      connection.cursors = [:]
    }
  }

  /// Whether the line stands still.
  var isSuspended: Bool { suspension.withLock { $0 } }

  /// How often it has come to stand still.
  var haltCount: Int { halts.load(ordering: .acquiring) }

  /// How many calls wait in line.
  var waitingCount: Int {
    let count =
      waiting.load(ordering: .acquiring) - (isSuspended ? 1 : 0) - (monitor == nil ? 0 : 1)
    return max(0, count)
  }

  var standsStill: SQLiteError {
    SQLiteError(.misuse, "The \(owner) is suspended: what it has to do would wait for ever")
  }

  /// Lets the line move again.
  func resume() {
    suspension.withLock { isSuspended in
      guard isSuspended else { return }
      isSuspended = false
      alarm.clear(Alarm.suspended)
      waiting.subtract(1, ordering: .acquiringAndReleasing)
      jobs.resume()
    }
  }

  /// Runs `body` as soon as nobody has the connection, and stops who has it again and again: SQLite
  /// forgets what comes just before a statement begins.
  private func interruptUntilIdle(
    _ isOver: @autoclosure () -> Bool = false, _ body: (inout sending Connection) throws -> Void
  ) throws {
    while !isOver() {
      let isDone: Void? = try connection.withLockIfAvailable { connection in
        alarm.holder.store(sluice_current_thread(), ordering: .relaxed)
        defer { alarm.holder.store(0, ordering: .relaxed) }
        try body(&connection)
      }
      if isDone != nil { return }
      alarm.interrupt()
      sqlite3_sleep(1)
    }
  }
}

extension Connection {
  /// Moves what the WAL holds to the database file, if that takes no waiting for another connection.
  ///
  /// It is a service on the way out, so what goes wrong there is nobody's loss.
  func checkpointWhileClosing() {
    guard let handle = unsafe rawHandle, !state.isForked, isInAutocommit, !isReadOnly() else {
      return
    }
    unsafe sqlite3_busy_timeout(handle, 0)
    _ = state.cleaningUp {
      unsafe sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
    unsafe resumeWaiting(handle)
  }
}
