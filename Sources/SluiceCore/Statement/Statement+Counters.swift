import CSluice

/// The cost of running a statement, as SQLite counts it over all runs. Once the connection is closed, each
/// counter throws ``ResultCode/misuse``.
extension Statement {
  /// Something that SQLite counts while a statement runs.
  ///
  /// The corresponding C values are the `SQLITE_STMTSTATUS_*` codes.
  public enum Counter: Hashable, Sendable, CaseIterable {
    /// Steps forward through a whole table: if they are many, an index may be missing.
    case fullScanSteps
    /// Sorts: an index in the right order would spare them.
    case sorts
    /// Rows put into an index that SQLite made for this run alone: a lasting one would spare it.
    case automaticIndexRows
    /// Operations of the machine that runs the statement, a measure of its work.
    case machineSteps
    /// How often SQLite prepared the statement anew, because the schema or something else changed.
    case repreparations
    /// How often the statement was started.
    case runs
    /// How often a Bloom filter spared a look into a join; 0 before SQLite 3.38.
    case filterHits
    /// How often a Bloom filter did not spare it; 0 before SQLite 3.38.
    case filterMisses
  }

  /// How much of something SQLite has counted since the statement was prepared, or since the count
  /// was set to zero, which `reset` does once it is read.
  ///
  /// ```swift
  /// try statement.execute()
  /// print(try statement.count(of: .sorts))
  /// ```
  ///
  /// A count has 32 bits, and begins again at zero when they are full.
  ///
  /// The corresponding C function is `sqlite3_stmt_status`.
  @discardableResult
  public func count(of counter: Counter, reset: Bool = false) throws -> Int {
    let handle = try unsafe openHandle()
    // An older SQLite would read beyond its counters.
    guard sqlite3_libversion_number() >= counter.firstVersion else { return 0 }
    // By this one the columns know whether they are up to date: they set it back themselves.
    let isVersion = counter == .repreparations
    let count = unsafe sqlite3_stmt_status(handle, counter.code, reset && !isVersion ? 1 : 0)
    if reset && isVersion { unsafe columns.resetVersion(of: handle) }
    return Int(UInt32(bitPattern: count))
  }

  /// How many bytes of memory the statement takes up.
  ///
  /// The corresponding C value is `SQLITE_STMTSTATUS_MEMUSED`.
  public var memoryUsed: Int {
    get throws {
      Int(unsafe sqlite3_stmt_status(try openHandle(), SQLITE_STMTSTATUS_MEMUSED, 0))
    }
  }
}

extension Statement.Counter {
  fileprivate var code: Int32 {
    switch self {
    case .fullScanSteps: SQLITE_STMTSTATUS_FULLSCAN_STEP
    case .sorts: SQLITE_STMTSTATUS_SORT
    case .automaticIndexRows: SQLITE_STMTSTATUS_AUTOINDEX
    case .machineSteps: SQLITE_STMTSTATUS_VM_STEP
    case .repreparations: SQLITE_STMTSTATUS_REPREPARE
    case .runs: SQLITE_STMTSTATUS_RUN
    // The headers of SQLite 3.37 have no names for these.
    case .filterMisses: 7
    case .filterHits: 8
    }
  }

  /// The version of SQLite that counts this, of those that Sluice works with.
  fileprivate var firstVersion: Int32 {
    switch self {
    case .filterHits, .filterMisses: 3_038_000
    default: 0
    }
  }
}

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
  /// Returns the counters of a loop, or nil if there is no such loop.
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
