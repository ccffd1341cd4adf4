import CSluice

extension Connection {
  /// Runs `body` once, after the running transaction has been committed.
  ///
  /// ```swift
  /// try connection.transaction { connection in
  ///   try connection.execute(sql: "INSERT INTO invoice(amount) VALUES (100)")
  ///   try connection.afterCommit { _ in print("The invoice is stored.") }
  /// }
  /// ```
  ///
  /// `body` does not run if the transaction is rolled back, or a savepoint around this call. A statement that writes
  /// and fails drops the closures that its functions and hooks have registered. If a queue retries the transaction, only the
  /// closures of the last attempt remain. A commit that fails runs no closure, even if an I/O error leaves open whether
  /// the transaction is on disk.
  ///
  /// The closures run in the order of registration, on the thread that commits, before the call that commits
  /// returns. `body` can use the connection: read, begin a transaction, and register closures for that transaction.
  /// It cannot throw, because the transaction can no longer be undone. If it leaves a transaction open, the remaining
  /// closures wait for the end of that transaction; on a queue it is rolled back, with ``ResultCode/misuse``. The closures also run after a transaction that has only read.
  ///
  /// If a function commits while a statement calls it, the closures run after that statement. Closing the
  /// connection drops the closures. The child of a fork does not run those of its parent.
  ///
  /// Outside of a transaction this throws ``ResultCode/misuse``. A statement outside of a transaction is a transaction
  /// for the functions and hooks that it calls.
  ///
  /// No C function corresponds to it: it uses `sqlite3_rollback_hook` and `sqlite3_get_autocommit`.
  public func afterCommit(_ body: @escaping (_ connection: Connection) -> Void) throws {
    let handle = try unsafe handle()
    guard unsafe !isInAutocommit || sqlite3_txn_state(handle, nil) == SQLITE_TXN_WRITE else {
      throw SQLiteError(
        .misuse, "There is no transaction after whose commit the closure could run: begin one first"
      )
    }
    transactionWatch.add(body)
  }
}
