extension Connection {
  /// Calls `body` with the `sqlite3` handle of this connection, for C functions that Sluice lacks.
  ///
  /// ```swift
  /// let isReadOnly = try unsafe connection.withUnsafeHandle { handle in
  ///   unsafe sqlite3_db_readonly(handle, "main") == 1
  /// }
  /// ```
  ///
  /// The compiler cannot check the code of `body`. The closure must not:
  ///
  /// - close the connection, or keep the handle after it returns;
  /// - finalize or step one of Sluice's statements, or leave its own statement unfinalized, which would keep the
  ///   connection from closing;
  /// - end a transaction or savepoint that was begun by Sluice for a closure. That closure would then throw, and
  ///   the changes that `body` makes in a later transaction would be rolled back;
  /// - set a commit, rollback, update, preupdate, WAL, busy, progress or trace hook, or an authorizer: each would
  ///   replace Sluice's own, so that observers would no longer be notified of changes.
  ///
  /// `body` may begin and end transactions, change the schema, and write. Afterwards, the connection queries the
  /// transaction state from SQLite, and clears its statement cache. Observers are notified that everything may have
  /// changed. A ``TransactionObserver`` may receive row changes that `body` made and that were then undone, because a
  /// savepoint was rolled back or a statement failed. A sequence from ``DatabaseReader/rowChanges(in:schema:limit:)``
  /// throws ``ResultCode/misuse`` if `body` writes rows that it observes.
  ///
  /// - Returns: The value that `body` returns.
  /// - Throws: ``ResultCode/misuse`` if the connection is closed, belongs to another thread, or runs a hook or
  ///   collation; the error of `body`. If `body` succeeds, but a closure such as an update hook threw an error that
  ///   SQLite could not report, the method rolls back the transaction and throws that error.
  @unsafe
  public func withUnsafeHandle<T>(_ body: (_ handle: OpaquePointer) throws -> T) throws -> T {
    let handle = try unsafe readyHandle()
    try state.requireWriting()
    return try lendingHandle(changes: true) { try unsafe body(handle) }
  }

  /// Runs code that uses the handle, and then updates Sluice's state.
  ///
  /// `changes` is evaluated after `body`, and is true if `body` may have run a statement.
  func lendingHandle<T>(
    changes: @autoclosure () -> Bool, _ body: () throws -> T
  ) throws -> T {
    let isProtected = state.writes.policy.isReading ? try pragma(.queryOnly) : true
    if !isProtected { try setPragma(.queryOnly, to: true) }
    let isMarked = state.scope.depth > 0 && state.calls.depth == 0 && !isInAutocommit
    if isMarked { try performOnce("SAVEPOINT sluice_handle") }
    state.writes.note()
    let result = state.lendingHandle {
      Result {
        guard let tracker = state.tracker else { return try body() }
        return try tracker.runUnseen(body)
      }
    }
    let refusal = state.hasUnheardVeto ? undoVetoed() : nil
    state.dropFailure()
    if isMarked, !isInAutocommit {
      // If `body` ended the scope's transaction and began another one, the savepoint no longer exists, and the new
      // transaction is rolled back.
      do { try performOnce("RELEASE sluice_handle") } catch { rollBackPastHooks() }
    }
    noteEnd()
    if changes() { evictStatements() }
    if !isProtected { try? setPragma(.queryOnly, to: false) }
    state.settle()
    let value = try result.get()
    if let refusal { throw refusal }
    return value
  }
}
