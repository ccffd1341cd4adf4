import CSluice

extension Connection {
  /// Calls `body` before each transaction is committed, which it prevents by throwing.
  ///
  /// ```swift
  /// try connection.onCommit {
  ///   guard balance >= 0 else { throw Overdrawn() }
  /// }
  /// ```
  ///
  /// A statement outside of a transaction is one by itself. If `body` throws, the transaction is rolled
  /// back, and the statement or scope that was to commit throws that error. An ``SQLiteError`` without SQL gets
  /// that of the statement. A transaction that has written nothing is not told of.
  ///
  /// Several observers are called in the order in which they came, until one throws. None can use the
  /// connection: SQLite is in the middle of the commit, so that all but asking throws
  /// ``ResultCode/misuse``.
  ///
  /// The connection keeps `body` until the token is cancelled, or the connection closes. So if `body`
  /// refers to the connection, neither is released before ``close()``.
  ///
  /// The corresponding C function is `sqlite3_commit_hook`.
  @discardableResult
  public func onCommit(_ body: @escaping () throws -> Void) throws -> HookToken {
    try observe(\.commit) { _ in try body() }
  }

  /// Calls `body` after each transaction that is rolled back: by SQL, by a scope, or by SQLite itself.
  ///
  /// It is not called for a savepoint that is rolled back inside of a transaction, nor for what is
  /// undone because the connection closes. In all else it is like ``onCommit(_:)``, but that nothing
  /// can be prevented any more.
  ///
  /// The corresponding C function is `sqlite3_rollback_hook`.
  @discardableResult
  public func onRollback(_ body: @escaping () -> Void) throws -> HookToken {
    try observe(\.rollback) { _ in body() }
  }
}

extension Hooks {
  func installCommitHook(_ handle: OpaquePointer, _ isOn: Bool) {
    guard isOn else {
      unsafe sqlite3_commit_hook(handle, nil, nil)
      return
    }
    unsafe sqlite3_commit_hook(handle, { unsafe Hooks.at($0).refusesCommit() ? 1 : 0 }, pointer)
  }

  private func refusesCommit() -> Bool {
    // What was refused while it was written is not to be kept.
    if state.hasVeto { return true }
    let isRefused = state.within(.hook) {
      do {
        try commit.tell(())
        try state.transactionWatch?.prepareCommit()
      } catch {
        state.keepFailure(error)
        return true
      }
      return false
    }
    if !isRefused, state.tracker != nil { state.hasCommitted = true }
    return isRefused
  }

  func tellRollback() {
    // They cannot throw.
    state.within(.hook) { try? rollback.tell(()) }
  }
}
