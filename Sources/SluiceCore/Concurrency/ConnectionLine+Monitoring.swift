import CSluice
import Synchronization

// How long accesses wait and take, for lines that somebody listens to.
extension ConnectionLine {
  /// When a call was made, if anybody wants to know how long it waits.
  var called: ContinuousClock.Instant? {
    monitor == nil || sluice_is_in_monitor() != 0 ? nil : .now
  }

  /// Runs an access that was called for at a time, and tells what it took when it has left the line.
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
    let timer = AccessTimer(called, alarm)
    let result = Result { try access(timer) }
    let isFailed = if case .failure = result { true } else { false }
    return (result, timer.record(label, isFailed))
  }

  /// Tells what an access took, which nobody waits for any more but who has called it.
  func tell(_ record: AccessRecord?) {
    guard let monitor, let record else { return }
    telling { monitor.accessDidEnd(record) }
  }
}

/// Runs a method of a monitor, of whose own work none is told: that would never end.
func telling(_ body: () -> Void) {
  sluice_enter_monitor(1)
  defer { sluice_enter_monitor(-1) }
  body()
}

/// Measures one access, for those who listen.
final class AccessTimer {
  private let called: ContinuousClock.Instant
  private let alarm: Alarm
  private var wait: Duration?
  private var duration = Duration.zero
  private var lockWaits = 0

  init(_ called: ContinuousClock.Instant, _ alarm: Alarm) {
    self.called = called
    self.alarm = alarm
  }

  /// Takes note that the access has got the connection.
  func begin() {
    wait = .now - called
    lockWaits = alarm.busyCount.load(ordering: .relaxed)
  }

  /// Takes note that it is done with it, before others get it.
  func end() {
    duration = .now - called - (wait ?? .zero)
    lockWaits = alarm.busyCount.load(ordering: .relaxed) - lockWaits
  }

  func record(_ label: String, _ isFailed: Bool) -> AccessRecord {
    AccessRecord(
      label: label, wait: wait ?? .now - called, duration: duration, lockWaitCount: lockWaits,
      isFailed: isFailed)
  }
}
