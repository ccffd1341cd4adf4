import CSluice

/// What SQLite needs for all connections together.
extension SQLiteLibrary {
  /// How many bytes of memory SQLite has allocated.
  ///
  /// The corresponding C function is `sqlite3_memory_used`.
  public static var memoryUsed: Int { Int(clamping: sqlite3_memory_used()) }

  /// The most bytes of memory that SQLite ever had allocated, or had since the last `reset`.
  ///
  /// The corresponding C function is `sqlite3_memory_highwater`.
  public static func memoryHighwater(reset: Bool = false) -> Int {
    Int(clamping: sqlite3_memory_highwater(reset ? 1 : 0))
  }

  /// What SQLite has counted, now and at the highest; `reset` lets the highest begin anew.
  ///
  /// The corresponding C function is `sqlite3_status64`.
  public static func status(_ counter: Counter, reset: Bool = false) -> (
    current: Int, highwater: Int
  ) {
    var current: Int64 = 0
    var highwater: Int64 = 0
    // It fails only for a number that is not that of a counter.
    unsafe sqlite3_status64(counter.rawValue, &current, &highwater, reset ? 1 : 0)
    return (Int(clamping: current), Int(clamping: highwater))
  }

  /// Something that SQLite counts for all connections together.
  ///
  /// The corresponding C values are `SQLITE_STATUS_*`.
  public enum Counter: Int32, Hashable, Sendable, CaseIterable {
    /// Bytes of memory that are allocated.
    case memoryUsed = 0
    /// Pages that are in use of the memory that was set aside for pages.
    case pageCacheUsed = 1
    /// Bytes of pages for which the memory that was set aside had no room.
    case pageCacheOverflow = 2
    /// The largest allocation in bytes, of which only the highest is counted.
    case allocationSize = 5
    /// The depth of the parser's stack, of which only the highest is counted.
    case parserStack = 6
    /// The largest allocation for a page in bytes, of which only the highest is counted.
    case pageCacheSize = 7
    /// Allocations that have not been freed.
    case allocations = 9
  }
}
