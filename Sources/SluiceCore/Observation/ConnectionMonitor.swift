import CSluice

/// Is told of what connections and queues do, and how long it takes: for logs, metrics and traces.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.monitor = JSONLinesMonitor()
/// let queue = try ConnectionQueue(label: "app", configuration: configuration)
/// ```
///
/// Several threads can call at the same time, and who has called the access waits. Values that are bound to statements
/// are not told of, nor is what a method itself does, before it returns, with databases that have a monitor.
///
/// For an awaited access whose closure has begun, both methods are called in the task that awaits it, and can read its
/// task-local values.
public protocol ConnectionMonitor: Sendable {
  /// A statement has come to its end, or was reset before.
  ///
  /// The connection is in use, so that a call of its queue or pool throws ``ResultCode/misuse``.
  func statementDidEnd(_ statement: StatementRecord)

  /// An access to a queue or pool has come to its end, or was cancelled while it waited.
  ///
  /// Nobody waits for it any more but who has called it, so that its queue and pool can be used, for example to keep
  /// what is slow in a table.
  func accessDidEnd(_ access: AccessRecord)
}

extension ConnectionMonitor {
  /// Does nothing.
  public func statementDidEnd(_ statement: StatementRecord) {}

  /// Does nothing.
  public func accessDidEnd(_ access: AccessRecord) {}
}

/// The cost of one run of a statement.
public struct StatementRecord: Hashable, Sendable {
  /// The SQL, without the values that were bound.
  public let sql: String
  /// How long it took from its first step to its last, with what was done between its rows.
  public let duration: Duration
  /// How many rows it has returned.
  public let rowCount: Int
  /// How many operations SQLite has carried out for it.
  public let stepCount: Int
  /// How many times it has sorted rows, which an index would have spared it.
  public let sortCount: Int
  /// How many rows it has looked at because no index led to those that were wanted.
  public let fullScanStepCount: Int
}

/// The cost of one access to a queue or pool.
public struct AccessRecord: Hashable, Sendable {
  /// The label of the queue or pool.
  public let label: String
  /// How long it has waited for its turn.
  public let wait: Duration
  /// How long it had the connection.
  public let duration: Duration
  /// How many times it had to wait for a lock of another connection.
  public let lockWaitCount: Int
  /// Whether it has thrown.
  public let isFailed: Bool
}

extension Connection {
  /// Tells a monitor of each statement from now on.
  func tell(_ monitor: any ConnectionMonitor) throws {
    var running: [UInt: RunningStatement] = [:]
    try trace([.statement, .row, .profile]) { event in
      guard let number = event.statementID else { return }
      switch event.kind {
      case .statement: running[number] = RunningStatement(event)
      case .row: running[number]?.rowCount += 1
      case .profile(let duration):
        guard let start = running.removeValue(forKey: number) else { return }
        guard sluice_is_in_monitor() == 0 else { return }
        let record = start.record(event, duration)
        inMonitor { monitor.statementDidEnd(record) }
      case .trigger, .close: return
      }
    }
  }
}

/// The counters of a statement when it began: they go on from one run to the next.
private struct RunningStatement {
  var rowCount = 0
  private let steps: Int
  private let sorts: Int
  private let fullScanSteps: Int

  init(_ event: borrowing TraceEvent) {
    steps = event.count(of: SQLITE_STMTSTATUS_VM_STEP)
    sorts = event.count(of: SQLITE_STMTSTATUS_SORT)
    fullScanSteps = event.count(of: SQLITE_STMTSTATUS_FULLSCAN_STEP)
  }

  func record(_ event: borrowing TraceEvent, _ duration: Duration) -> StatementRecord {
    // Somebody may have set a count to zero meanwhile.
    StatementRecord(
      sql: event.sql ?? "", duration: duration, rowCount: rowCount,
      stepCount: max(0, event.count(of: SQLITE_STMTSTATUS_VM_STEP) - steps),
      sortCount: max(0, event.count(of: SQLITE_STMTSTATUS_SORT) - sorts),
      fullScanStepCount: max(0, event.count(of: SQLITE_STMTSTATUS_FULLSCAN_STEP) - fullScanSteps))
  }
}

/// A monitor, which is equal to itself alone.
struct MonitorBox: Hashable, Sendable {
  let monitor: any ConnectionMonitor
  private let identity = Identity()

  private final class Identity: Sendable {}

  init(_ monitor: any ConnectionMonitor) { self.monitor = monitor }

  static func == (first: Self, second: Self) -> Bool { first.identity === second.identity }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }
}

extension Configuration {
  /// Who is told of what connections and queues do that are opened with this configuration.
  ///
  /// Without one, which is the default, nothing is measured, and it costs nothing. With one, synchronous calls of a
  /// queue take the way of the others, which is longer.
  public var monitor: (any ConnectionMonitor)? {
    get { monitorBox?.monitor }
    set { monitorBox = newValue.map { MonitorBox($0) } }
  }
}
