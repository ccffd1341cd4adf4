import CSluice

/// Counters that measure the cost of running a statement, added up over all runs.
///
/// Once the connection is closed, each counter throws ``ResultCode/misuse``.
extension Statement {
  /// An event that SQLite counts while a statement runs.
  ///
  /// The corresponding C values are the `SQLITE_STMTSTATUS_*` codes.
  public enum Counter: Hashable, Sendable, CaseIterable {
    /// The number of forward steps in full table scans; a high number can mean that an index is missing.
    case fullScanSteps
    /// The number of sorts, which an index in the right order would avoid.
    case sorts
    /// The number of rows inserted into temporary automatic indexes, which a permanent index would avoid.
    case automaticIndexRows
    /// The number of virtual machine operations, a measure of the total work.
    case machineSteps
    /// The number of times that SQLite re-prepared the statement, after a schema change or for another reason.
    case repreparations
    /// The number of times that the statement was started.
    case runs
    /// The number of join steps that a Bloom filter avoided; 0 before SQLite 3.38.
    case filterHits
    /// The number of join steps that a Bloom filter did not avoid; 0 before SQLite 3.38.
    case filterMisses
  }

  /// Returns the value of a counter since the statement was prepared, or since the counter was last reset.
  ///
  /// If `reset` is true, the counter is set to zero after it is read.
  ///
  /// ```swift
  /// try statement.execute()
  /// print(try statement.count(of: .sorts))
  /// ```
  ///
  /// A counter has 32 bits, and wraps around to zero on overflow.
  ///
  /// The corresponding C function is `sqlite3_stmt_status`.
  @discardableResult
  public func count(of counter: Counter, reset: Bool = false) throws -> Int {
    let handle = try unsafe openHandle()
    // An older SQLite would read past the end of its counters.
    guard sqlite3_libversion_number() >= counter.firstVersion else { return 0 }
    // `Columns` uses this counter to detect outdated names, so only `Columns` resets it.
    let isVersion = counter == .repreparations
    let count = unsafe sqlite3_stmt_status(handle, counter.code, reset && !isVersion ? 1 : 0)
    if reset && isVersion { unsafe resultColumns.resetVersion(of: handle) }
    return Int(UInt32(bitPattern: count))
  }

  /// The number of bytes of memory that the statement uses.
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
    // The headers of SQLite 3.37 lack names for these two counters.
    case .filterMisses: 7
    case .filterHits: 8
    }
  }

  /// The first SQLite version with this counter, or 0 if every version that Sluice supports has it.
  fileprivate var firstVersion: Int32 {
    switch self {
    case .filterHits, .filterMisses: 3_038_000
    default: 0
    }
  }
}

/// The counters of one loop in a statement, which visits a table, an index or a subquery.
public struct ScanStatus: Hashable, Sendable {
  /// The number of times that the loop was started.
  public let loops: Int
  /// The number of rows that the loop has visited, in all of its runs.
  public let visits: Int
  /// The number of rows that the query planner expected per run; if the estimate is far off, `ANALYZE` may help.
  public let estimatedRows: Double
  /// The name of the table or index, or nil if there is none.
  public let name: String?
  /// The line of `EXPLAIN QUERY PLAN` for the loop, or nil if there is none.
  public let explanation: String?
  /// The time that the loop took, in ticks of the processor's counter, or nil if SQLite did not measure it.
  ///
  /// SQLite measures since version 3.41. On x86, it counts cycles; on arm64, ticks of the timer. It returns 0 on a processor
  /// whose counter it cannot read.
  ///
  /// The corresponding C value is `SQLITE_SCANSTAT_NCYCLE`.
  public let cycles: Int?
}

extension Statement {
  /// The counters of each loop, over all runs of the statement since ``resetScanStatus()``.
  ///
  /// Throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/scanStatus``. Starting with
  /// SQLite 3.42, SQLite counts only while ``ConnectionOption/scanStatus`` is on, as it is by default.
  ///
  /// The corresponding C function is `sqlite3_stmt_scanstatus`.
  public var scanStatus: [ScanStatus] {
    get throws {
      try SQLiteLibrary.require(.scanStatus)
      return unsafe ScanStatus.all(of: try openHandle())
    }
  }

  /// Resets the counters of ``scanStatus``.
  ///
  /// The corresponding C function is `sqlite3_stmt_scanstatus_reset`.
  public func resetScanStatus() throws {
    try SQLiteLibrary.require(.scanStatus)
    unsafe sluice_stmt_scanstatus_reset(try openHandle())
  }
}

extension ScanStatus {
  /// Returns the counters of each loop of a statement, or an empty array if the linked SQLite does not count them.
  static func all(of statement: OpaquePointer) -> [ScanStatus] {
    guard SQLiteLibrary.has(.scanStatus) else { return [] }
    var result: [ScanStatus] = []
    while let status = unsafe ScanStatus(statement, loop: Int32(clamping: result.count)) {
      result.append(status)
    }
    return result
  }

  /// Reads the counters of a loop, or returns nil if there is no such loop.
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
    // An older SQLite does not know this number, for which its header has no name.
    var cycles: Int64 = -1
    let isMeasured = SQLiteLibrary.versionNumber >= 3_041_000 && read(7, into: &cycles)
    self.cycles = isMeasured && cycles >= 0 ? Int(clamping: cycles) : nil
    self.loops = Int(clamping: loops)
    self.visits = Int(clamping: visits)
    self.estimatedRows = estimatedRows
    self.name = unsafe name.map { unsafe String(cString: $0) }
    self.explanation = unsafe explanation.map { unsafe String(cString: $0) }
  }
}
