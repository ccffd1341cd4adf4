import CSluice
import Dispatch
import Synchronization

// Closing and suspending.
extension SerialConnection {
  /// Whether the connection is open, and the one that `init` got.
  var isUsable: Bool {
    !interruptState.has(InterruptState.replaced | InterruptState.closed | InterruptState.notOpen)
  }

  /// Stops what runs, and keeps all else from running, for good.
  func stopForGood() { interruptState.interrupt(setting: InterruptState.closed) }

  /// Closes the connection, after what was called before or at once, with a checkpoint if it writes.
  func close(_ mode: CloseMode, checkpoints: Bool) throws {
    switch mode {
    case .drain:
      guard !interruptState.has(InterruptState.closed) else { return }
      guard !isSuspended else { throw standsStill }
      do { try sync { try close(&$0, checkpoints) } } catch let error as SQLiteError
        where error == closed
      {
        // The queue was closed before, or while this call waited for its turn.
      }
    case .interrupt:
      guard interruptState.holder.load(ordering: .relaxed) != sluice_current_thread() else {
        throw nested
      }
      stopForGood()
      try interruptUntilIdle { connection in
        guard connection.number == number else { return }
        connection.forgetInterruption()
        _ = try? endAll(on: &connection)
        try close(&connection, checkpoints)
      }
      // The waiting calls throw, because the queue is closed.
      resume()
    }
  }

  private func close(_ connection: inout sending Connection, _ checkpoints: Bool) throws {
    if checkpoints { connection.checkpointWhileClosing() }
    try connection.close()
  }

  /// Stops what runs, lets nothing else begin, and returns when no lock is held any more.
  func suspend() throws {
    guard interruptState.holder.load(ordering: .relaxed) != sluice_current_thread() else {
      throw nested
    }
    halt()
    try waitForHalt()
  }

  /// Stops what runs, and lets nothing else begin, unless it is at its end.
  func halt() {
    suspension.withLock { isSuspended in
      guard !isSuspended, isUsable else { return }
      isSuspended = true
      // A call from now on waits behind the others, and no job runs.
      waiting.add(1, ordering: .acquiringAndReleasing)
      jobs.suspend()
      halts.add(1, ordering: .acquiringAndReleasing)
      interruptState.interrupt(setting: InterruptState.suspended)
    }
  }

  /// Returns when no lock is held any more, or `resume()` was called.
  func waitForHalt() throws {
    try interruptUntilIdle(!isSuspended) { connection in
      guard connection.number == number else { return }
      connection.forgetInterruption()
      _ = try? endAll(on: &connection)
      // A stream that stands on a row reads as long as it does.
      connection.cursors = [:]
    }
  }

  /// Whether it is suspended.
  var isSuspended: Bool { suspension.withLock { $0 } }

  /// How often it has come to stand still.
  var haltCount: Int { halts.load(ordering: .acquiring) }

  /// How many calls wait.
  var waitingCount: Int {
    let count =
      waiting.load(ordering: .acquiring) - (isSuspended ? 1 : 0) - (monitor == nil ? 0 : 1)
    return max(0, count)
  }

  var standsStill: SQLiteError {
    SQLiteError(.misuse, "The \(owner) is suspended: what it has to do would wait for ever")
  }

