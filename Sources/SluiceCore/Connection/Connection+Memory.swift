import CSluice

/// What a connection keeps of its databases in memory.
extension Connection {
  /// Writes to the files what the open transaction has changed, and keeps the transaction open.
  ///
  /// It takes the locks of a commit, and waits for them as ``Configuration/busyTimeout`` says; a database whose
  /// lock cannot be had is left out, and ``ResultCode/busy`` thrown. Pages that statements stand on stay in memory.
  ///
  /// The corresponding C function is `sqlite3_db_cacheflush`.
  public func flushCache() throws {
    try refuseStatements()
    try unsafe callSQLite { handle in unsafe sqlite3_db_cacheflush(handle) }
    state.drainOutside()
  }

  /// Frees as much of the connection's memory as can be, such as pages that can be read again.
  ///
  /// The corresponding C function is `sqlite3_db_release_memory`.
  public func releaseMemory() throws {
    try refuseStatements()
    // It always succeeds.
    _ = unsafe sqlite3_db_release_memory(try handle())
  }
}
