import CSluice

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
        telling { monitor.statementDidEnd(record) }
      case .trigger, .close: return
      }
    }
  }
}

/// What a statement had counted when it began: its counts go on from one run to the next.
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
