import CSluice
import Dispatch

extension Connection {
  /// Asks `handler` whether to try again when another connection holds a lock.
  ///
  /// ```swift
  /// try connection.setBusyHandler { count in
  ///   Thread.sleep(forTimeInterval: 0.01)
  ///   return count < 100
  /// }
  /// ```
  ///
  /// `count` is how many times it was asked before for the same lock. It waits by itself, if it wants to
  /// wait. If it returns false, ``ResultCode/busy`` is thrown, and if it throws, that error. SQLite does not ask where
  /// waiting would be a deadlock, and sometimes gets on without the lock.
  ///
  /// A connection waits in one way: this takes the place of ``Configuration/busyTimeout``, of
  /// ``setBusyTimeout(_:)`` and of a handler from before, and they take its place; so does the SQL
  /// `PRAGMA busy_timeout`. Nil goes back to the timeout of ``configuration``.
  ///
  /// `handler` cannot use the connection, which throws ``ResultCode/misuse``. The connection keeps it
  /// until something takes its place, or the connection closes.
  ///
  /// The corresponding C function is `sqlite3_busy_handler`.
  public func setBusyHandler(_ handler: ((_ count: Int) throws -> Bool)?) throws {
    let handle = try unsafe handle()
    guard let handler else { return try unsafe replaceBusyHandler(handle, by: nil) }
    let hooks = try hooksToChange()
    try unsafe replaceBusyHandler(handle, by: hooks.observer { try handler(copy $0) })
  }

  /// Waits up to `timeout` for a lock that another connection holds, before ``ResultCode/busy`` is
  /// thrown.
  ///
  /// It takes the place of a handler that ``setBusyHandler(_:)`` has set, and is what ``configuration``
  /// has from now on. Zero does not wait.
  ///
  /// The corresponding C function is `sqlite3_busy_timeout`.
  public func setBusyTimeout(_ timeout: Duration) throws {
    let handle = try unsafe handle()
    try state.require(.use)
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
      throw SQLiteError(.locked, "The connections would deadlock: each waits for the other")
    }
    guard !signal.wait(timeout) else { return }
    unsafe sluice_unlock_notify(handle, nil, nil)
    // SQLite does not call any more, but it may have called just before.
    guard !signal.wait(.zero) else { return }
    unsafe Unmanaged<UnlockSignal>.fromOpaque(pointer).release()
    throw SQLiteError(.busyTimeout, "The other connection has not ended its transaction")
  }
}

/// A flag that a thread waits for and another one raises.
private final class UnlockSignal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func raise() { semaphore.signal() }

  /// Whether it has been raised before the time has passed.
  func wait(_ timeout: Duration) -> Bool {
    semaphore.wait(timeout: .now() + .milliseconds(Int(timeout.milliseconds))) == .success
  }
}
