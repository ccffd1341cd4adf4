import CSluice

/// A monitor of statements and accesses with their durations, for logs, metrics and traces.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.monitor = JSONLinesMonitor()
/// let queue = try ConnectionQueue(label: "app", configuration: configuration)
/// ```
///
/// Several threads can call a monitor at the same time, and the caller of an access waits for the monitor. Values
/// that are bound to statements are not reported. If a method of the monitor uses monitored databases before it
/// returns, that work is not reported either.
///
/// For an awaited access whose closure has begun, the methods are called in the task that awaits the access.
/// They can therefore read the task-local values of that task.
public protocol ConnectionMonitor: Sendable {
  /// Called when a statement has ended, or was reset before its end.
  ///
  /// The connection is in use, so calling its queue or pool throws ``ResultCode/misuse``.
  func statementDidEnd(_ statement: StatementRecord)

  /// Called when an access to a queue or pool has ended, or was cancelled while it waited.
  ///
  /// The access no longer uses the connection, and only the caller of the access waits for this method. The
  /// method can therefore use the queue or pool, for example to store slow accesses in a table.
  func accessDidEnd(_ access: AccessRecord)

  /// Called when a pool has maintained its database, or found a problem; see ``PoolUpkeep``.
  ///
  /// No access waits for this method, and the method can use the pool.
  func upkeepDidRun(_ record: UpkeepRecord)

  /// Returns whether the monitor requests the query plan of a statement; called just after ``statementDidEnd(_:)``.
  ///
  /// SQLite compiles the statement once more to determine its plan, so request few plans, for example with a
  /// ``SlowStatementMonitor``. After 100 requests in one access, this method is not called again until the next
  /// access. Determining the plan of a statement that writes sets ``Connection/changes`` to 0.
  func wantsExplanation(of statement: StatementRecord) -> Bool

  /// Called with the query plan of a statement, before ``accessDidEnd(_:)`` of its access.
  ///
  /// Each statement whose plan was requested is reported, even if it has no plan; see
  /// ``StatementExplanation/plan``. This method can use the queue or pool. If no queue or pool owns the connection,
  /// the method is called just after ``wantsExplanation(of:)``, while the connection is in use.
  func statementWasExplained(_ explanation: StatementExplanation)
}

extension ConnectionMonitor {
  /// Does nothing.
  public func statementDidEnd(_ statement: StatementRecord) {}

  /// Does nothing.
  public func accessDidEnd(_ access: AccessRecord) {}

  /// Does nothing.
  public func upkeepDidRun(_ record: UpkeepRecord) {}

  /// Requests no plan.
  public func wantsExplanation(of statement: StatementRecord) -> Bool { false }

  /// Does nothing.
  public func statementWasExplained(_ explanation: StatementExplanation) {}
}

/// The cost of one run of a statement.
public struct StatementRecord: Hashable, Sendable {
  /// The SQL of the statement, without the values that were bound.
  public let sql: String
  /// The time of the first step.
  public let start: ContinuousClock.Instant
  /// The time from the first step to the last, including the work between rows.
  public let duration: Duration
  /// The number of rows that the statement returned.
  public let rowCount: Int
  /// The number of operations that SQLite carried out for the statement.
  public let stepCount: Int
  /// The number of sorts that SQLite performed because no index supplied the order.
  public let sortCount: Int
  /// The number of rows that SQLite visited in full table scans.
  public let fullScanStepCount: Int
}

/// The cost of one access to a queue or pool.
public struct AccessRecord: Hashable, Sendable {
  /// The label of the queue or pool; for a reader of a pool, the label of the pool with `.reader` at its end.
  public let label: String
  /// The time at which the access was requested, before it waited.
  public let start: ContinuousClock.Instant
  /// The time that the access waited for its turn.
  public let wait: Duration
  /// The time for which the access used the connection.
  public let duration: Duration
  /// The number of times that the access waited for a lock of another connection.
  public let lockWaitCount: Int
  /// Whether the access threw an error.
  public let isFailed: Bool
}

extension Connection {
  /// Reports each statement to a monitor from now on.
  fileprivate func tell(_ monitor: any ConnectionMonitor) throws {
    var running: [UInt: RunningStatement] = [:]
    let unexplained = UnexplainedStatements()
    _ = slots.replace(UnexplainedStatements.self, by: unexplained)
    try trace([.statement, .row, .profile]) { [unowned self, unowned state] event in
      guard let number = event.statementID else { return }
      switch event.kind {
      case .statement:
        running[number] = RunningStatement(event)
        state.interruptState?.noteStatement(text(of: event))
      case .row: running[number]?.rowCount += 1
      case .profile:
        guard let start = running.removeValue(forKey: number) else { return }
        guard sluice_is_in_monitor() == 0 else { return }
        let record = start.record(event, text(of: event) ?? "")
        inMonitor { state.report(record, event, unexplained, to: monitor) }
      case .trigger, .close: return
      }
    }
  }
}

extension Connection {
  /// Returns the SQL of the statement of an event, as the program wrote it.
  private func text(of event: borrowing TraceEvent) -> String? {
    guard let sql = event.sql else { return nil }
    return translator?.text(ofLocal: sql) ?? sql
  }
}

/// The counters of a statement at its start; SQLite does not reset them between runs.
private struct RunningStatement {
  var rowCount = 0
  private let start = ContinuousClock.now
  private let steps: Int
  private let sorts: Int
  private let fullScanSteps: Int

  init(_ event: borrowing TraceEvent) {
    steps = event.count(of: SQLITE_STMTSTATUS_VM_STEP)
    sorts = event.count(of: SQLITE_STMTSTATUS_SORT)
    fullScanSteps = event.count(of: SQLITE_STMTSTATUS_FULLSCAN_STEP)
  }

  func record(_ event: borrowing TraceEvent, _ sql: String) -> StatementRecord {
    // SQLite measures in milliseconds, which are too coarse for most statements.
    let duration = start.duration(to: .now)
    // A counter may have been reset to zero during the run.
    return StatementRecord(
      sql: sql, start: start, duration: duration, rowCount: rowCount,
      stepCount: max(0, event.count(of: SQLITE_STMTSTATUS_VM_STEP) - steps),
      sortCount: max(0, event.count(of: SQLITE_STMTSTATUS_SORT) - sorts),
      fullScanStepCount: max(0, event.count(of: SQLITE_STMTSTATUS_FULLSCAN_STEP) - fullScanSteps))
  }
}

extension Configuration {
  /// The monitor of the connections and queues that are opened with this configuration.
  ///
  /// Without a monitor, which is the default, nothing is measured, and there is no cost. With a monitor,
  /// synchronous calls of a queue lose their fast path.
  public var monitor: (any ConnectionMonitor)? {
    get { monitoring?.purpose as? any ConnectionMonitor }
    set {
      monitoring = newValue.map { monitor in Preparation(for: monitor) { try $0.tell(monitor) } }
    }
  }
}
