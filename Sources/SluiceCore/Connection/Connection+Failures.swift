import CSluice

extension Connection {
  /// Throws the error that the connection reports, unless `code` is `SQLITE_OK`.
  func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw unsafe SQLiteError(code, of: rawHandle)
  }

  /// Performs an SQLite call that may call back into Swift.
  ///
  /// - Throws: The error that a closure threw during the call, or else the error that SQLite reports.
  @inline(__always)
  func callSQLite(
    sql: @autoclosure () -> String? = nil, _ call: (OpaquePointer) -> Int32
  ) throws {
    let handle = try unsafe handle()
    let code = state.calling { unsafe call(handle) }
    guard code == SQLITE_OK else { throw failure(code, sql: sql()) }
    guard !state.failures.isEmpty else { return }
    if state.hasUnheardVeto { throw undoVetoed(sql: sql()) }
    state.dropFailure()
  }

  /// Returns the error to throw for an SQLite call that has just failed: a closure's error, or else SQLite's.
  func failure(_ code: Int32, sql: String? = nil) -> any Error {
    state.failure(unsafe SQLiteError(code, of: rawHandle, sql: sql))
  }

  /// Runs cleanup work, which must succeed: no hook or limit can refuse it.
  func cleaningUp<T>(_ body: () throws -> T) rethrows -> T {
    guard let handle = unsafe rawHandle else { return try body() }
    let limit = unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, .max)
    defer { unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, limit) }
    return try state.cleaningUp(body)
  }

  /// Undoes work that SQLite completed although a closure refused it, and returns the error of that closure.
  ///
  /// At this point, only the whole transaction can be rolled back.
  func undoVetoed(sql: String? = nil) -> any Error {
    let error = state.failure(SQLiteError(.abort, "A hook rejected a change", sql: sql))
    let isImplicit = isInAutocommit
    // In autocommit mode, a transaction still exists only if other statements are writing.
    if isImplicit, unsafe sqlite3_txn_state(rawHandle, nil) != SQLITE_TXN_WRITE { return error }
    rollBackPastHooks(isImplicit ? "BEGIN; ROLLBACK" : "ROLLBACK")
    return error
  }

  /// Rolls back the transaction, which no hook can prevent.
  ///
  /// The caller reports the reason for the rollback.
  func rollBackPastHooks(_ sql: String = "ROLLBACK") {
    // A failure here is ignored, because the caller reports the original one.
    try? cleaningUp {
      try unsafe callSQLite { handle in unsafe sqlite3_exec(handle, sql, nil, nil, nil) }
    }
  }
}
