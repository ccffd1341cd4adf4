import CSluice

/// The memory that SQLite uses for all connections together.
extension SQLiteLibrary {
  /// The number of bytes that SQLite has allocated.
  ///
  /// The corresponding C function is `sqlite3_memory_used`.
  public static var memoryUsed: Int { Int(clamping: sqlite3_memory_used()) }

  /// Returns the peak number of allocated bytes, since the process started or since the last call with `reset`.
  ///
  /// The corresponding C function is `sqlite3_memory_highwater`.
  public static func memoryHighwater(reset: Bool = false) -> Int {
    Int(clamping: sqlite3_memory_highwater(reset ? 1 : 0))
  }

  /// Returns the current and the highest value of a counter; `reset` also resets the highest value.
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

  /// A counter that SQLite keeps for all connections together.
  ///
  /// The corresponding C values are `SQLITE_STATUS_*`.
  public enum Counter: Int32, Hashable, Sendable, CaseIterable {
    /// The number of allocated bytes.
    case memoryUsed = 0
    /// The number of pages in use in the memory that is reserved for pages.
    case pageCacheUsed = 1
    /// The size in bytes of the pages for which the memory that is reserved for pages had no room.
    case pageCacheOverflow = 2
    /// The size of the largest allocation in bytes; only the highest value is counted.
    case allocationSize = 5
    /// The depth of the parser's stack; only the highest value is counted.
    case parserStack = 6
    /// The size of the largest allocation for a page in bytes; only the highest value is counted.
    case pageCacheSize = 7
    /// The number of allocations that have not been freed.
    case allocations = 9
  }
}

/// Limits for the memory of all connections together.
///
/// The limits have no effect if SQLite was configured not to count memory.
extension SQLiteLibrary {
  /// The number of bytes above which SQLite frees memory before it allocates more; nil for no limit.
  ///
  /// SQLite frees as much as it can, and then allocates even if the limit is still exceeded.
  ///
  /// The corresponding C function is `sqlite3_soft_heap_limit64`.
  public static var softHeapLimit: Int? { limit(sqlite3_soft_heap_limit64(-1)) }

  /// Sets ``softHeapLimit``.
  ///
  /// The soft limit is never above ``hardHeapLimit``: a greater value, or nil, is replaced by the hard limit. A
  /// value below 1 throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_soft_heap_limit64`.
  public static func setSoftHeapLimit(_ bytes: Int?) throws {
    let bytes = try checked(bytes)
    try start()
    _ = sqlite3_soft_heap_limit64(bytes)
  }

  /// The number of bytes that SQLite's allocations never exceed; nil for no limit.
  ///
  /// An operation that needs more memory throws ``ResultCode/noMemory``.
  ///
  /// The corresponding C function is `sqlite3_hard_heap_limit64`.
  public static var hardHeapLimit: Int? { limit(sqlite3_hard_heap_limit64(-1)) }

  /// Sets ``hardHeapLimit``, and sets ``softHeapLimit`` to the same value if the soft limit is greater or nil.
  ///
  /// A value below 1 throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_hard_heap_limit64`.
  public static func setHardHeapLimit(_ bytes: Int?) throws {
    let bytes = try checked(bytes)
    try start()
    _ = sqlite3_hard_heap_limit64(bytes)
  }

  /// Frees pages that SQLite can read again, in all connections, and returns the number of freed bytes.
  ///
  /// The method frees at least the given number of bytes, if that many can be freed. If SQLite was built without
  /// `SQLITE_ENABLE_MEMORY_MANAGEMENT`, the method has no effect and returns 0. A negative number throws
  /// ``ResultCode/range``.
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
      throw SQLiteError(.range, "The memory limit must be positive (got \(bytes))")
    }
    return Int64(bytes)
  }
}

/// An allocator for SQLite that fails on request, for the testing module.
package enum FailingMemory {
  /// Installs the allocator; throws ``ResultCode/misuse`` if SQLite has started.
  package static func install() throws {
    try SQLiteLibrary.configure(sluice_config_failing_memory)
  }

  /// Makes the allocation with this number fail, counted from 1; with 0, no allocation fails.
  ///
  /// If `isForEver` is true, all later allocations also fail.
  package static func arm(_ number: Int, isForEver: Bool) {
    sluice_fail_allocation(Int64(number), isForEver ? 1 : 0)
  }

  /// The number of allocations since the last call of `arm(_:isForEver:)`.
  package static var allocations: Int { Int(sluice_allocations()) }

  /// The number of allocations that failed since the last call of `arm(_:isForEver:)`.
  package static var failures: Int { Int(sluice_failed_allocations()) }
}
