import CSluice

/// What one connection needs and does, as SQLite counts it.
extension Connection {
  /// What SQLite has counted for this connection, now and at the highest; `reset` lets it begin anew where
  /// that makes sense.
  ///
  /// Before SQLite 3.51 counts have 31 bits, and begin again at zero when they are full.
  ///
  /// The corresponding C functions are `sqlite3_db_status` and `sqlite3_db_status64`.
  public func status(_ counter: ConnectionCounter, reset: Bool = false) throws -> (
    current: Int, highwater: Int
  ) {
    var current: Int64 = 0
    var highwater: Int64 = 0
    let handle = try unsafe handle()
    try check(
      unsafe sluice_db_status(handle, counter.rawValue, &current, &highwater, reset ? 1 : 0))
    return (max(Int(clamping: current), 0), max(Int(clamping: highwater), 0))
  }
}
