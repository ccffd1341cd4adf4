/// A monitor that requests the query plans of slow statements, and passes them on to another monitor.
///
/// ```swift
/// configuration.monitor = SlowStatementMonitor(
///   threshold: .milliseconds(100), reportingTo: JSONLinesMonitor(threshold: .milliseconds(100)))
/// ```
///
/// The other monitor receives all reports. In addition, its ``ConnectionMonitor/statementWasExplained(_:)`` is
/// called for a statement that takes at least the threshold, at most once per hour for each SQL text. To limit the
/// use of memory and the size of the log, this monitor requests the plans of at most 1,000 SQL texts per hour, and
/// stores only the hash values of the texts. Several connections, queues and pools can share one monitor.
public final class SlowStatementMonitor: ConnectionMonitor {
  private let threshold: Duration
  private let monitor: any ConnectionMonitor
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The times of the last requests, by the hash values of the SQL texts.
  private let requests = Locked<[Int: ContinuousClock.Instant]>([:])

  private static let pause = Duration.seconds(3600)
  private static let capacity = 1000

  /// Creates a monitor that passes each report on to `monitor`.
  ///
  /// - Parameters:
  ///   - threshold: The shortest duration of a slow statement, including the work between its rows.
  ///   - monitor: The monitor that receives the reports and the plans.
  ///   - now: A closure that returns the current time; a test can supply its own.
  public init(
    threshold: Duration, reportingTo monitor: any ConnectionMonitor,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.threshold = threshold
    self.monitor = monitor
    self.now = now
  }

  /// Passes the report on.
  public func statementDidEnd(_ statement: StatementRecord) { monitor.statementDidEnd(statement) }

  /// Passes the report on.
  public func accessDidEnd(_ access: AccessRecord) { monitor.accessDidEnd(access) }

  /// Passes the report on.
  public func upkeepDidRun(_ record: UpkeepRecord) { monitor.upkeepDidRun(record) }

  /// Returns true if the statement is slow and its plan is due, or if the other monitor requests its plan.
  public func wantsExplanation(of statement: StatementRecord) -> Bool {
    statement.duration >= threshold && isDue(statement.sql)
      || monitor.wantsExplanation(of: statement)
  }

  /// Passes the explanation on.
  public func statementWasExplained(_ explanation: StatementExplanation) {
    monitor.statementWasExplained(explanation)
  }

  /// Returns whether a plan is due: the last request for the same text was at least an hour ago.
  ///
  /// If so, this method records a new request. It returns false if too many texts are recorded.
  private func isDue(_ sql: String) -> Bool {
    let now = now()
    let key = sql.hashValue
    return requests.withLock { requests in
      if let last = requests[key], last.duration(to: now) < Self.pause { return false }
      if requests.count >= Self.capacity {
        requests = requests.filter { $0.value.duration(to: now) < Self.pause }
        guard requests.count < Self.capacity else { return false }
      }
      requests[key] = now
      return true
    }
  }
}
