import CSluice

/// How often one loop of a statement ran: a loop looks through a table, an index or a subquery.
public struct ScanStatus: Hashable, Sendable {
  /// How often the loop was begun.
  public let loops: Int
  /// How many rows it has looked at, in all of its runs.
  public let visits: Int
  /// How many rows the query planner expected of one run: if it was far off, `ANALYZE` may help.
  public let estimatedRows: Double
  /// The name of the table or index, or nil if there is none.
  public let name: String?
  /// The line of `EXPLAIN QUERY PLAN` for the loop, or nil if there is none.
  public let explanation: String?
}

extension Statement {
  /// How often each loop of the statement has run, in all of its runs since ``resetScanStatus()``.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/scanStatus``. From
  /// SQLite 3.42 on, nothing is counted unless ``ConnectionOption/scanStatus`` is on, as it is by itself.
  ///
  /// The corresponding C function is `sqlite3_stmt_scanstatus`.
  public var scanStatus: [ScanStatus] {
    get throws {
      try SQLiteLibrary.require(.scanStatus)
      let handle = try unsafe openHandle()
      var result: [ScanStatus] = []
      while let status = unsafe ScanStatus(handle, loop: Int32(clamping: result.count)) {
        result.append(status)
      }
      return result
    }
  }

  /// Lets the count of ``scanStatus`` begin anew.
  ///
  /// The corresponding C function is `sqlite3_stmt_scanstatus_reset`.
  public func resetScanStatus() throws {
    try SQLiteLibrary.require(.scanStatus)
    unsafe sluice_stmt_scanstatus_reset(try openHandle())
  }
}

extension ScanStatus {
  /// What SQLite has counted for a loop, or nil if there is no such loop.
  fileprivate init?(_ statement: OpaquePointer, loop: Int32) {
    func read<T>(_ operation: Int32, into value: inout T) -> Bool {
      unsafe withUnsafeMutablePointer(to: &value) {
        unsafe sluice_stmt_scanstatus(statement, loop, operation, $0) == SQLITE_OK
      }
    }
    var loops: Int64 = 0
    var visits: Int64 = 0
    var estimatedRows = 0.0
    var name: UnsafePointer<CChar>?
    var explanation: UnsafePointer<CChar>?
    guard read(SQLITE_SCANSTAT_NLOOP, into: &loops), read(SQLITE_SCANSTAT_NVISIT, into: &visits),
      read(SQLITE_SCANSTAT_EST, into: &estimatedRows),
      unsafe read(SQLITE_SCANSTAT_NAME, into: &name),
      unsafe read(SQLITE_SCANSTAT_EXPLAIN, into: &explanation)
    else { return nil }
    self.loops = Int(clamping: loops)
    self.visits = Int(clamping: visits)
    self.estimatedRows = estimatedRows
    self.name = unsafe name.map { unsafe String(cString: $0) }
    self.explanation = unsafe explanation.map { unsafe String(cString: $0) }
  }
}
