import CSluice

extension Connection {
  /// Calls `body` before each commit, which `body` can prevent by throwing.
  ///
  /// ```swift
  /// try connection.onCommit {
  ///   guard balance >= 0 else { throw Overdrawn() }
  /// }
  /// ```
  ///
  /// A statement outside a transaction is its own transaction. If `body` throws, the transaction is rolled back,
  /// and the statement, or the call of `transaction` or `savepoint`, that was committing throws that error. If the
  /// error is an ``SQLiteError`` without SQL, it is thrown with the SQL of the statement. A transaction that has
  /// written nothing is not reported.
  ///
  /// Several observers are called in the order in which they were added, until one throws. An observer can query
  /// the state of the connection, but cannot otherwise use the connection: SQLite is in the middle of the commit,
  /// so every other use throws ``ResultCode/misuse``.
  ///
  /// The connection retains `body` until the token is cancelled, or the connection closes. If `body` retains the
  /// connection, neither of them is deallocated before you cancel the token or call ``close()``.
  ///
  /// The corresponding C function is `sqlite3_commit_hook`.
  @discardableResult
  public func onCommit(_ body: @escaping () throws -> Void) throws -> HookToken {
    try observe(\.commit) { _ in try body() }
  }

  /// Calls `body` after each rollback of a transaction, whether by SQL, by this library, or by SQLite itself.
  ///
  /// `body` is not called when a savepoint inside a transaction is rolled back, or when closing the connection
  /// undoes changes. `body` cannot prevent the rollback. In all other respects, this method behaves like
  /// ``onCommit(_:)``.
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
    // A commit must not include a row that an observer refused while the row was written.
    if state.hasVeto { return true }
    let isRefused = state.within(.hook) {
      do {
        try commit.tell(())
        try state.watchers.transactions?.prepareCommit()
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
    // Observers of rollbacks cannot throw.
    state.within(.hook) { try? rollback.tell(()) }
  }
}

extension Connection {
  /// Registers `body` to run once, after the open transaction has been committed.
  ///
  /// ```swift
  /// try connection.transaction { connection in
  ///   try connection.execute(sql: "INSERT INTO invoice(amount) VALUES (100)")
  ///   try connection.afterCommit { _ in print("The invoice is stored.") }
  /// }
  /// ```
  ///
  /// `body` does not run if the transaction, or a savepoint that encloses this call, is rolled back. If a statement
  /// that writes fails, the closures that its functions and hooks have registered are dropped. If a queue retries
  /// the transaction, only the closures of the last attempt remain. If the commit fails, no closure runs, even if
  /// an I/O error makes it uncertain whether the transaction is on disk.
  ///
  /// The closures run in the order of registration, on the thread that commits, before the call that commits
  /// returns. `body` can use the connection: it can read, begin a transaction, and register closures for that
  /// transaction. It cannot throw, because the transaction can no longer be undone. If `body` leaves a transaction
  /// open, the remaining closures wait for the end of that transaction. On a queue, a transaction that `body` leaves
  /// open is rolled back, and the queue's call throws ``ResultCode/misuse``. The closures also run after a
  /// transaction that has only read.
  ///
  /// If an SQL function commits the transaction, the closures run after the statement that calls the function.
  /// Closing the connection drops the closures. A forked child process does not run the closures of its parent.
  ///
  /// Outside a transaction, this method throws ``ResultCode/misuse``. A statement that writes outside a transaction
  /// counts as an open transaction for the functions and hooks that the statement calls.
  ///
  /// No C function corresponds to this method, which uses `sqlite3_rollback_hook` and `sqlite3_get_autocommit`.
  public func afterCommit(_ body: @escaping (_ connection: Connection) -> Void) throws {
    let handle = try unsafe handle()
    guard unsafe !isInAutocommit || sqlite3_txn_state(handle, nil) == SQLITE_TXN_WRITE else {
      throw SQLiteError(
        .misuse, "afterCommit(_:) needs an open transaction; begin one first"
      )
    }
    transactionWatch.add(body)
  }
}