  /// Runs jobs again.
  func resume() {
    suspension.withLock { isSuspended in
      guard isSuspended else { return }
      isSuspended = false
      interruptState.clear(InterruptState.suspended)
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
  /// Moves what the WAL holds to the database file, if that takes no waiting for another connection.
  ///
  /// It is a service on the way out, so what goes wrong there is nobody's loss.
  fileprivate func checkpointWhileClosing() {
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

// What happens to the connection before and after each body, so that none meets what another has left.
extension SerialConnection {
  /// Looks before a body runs at what there is to see to, or throws why it cannot run.
  @usableFromInline @inline(never)
  func prepare(_ connection: inout sending Connection) throws {
    try refuseEnded()
    guard !interruptState.has(InterruptState.suspended) else {
      throw SQLiteError(.interrupt, "The \(owner) has been suspended")
    }
    settle(&connection)
    if interruptState.has(InterruptState.hotJournal) { clearJournal(on: &connection) }
  }

  /// Throws why nobody can have the connection any more, if that is so.
  func refuseEnded() throws {
    guard !interruptState.has(InterruptState.replaced) else { throw replaced }
    guard !interruptState.has(InterruptState.closed | InterruptState.notOpen) else { throw closed }
  }

  /// Looks after a body has returned whether it has left the connection as it was.
  @usableFromInline
  func finish(_ connection: inout sending Connection) throws {
    guard connection.number == number, interruptState.flags.load(ordering: .acquiring) == 0,
      connection.isClean, owner != .snapshot
    else { return try finishUnclean(&connection) }
  }

  @inline(never)
  private func finishUnclean(_ connection: inout sending Connection) throws {
    // The old connection may be in use elsewhere, so it cannot be taken back.
    guard connection.number == number else {
      noteReplacement()
      throw replaced
    }
    settle(&connection)
    defer { connection.keepLeftovers() }
    guard !endSnapshot(&connection) else {
      throw SQLiteError(.misuse, "The body has ended the read transaction of the snapshot")
    }
    guard try !endTransaction(on: &connection) else {
      throw SQLiteError(.misuse, "The body has left a transaction open, which was rolled back")
    }
  }

  /// Cleans up after a body that has failed, whose error is the one to report.
  @usableFromInline @inline(never)
  func finishFailed(_ connection: inout sending Connection, _ error: any Error) {
    guard connection.number == number else { return noteReplacement() }
    settle(&connection)
    _ = try? endTransaction(on: &connection)
    connection.keepLeftovers()
    _ = endSnapshot(&connection)
    let code = (error as? SQLiteError)?.code.primary
    if owner == .pool, code == .ioError || code == .full { clearJournal(on: &connection) }
  }

  /// Closes the connection of a snapshot whose transaction is over, since it would read another state from now on.
  ///
  /// The pool drops a connection with this flag, which closes it. A connection that cannot close is not read either.
  private func endSnapshot(_ connection: inout sending Connection) -> Bool {
    guard owner == .snapshot, connection.isOpen, connection.isInAutocommit else { return false }
    interruptState.set(InterruptState.closed)
    return true
  }

  /// Undoes what a commit that failed has left in the journal: the readers of a pool cannot, and would fail.
  private func clearJournal(on connection: inout sending Connection) {
    guard connection.isOpen, connection.isInAutocommit, !connection.isReadOnly() else { return }
    // What fails again is tried again before the next access.
    if (try? connection.pageCount()) == nil {
      interruptState.set(InterruptState.hotJournal)
    } else {
      interruptState.clear(InterruptState.hotJournal)
    }
  }

  private func noteReplacement() {
    interruptState.set(InterruptState.replaced)
    interruptState.forget()
    commits.end()
  }

  /// Sees to it that an interruption reaches nothing that comes after this.
  private func settle(_ connection: inout sending Connection) {
    guard interruptState.flags.load(ordering: .acquiring) != 0,
      interruptState.clear(InterruptState.interrupted)
    else { return }
    connection.forgetInterruption()
  }

  /// Rolls back what a body has left open, which would swallow the work of those who come next;
  /// true if there was something.
  private func endTransaction(on connection: inout sending Connection) throws -> Bool {
    guard !keepsTransactions || connection.state.scopeState.refusesStatements,
      connection.state.standingWriters > 0 || !connection.isInAutocommit
    else { return false }
    return try endAll(on: &connection)
  }

  /// Ends what the connection has begun, whoever has; true if that was a transaction.
  @inline(never)
  func endAll(on connection: inout sending Connection) throws -> Bool {
    // The rollback comes first: no statement that fails to end may keep it from happening.
    let isOpen = !connection.isInAutocommit
    if isOpen { try connection.rollBackOwed() }
    var failure: (any Error)?
    for statement in connection.writers {
      do { try statement.end() } catch { failure = failure ?? error }
    }
    if let failure, !isOpen { throw failure }
    return isOpen
  }
}

// How long accesses wait and take, if there is a monitor.
extension SerialConnection {
  /// When a call was made, if anybody wants to know how long it waits.
  var called: ContinuousClock.Instant? {
    monitor == nil || sluice_is_in_monitor() != 0 ? nil : .now
  }

  /// Runs an access that was called for at a time, and returns the record for `tell(_:)`.
  func monitored<T>(
    since called: ContinuousClock.Instant?, _ access: (AccessTimer?) throws -> T
  ) throws -> T {
    let (result, record) = measured(since: called, access)
    tell(record)
    return try result.get()
  }

  /// Runs an access that was called for at a time, and says what it took if anybody wants to know.
  func measured<T>(
    since called: ContinuousClock.Instant?, _ access: (AccessTimer?) throws -> T
  ) -> (Result<T, any Error>, AccessRecord?) {
    guard let called else { return (Result { try access(nil) }, nil) }
    let timer = AccessTimer(called, interruptState)
    let result = Result { try access(timer) }
    let isFailed = if case .failure = result { true } else { false }
    return (result, timer.record(label, isFailed))
  }

  /// Tells what an access took, which nobody waits for any more but who has called it.
  func tell(_ record: AccessRecord?) {
    guard let monitor, let record else { return }
    inMonitor { monitor.accessDidEnd(record) }
  }
}

/// Runs a method of a monitor, of whose own work none is told: that would never end.
func inMonitor(_ body: () -> Void) {
  sluice_enter_monitor(1)
  defer { sluice_enter_monitor(-1) }
  body()
}

/// Measures one access, for those who listen.
final class AccessTimer {
  private let called: ContinuousClock.Instant
  private let interruptState: InterruptState
  private var wait: Duration?
  private var duration = Duration.zero
  private var lockWaits = 0

  init(_ called: ContinuousClock.Instant, _ interruptState: InterruptState) {
    self.called = called
    self.interruptState = interruptState
  }

  /// Takes note that the access has got the connection.
  func begin() {
    wait = .now - called
    lockWaits = interruptState.busyCount.load(ordering: .relaxed)
  }

  /// Takes note that it is done with it, before others get it.
  func end() {
    duration = .now - called - (wait ?? .zero)
    lockWaits = interruptState.busyCount.load(ordering: .relaxed) - lockWaits
  }

  func record(_ label: String, _ isFailed: Bool) -> AccessRecord {
    AccessRecord(
      label: label, wait: wait ?? .now - called, duration: duration, lockWaitCount: lockWaits,
      isFailed: isFailed)
  }
}
