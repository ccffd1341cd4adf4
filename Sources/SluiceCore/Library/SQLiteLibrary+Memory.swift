import CSluice

/// The memory that SQLite needs for all connections together.
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

  /// Returns a counter, now and at its highest; `reset` restarts the highest.
  ///
  /// The corresponding C function is `sqlite3_status64`.
  public static func status(_ counter: Counter, reset: Bool = false) -> (
    current: Int, highwater: Int
  ) {
    var current: Int64 = 0
    var highwater: Int64 = 0
    // The function fails only for an unknown counter.
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

/// How much memory all connections together may use. Nothing is limited by a SQLite that was told not to
/// count it.
extension SQLiteLibrary {
  /// The bytes above which SQLite frees what it can before it allocates more; nil for no such limit.
  ///
  /// The corresponding C function is `sqlite3_soft_heap_limit64`.
  public static var softHeapLimit: Int? { limit(sqlite3_soft_heap_limit64(-1)) }

  /// Sets ``softHeapLimit``.
  ///
  /// It is never above ``hardHeapLimit``: a larger one, and none, is that one. Less than one byte throws
  /// ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_soft_heap_limit64`.
  public static func setSoftHeapLimit(_ bytes: Int?) throws {
    let bytes = try checked(bytes)
    try start()
    _ = sqlite3_soft_heap_limit64(bytes)
  }

  /// The bytes above which SQLite allocates nothing, so that what needs more throws ``ResultCode/noMemory``;
  /// nil for no such limit.
  ///
  /// The corresponding C function is `sqlite3_hard_heap_limit64`.
  public static var hardHeapLimit: Int? { limit(sqlite3_hard_heap_limit64(-1)) }

  /// Sets ``hardHeapLimit``, and with it ``softHeapLimit`` if that is above it or not set.
  ///
  /// Less than one byte throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_hard_heap_limit64`.
  public static func setHardHeapLimit(_ bytes: Int?) throws {
    let bytes = try checked(bytes)
    try start()
    _ = sqlite3_hard_heap_limit64(bytes)
  }

  /// Frees at least so many bytes of pages that can be read again, of all connections, if there are as many;
  /// returns how many it has freed.
  ///
  /// It can do so only in a SQLite with `SQLITE_ENABLE_MEMORY_MANAGEMENT`, and returns 0 in all others. A negative
  /// number throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_release_memory`.
  @discardableResult
  public static func releaseMemory(bytes: Int) throws -> Int {
    guard bytes >= 0 else {
      throw SQLiteError(.range, "The byte count must not be negative (got \(bytes))")
    }
    try start()
    return Int(sqlite3_release_memory(Int32(clamping: bytes)))
  }

  private static func limit(_ bytes: Int64) -> Int? { bytes > 0 ? Int(clamping: bytes) : nil }

  private static func checked(_ bytes: Int?) throws -> Int64 {
    guard let bytes else { return 0 }
    guard bytes > 0 else {
      throw SQLiteError(.range, "The memory limit must not be negative (got \(bytes))")
    }
    return Int64(bytes)
  }
}

/// Memory of SQLite's that is short when it is told to be, for the module that tests.
package enum FailingMemory {
  /// Throws ``ResultCode/misuse`` if SQLite has started.
  package static func install() throws {
    try SQLiteLibrary.configure(sluice_config_failing_memory)
  }

  /// Lets the allocation of this number fail, from 1 on; 0 is none.
  package static func arm(_ number: Int, isForEver: Bool) {
    sluice_fail_allocation(Int64(number), isForEver ? 1 : 0)
  }

  /// How many allocations there were since it was armed.
  package static var allocations: Int { Int(sluice_allocations()) }

  /// How many of these have failed.
  package static var failures: Int { Int(sluice_failed_allocations()) }
}
