import CSQLite

/// What one connection needs and does, as SQLite counts it.
extension Connection {
  /// What SQLite has counted for this connection, now and at the highest; `reset` lets it begin anew where
  /// that makes sense.
  ///
  /// Counts have 31 bits, and begin again at zero when they are full.
  ///
  /// The corresponding C function is `sqlite3_db_status`.
  public func status(_ counter: ConnectionCounter, reset: Bool = false) throws -> (
    current: Int, highwater: Int
  ) {
    var current: Int32 = 0
    var highwater: Int32 = 0
    let handle = try unsafe handle()
    try check(
      unsafe sqlite3_db_status(handle, counter.rawValue, &current, &highwater, reset ? 1 : 0))
    return (max(Int(current), 0), max(Int(highwater), 0))
  }
}
