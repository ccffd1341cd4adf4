import Synchronization

// How long accesses wait and take, for lines that somebody listens to.
extension ConnectionLine {
  /// When a call was made, if anybody wants to know how long it waits.
  var called: ContinuousClock.Instant? { monitor == nil ? nil : .now }

  /// Runs an access that was called for at a time, and tells what it took.
  func monitored<T>(
    since called: ContinuousClock.Instant?,
    _ access: (_ begin: () -> Void) throws -> T
  ) throws -> T {
    guard let monitor, let called else { return try access {} }
    var begun: ContinuousClock.Instant?
    var lockWaits = 0
    let result = Result {
      try access {
        begun = .now
        lockWaits = alarm.busyCount.load(ordering: .relaxed)
      }
    }
    let now = ContinuousClock.now
    let isFailed = if case .failure = result { true } else { false }
    monitor.accessDidEnd(
      AccessRecord(
        label: label, wait: (begun ?? now) - called, duration: now - (begun ?? now),
        lockWaitCount: begun == nil ? 0 : alarm.busyCount.load(ordering: .relaxed) - lockWaits,
        isFailed: isFailed))
    return try result.get()
  }
}
