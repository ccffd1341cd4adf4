import CSluice

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
    state.drainOutside()
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
