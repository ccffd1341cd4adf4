import CSluice
import Dispatch
import Synchronization

// Preparation and cleanup around each body, so that no body is affected by an earlier body.
extension SerialConnection {
  /// Prepares the connection for a body, or throws an error with the reason why the body cannot run.
  @usableFromInline @inline(never)
  func prepare(_ connection: inout sending Connection) throws {
    try refuseEnded()
    guard !interruptState.has(InterruptState.suspended) else {
      throw SQLiteError(.interrupt, "The \(identity.owner.name) has been suspended")
    }
    settle(&connection)
    if interruptState.has(InterruptState.hotJournal) { clearJournal(on: &connection) }
    if interruptState.has(InterruptState.walLimit) {
      keeper?.relieveWAL(connection, interruptState)
    }
  }

  /// Throws an error with the reason if the connection can no longer be used.
  func refuseEnded() throws {
    guard !interruptState.has(InterruptState.replaced) else { throw replaced }
    guard !interruptState.has(InterruptState.closed | InterruptState.notOpen) else { throw closed }
  }

  /// Cleans up after a body that has returned; throws if the body replaced the connection or left a transaction open.
  ///
  /// Also throws if the body ended the transaction of a snapshot.
  @usableFromInline
  func finish(_ connection: inout sending Connection) throws {
    guard connection.number == identity.number,
      interruptState.flags.load(ordering: .acquiring) == 0,
      connection.isClean, identity.owner != .snapshot
    else { return try finishUnclean(&connection) }
  }

  @inline(never)
  private func finishUnclean(_ connection: inout sending Connection) throws {
    // The original connection may be in use elsewhere, so it cannot be restored.
    guard connection.number == identity.number else {
      noteReplacement()
      throw replaced
    }
    settle(&connection)
    defer { connection.keepLeftovers() }
    guard !endSnapshot(&connection) else {
      throw SQLiteError(.misuse, "The closure ended the read transaction of the snapshot")
    }
    guard try !endTransaction(on: &connection) else {
      throw SQLiteError(.misuse, "The closure left a transaction open, which was rolled back")
    }
  }

  /// Cleans up after a body that has thrown.
  ///
  /// The error of the body is the one to report.
  @usableFromInline @inline(never)
  func finishFailed(_ connection: inout sending Connection, _ error: any Error) {
    guard connection.number == identity.number else { return noteReplacement() }
    settle(&connection)
    _ = try? endTransaction(on: &connection)
    connection.keepLeftovers()
    _ = endSnapshot(&connection)
    let code = (error as? SQLiteError)?.code.primary
    if identity.owner == .pool, code == .ioError || code == .full { clearJournal(on: &connection) }
  }

  /// Marks a snapshot's connection as closed if its transaction has ended, and returns whether it was marked.
  ///
  /// After the end of the transaction, the connection would read another state. The pool releases a connection with
  /// this mark, which closes the connection. Even if closing fails, no further read uses the connection.
  private func endSnapshot(_ connection: inout sending Connection) -> Bool {
    guard identity.owner == .snapshot, connection.isOpen, connection.isInAutocommit else {
      return false
    }
    interruptState.set(InterruptState.closed)
    return true
  }

