import CSluice
import Dispatch

extension Connection {
  /// Waits until another connection that shares the cache has ended its transaction, after a statement
  /// threw ``ResultCode/lockedSharedCache``; what failed can be tried again then.
  ///
  /// ```swift
  /// while true {
  ///   do { return try statement.execute() } catch SQLiteError.lockedSharedCache {
  ///     try connection.waitForUnlock()
  ///   }
  /// }
  /// ```
  ///
  /// Only connections with a shared cache, which few programs need, lock each other in this way; the
  /// busy timeout does not wait for them. It blocks the thread, so the other connection has to be in
  /// use by another one. If there is nothing to wait for, it returns at once.
  ///
  /// It throws ``ResultCode/locked`` if the other connection in turn waits for this one, which would be
  /// for ever, ``ResultCode/busyTimeout`` when `timeout` has passed, and ``ResultCode/notFound`` if the
  /// linked SQLite lacks ``SQLiteCapability/unlockNotify``.
  ///
  /// The corresponding C function is `sqlite3_unlock_notify`.
  public func waitForUnlock(timeout: Duration = .seconds(5)) throws {
    let handle = try unsafe handle()
    try SQLiteLibrary.require(.unlockNotify)
    try state.require(.use)
    let signal = UnlockSignal()
    let pointer = unsafe Unmanaged.passRetained(signal).toOpaque()
    let code = unsafe sluice_unlock_notify(
      handle,
      { signals, count in
        for index in 0..<Int(count) {
          guard let signal = unsafe signals?[index] else { continue }
          unsafe Unmanaged<UnlockSignal>.fromOpaque(signal).takeRetainedValue().raise()
        }
      }, pointer)
    guard code == SQLITE_OK else {
      unsafe Unmanaged<UnlockSignal>.fromOpaque(pointer).release()
      throw SQLiteError(.locked, "Two connections wait for each other")
    }
    guard !signal.wait(timeout) else { return }
    unsafe sluice_unlock_notify(handle, nil, nil)
    // SQLite does not call any more, but it may have called just before.
    guard !signal.wait(.zero) else { return }
    unsafe Unmanaged<UnlockSignal>.fromOpaque(pointer).release()
    throw SQLiteError(.busyTimeout, "The other connection has not ended its transaction")
  }
}

/// What a thread waits for that another one raises.
private final class UnlockSignal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func raise() { semaphore.signal() }

  /// Whether it has been raised before the time has passed.
  func wait(_ timeout: Duration) -> Bool {
    semaphore.wait(timeout: .now() + .milliseconds(Int(timeout.milliseconds))) == .success
  }
}
