import CSQLite

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
  /// `body` does not run if the transaction is rolled back, nor if a savepoint around this call is rolled back: that
  /// of a nested `transaction` or `savepoint`, or one of SQL. A statement that fails drops the
  /// closures that its functions and hooks have registered. If a queue retries the transaction, only the closures of
  /// the last attempt remain. A commit that fails runs no closure, not even after an I/O error that leaves open
  /// whether the transaction is on disk.
  ///
  /// The closures run in the order of registration, on the thread that commits, before the call that commits
  /// returns. The connection can be used by then: `body` can read, begin a transaction of its own, and
  /// register closures for that one. `body` cannot throw, because the transaction can no longer be undone. If a
  /// closure leaves a transaction open, the remaining closures wait for its end. It does not matter whether the
  /// transaction has written, nor to which database.
  ///
  /// If a function commits while a statement calls it, the closures run after that statement. Closing the
  /// connection drops the closures. The child of a fork does not run those of its parent.
  ///
  /// Outside of a transaction this throws ``ResultCode/misuse``: earlier statements are committed already, and
  /// nothing tells whether `body` belongs to the next one. A statement outside of a transaction is one by itself for
  /// the functions and hooks that it calls.
  ///
  /// Nothing in C corresponds to it: it uses `sqlite3_rollback_hook` and `sqlite3_get_autocommit`.
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
