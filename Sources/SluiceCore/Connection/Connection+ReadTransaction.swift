/// Transactions that only read, and see one state of the database for as long as they last.
extension Connection {
  /// Begins a transaction that sees the main database as it is now, until ``endReadTransaction()``.
  ///
  /// A deferred transaction, in contrast, sees the database as it is when it first reads. With a
  /// WAL, one that lasts keeps the WAL from being emptied, so that it grows.
  ///
  /// It throws ``ResultCode/misuse`` if there is a transaction already.
  public func beginReadTransaction() throws {
    guard isInAutocommit else {
      throw SQLiteError(.misuse, "A transaction has begun already")
    }
    try begin(.deferred)
    do { try takeSnapshot() } catch {
      // The first error is the one to report.
      try? rollback()
      throw error
    }
  }

  /// Moves a transaction that ``beginReadTransaction()`` began on to the present state.
  ///
  /// It throws ``ResultCode/misuse`` if there is none.
  public func updateReadTransaction() throws {
    try endReadTransaction()
    try beginReadTransaction()
  }

  /// Ends a transaction that ``beginReadTransaction()`` began.
  ///
  /// It throws ``ResultCode/misuse`` if there is none, and for one that has written.
  public func endReadTransaction() throws {
    guard !isInAutocommit, try transactionState() != .write else {
      throw SQLiteError(.misuse, "No read transaction has begun")
    }
    try rollback()
  }

  /// Reads, so that a deferred transaction takes its snapshot now and not with its first query.
  func takeSnapshot() throws {
    try execute(sql: "SELECT 1 FROM sqlite_master LIMIT 1")
  }
}
