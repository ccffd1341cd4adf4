import CSluice
import Dispatch

extension Connection {
  /// Sets the busy handler, which decides whether to retry when another connection holds a lock.
  ///
  /// ```swift
  /// try connection.setBusyHandler { count in
  ///   Thread.sleep(forTimeInterval: 0.01)
  ///   return count < 100
  /// }
  /// ```
  ///
  /// `count` is the number of earlier calls of the handler for the same lock. The handler itself must wait, for
  /// example by sleeping. If the handler returns false, the call that needs the lock throws ``ResultCode/busy``. If
  /// the handler throws, the call throws that error. SQLite does not call the handler if waiting would cause a
  /// deadlock, and in some cases continues without the lock.
  ///
  /// A connection has either a handler or a timeout. A handler replaces an earlier handler, and the timeout of
  /// ``Configuration/busyTimeout`` or ``setBusyTimeout(_:)``. A timeout, including one from `PRAGMA busy_timeout`,
  /// replaces the handler. Nil restores the timeout of ``configuration``.
  ///
  /// Using the connection in `handler` throws ``ResultCode/misuse``. The connection retains `handler` until another
  /// handler or a timeout replaces it, or the connection closes.
  ///
  /// The corresponding C function is `sqlite3_busy_handler`.
  public func setBusyHandler(_ handler: ((_ count: Int) throws -> Bool)?) throws {
    let handle = try unsafe handle()
    guard let handler else { return try unsafe replaceBusyHandler(handle, by: nil) }
    let hooks = try hooksToChange()
    try unsafe replaceBusyHandler(handle, by: hooks.observer { try handler(copy $0) })
  }

  /// Sets how long to wait for another connection's lock before a call throws ``ResultCode/busy``.
  ///
  /// The timeout replaces a handler that ``setBusyHandler(_:)`` has set, and becomes the timeout of
  /// ``configuration``. If the timeout is zero, the connection does not wait.
  ///
  /// The corresponding C function is `sqlite3_busy_timeout`.
  public func setBusyTimeout(_ timeout: Duration) throws {
    try requireLocal(.busyTimeout)
    let handle = try unsafe handle()
    try state.require(.use)
    configuration.busyTimeout = timeout
    try unsafe replaceBusyHandler(handle, by: nil)
  }

  /// Replaces the handler and the timeout by the timeout that SQL has set.
  func adoptBusyTimeout() throws {
    let handle = try unsafe handle()
    var timeout = Duration.zero
    try state.cleaningUp {
      try unsafe RawQuery.run("PRAGMA busy_timeout", on: handle) { row in
        timeout = .milliseconds(unsafe sqlite3_column_int64(row, 0))
      }
    }
    configuration.busyTimeout = timeout
    try unsafe replaceBusyHandler(handle, by: nil)
  }

  private func replaceBusyHandler(_ handle: OpaquePointer, by new: Observer<Int, Bool>?) throws {
    try state.require(.use)
    if let old = hooks?.busy { state.release(old) }
    hooks?.busy = new
    if new == nil { unsafe sqlite3_busy_handler(handle, nil, nil) }
    unsafe resumeWaiting(handle)
    state.settle()
  }
}

extension Hooks {
  func installBusyHandler(_ handle: OpaquePointer) {
    unsafe sqlite3_busy_handler(
      handle, { me, count in unsafe Hooks.at(me).triesAgain(Int(count)) ? 1 : 0 }, pointer)
  }

  private func triesAgain(_ count: Int) -> Bool {
    guard let busy, !state.refusesToWait() else { return false }
    state.noteBusy()
    return state.within(.hook) {
      do { return try busy.tell(count) } catch {
        state.keepFailure(error)
        return false
      }
    }
  }
}

extension Connection {
  /// Waits until another connection that shares the cache has ended its transaction.
  ///
  /// Call this method after a statement threw ``ResultCode/lockedSharedCache``, and then retry the statement.
  ///
  /// ```swift
  /// while true {
  ///   do { return try statement.execute() } catch SQLiteError.lockedSharedCache {
  ///     try connection.waitForUnlock()
  ///   }
  /// }
  /// ```
  ///
  /// Only connections with a shared cache block each other in this way, and few programs need a shared cache. The
  /// busy timeout does not apply to these locks. The method blocks the calling thread, so the other connection must
  /// be used on another thread. If there is nothing to wait for, the method returns immediately.
  ///
  /// - Throws: ``ResultCode/locked`` if the other connection is waiting for this one, which would be a deadlock.
  ///   ``ResultCode/busyTimeout`` when `timeout` has passed. ``ResultCode/notFound`` if the linked SQLite lacks
  ///   ``SQLiteCapability/unlockNotify``.
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
      throw SQLiteError(.locked, "The connections would deadlock: each waits for the other")
    }
    guard !signal.wait(timeout) else { return }
    unsafe sluice_unlock_notify(handle, nil, nil)
    // SQLite no longer calls back, but may have done so just before.
    guard !signal.wait(.zero) else { return }
    unsafe Unmanaged<UnlockSignal>.fromOpaque(pointer).release()
    throw SQLiteError(.busyTimeout, "The other connection has not ended its transaction")
  }
}

/// A flag that one thread waits for and another thread raises.
private final class UnlockSignal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func raise() { semaphore.signal() }

  /// Waits for the flag, and returns whether it was raised before the timeout.
  func wait(_ timeout: Duration) -> Bool {
    semaphore.wait(timeout: .now() + .milliseconds(Int(timeout.milliseconds))) == .success
  }
}
