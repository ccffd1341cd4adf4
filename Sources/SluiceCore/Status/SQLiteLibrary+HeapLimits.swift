import CSluice

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
    guard bytes >= 0 else { throw SQLiteError(.range, "\(bytes) is less than no bytes") }
    try start()
    return Int(sqlite3_release_memory(Int32(clamping: bytes)))
  }

  private static func limit(_ bytes: Int64) -> Int? { bytes > 0 ? Int(clamping: bytes) : nil }

  private static func checked(_ bytes: Int?) throws -> Int64 {
    guard let bytes else { return 0 }
    guard bytes > 0 else { throw SQLiteError(.range, "\(bytes) cannot be a limit of memory") }
    return Int64(bytes)
  }
}
