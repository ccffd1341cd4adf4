import CSluice
import Synchronization

/// The wait of a queue's connection for a lock that another connection holds.
///
/// SQLite's own busy timeout waits in the same way, but cancellation cannot end that wait.
struct LockWait {
  var timeout = Duration.zero
  private var end = ContinuousClock.now

  /// Sleeps before the next attempt to acquire a lock; the delay grows with each attempt.
  ///
  /// - Parameter count: The number of earlier calls for the same lock.
  /// - Returns: False if the timeout has passed, so that there was no time left to sleep.
  mutating func sleep(_ count: Int32) -> Bool {
    let now = ContinuousClock.now
    if count == 0 { end = now + timeout }
    guard now < end else { return false }
    let delays: [Int32] = [1, 2, 5, 10, 15, 20]
    let delay = Int(count) < delays.count ? delays[Int(count)] : 25
    sqlite3_sleep(min(delay, max(1, (end - now).milliseconds)))
    return true
  }
}

extension ConnectionState {
  /// Installs a busy handler that waits for up to `timeout`, or until the connection's work is stopped.
  func waitForLocks(of handle: OpaquePointer, _ timeout: Duration) {
    lockWait.timeout = timeout
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_busy_handler(
      handle,
      { me, count in
        let state = unsafe Unmanaged<ConnectionState>.fromOpaque(me!).takeUnretainedValue()
        return state.waitForLock(count) ? 1 : 0
      }, me)
  }

  private func waitForLock(_ count: Int32) -> Bool {
    guard !refusesToWait() else { return false }
    noteBusy()
    return lockWait.sleep(count) && !refusesToWait()
  }

  /// Counts one wait for a lock.
  func noteBusy() { interruptState?.busyCount.add(1, ordering: .relaxed) }
}

extension Connection {
  /// Restores the first of these that exists: the program's busy handler, the queue's lock wait, the configuration's
  /// busy timeout.
  func resumeWaiting(_ handle: OpaquePointer) {
    if let hooks, hooks.busy != nil { return unsafe hooks.installBusyHandler(handle) }
    guard let timeout = configuration.busyTimeout else { return }
    if timeout > .zero, state.interruptState != nil {
      return unsafe state.waitForLocks(of: handle, timeout)
    }
    unsafe sqlite3_busy_timeout(handle, timeout.milliseconds)
  }
}