  /// Rolls back the hot journal that a failed commit left.
  ///
  /// A pool's readers are read-only, so they cannot roll back the journal, and reads would throw.
  private func clearJournal(on connection: inout sending Connection) {
    guard connection.isOpen, connection.isInAutocommit, !connection.isReadOnly() else { return }
    // Reading rolls back the journal. If the rollback fails, it is retried before the next access.
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

  /// Ensures that an interrupt does not stop any later work.
  private func settle(_ connection: inout sending Connection) {
    guard interruptState.flags.load(ordering: .acquiring) != 0,
      interruptState.clear(InterruptState.interrupted)
    else { return }
    connection.forgetInterruption()
  }

  /// Rolls back a transaction that a body left open, because it would otherwise include the work of later calls.
  ///
  /// - Returns: Whether a transaction was open.
  private func endTransaction(on connection: inout sending Connection) throws -> Bool {
    guard !identity.owner.keepsTransactions || connection.state.scopeState.refusesStatements,
      connection.state.live.standingWriters > 0 || !connection.isInAutocommit
    else { return false }
    return try endAll(on: &connection)
  }

  /// Ends the transaction and the active writers of the connection, regardless of which code began them.
  ///
  /// - Returns: Whether a transaction was open.
  @inline(never)
  func endAll(on connection: inout sending Connection) throws -> Bool {
    // The rollback comes first, so that a statement that cannot end does not prevent the rollback.
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

// Measurement of the waits and durations of accesses, if there is a monitor.
extension SerialConnection {
  /// The current time, for a call whose wait is to be measured; nil without a monitor.
  var called: ContinuousClock.Instant? {
    reporting == nil || sluice_is_in_monitor() != 0 ? nil : .now
  }

  /// Runs an access that was requested at a given time, reports it to the monitor, and returns its result.
  func monitored<T>(
    since called: ContinuousClock.Instant?, _ access: (AccessTimer?) throws -> T
  ) throws -> T {
    let (result, report) = measured(since: called, access)
    tell(report)
    return try result.get()
  }

  /// Runs an access that was requested at a given time, and returns its result and a report on it.
  ///
  /// The report is for `tell(_:)`. It is nil if the access is not measured.
  func measured<T>(
    since called: ContinuousClock.Instant?, _ access: (AccessTimer?) throws -> T
  ) -> (Result<T, any Error>, AccessReport?) {
    guard let called else { return (Result { try access(nil) }, nil) }
    let timer = AccessTimer(called, interruptState)
    let result = Result { try access(timer) }
    let isFailed = if case .failure = result { true } else { false }
    return (result, timer.report(identity.label, isFailed))
  }

  /// Runs `body` on the calling thread, which holds the lock, and then explains its statements for the monitor.
  ///
  /// By then, an interrupt of `body` no longer has an effect, and a transaction that `body` must not leave open
  /// has ended.
  func lend<T: Sendable>(
    _ connection: inout sending Connection, to thread: UInt, explainingFor timer: AccessTimer?,
    _ body: Body<T>
  ) throws -> T {
    guard let timer else { return try lend(&connection, to: thread, body) }
    // The body may replace the connection whose statements are to be explained.
    let unexplained = connection.slots[UnexplainedStatements.self]
    let value: T
    do { value = try lend(&connection, to: thread, body) } catch {
      timer.explanations = explain(unexplained?.takeAll() ?? [], on: &connection, thread)
      throw error
    }
    timer.explanations = explain(unexplained?.takeAll() ?? [], on: &connection, thread)
    return value
  }

  private func explain(
    _ statements: [StatementExplanation], on connection: inout sending Connection, _ thread: UInt
  ) -> [StatementExplanation] {
    guard !statements.isEmpty, connection.number == identity.number else { return statements }
    interruptState.holder.store(thread, ordering: .relaxed)
    defer { interruptState.holder.store(0, ordering: .relaxed) }
    return connection.explain(statements)
  }

  /// Reports an access to the monitor.
  ///
  /// Call this method after the access has left its queue or pool, so that only the caller of the access waits for
  /// the monitor.
  func tell(_ report: AccessReport?) {
    guard let monitor = reporting?.monitor, let report else { return }
    inMonitor {
      for explanation in report.explanations { monitor.statementWasExplained(explanation) }
      monitor.accessDidEnd(report.access)
    }
  }
}

/// Runs `body`, and reports none of its work to a monitor.
///
/// Otherwise, a monitor that uses the database would receive reports on its own work, without end.
package func inMonitor<T>(_ body: () throws -> T) rethrows -> T {
  sluice_enter_monitor(1)
  defer { sluice_enter_monitor(-1) }
  return try body()
}

/// The reports on an access that are made when the access has left its queue or pool.
struct AccessReport: Sendable {
  let access: AccessRecord
  let explanations: [StatementExplanation]
}

/// A timer that measures one access for the monitor.
final class AccessTimer {
  private let called: ContinuousClock.Instant
  private let interruptState: InterruptState
  private var wait: Duration?
  private var duration = Duration.zero
  private var lockWaits = 0
  /// The explanations of the access's statements, which the monitor receives.
  var explanations: [StatementExplanation] = []

  init(_ called: ContinuousClock.Instant, _ interruptState: InterruptState) {
    self.called = called
    self.interruptState = interruptState
  }

  /// Records that the access has acquired the connection.
  func begin() {
    let now = ContinuousClock.now
    wait = now - called
    interruptState.beginRead(at: now)
    lockWaits = interruptState.busyCount.load(ordering: .relaxed)
  }

  /// Records that the access no longer needs the connection; called before other accesses can acquire it.
  func end() {
    interruptState.endRead()
    duration = .now - called - (wait ?? .zero)
    lockWaits = interruptState.busyCount.load(ordering: .relaxed) - lockWaits
  }

  func report(_ label: String, _ isFailed: Bool) -> AccessReport {
    let access = AccessRecord(
      label: label, start: called, wait: wait ?? .now - called, duration: duration,
      lockWaitCount: lockWaits, isFailed: isFailed)
    return AccessReport(access: access, explanations: explanations)
  }
}
