import CSluice

extension Connection {
  /// Interrupts the operation in progress, which then throws ``ResultCode/interrupt``.
  ///
  /// Because a connection belongs to one thread, call this method in a function that one of the connection's
  /// statements calls.
  ///
  /// The corresponding C function is `sqlite3_interrupt`.
  public func interrupt() {
    guard let handle = unsafe ownHandle else { return }
    unsafe sqlite3_interrupt(handle)
  }

  /// Whether the operation in progress has been interrupted.
  ///
  /// SQLite checks for interrupts periodically. A long-running function can read this property to end early. The
  /// value remains true until a statement begins while no other statement is running. The property throws
  /// ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/interruptState``.
  ///
  /// The corresponding C function is `sqlite3_is_interrupted`.
  public var isInterrupted: Bool {
    get throws {
      try SQLiteLibrary.require(.interruptState)
      return unsafe sluice_is_interrupted(try handle()) != 0
    }
  }

  /// The rowid of the most recently inserted row, or 0 if there is none.
  ///
  /// The corresponding C function is `sqlite3_last_insert_rowid`.
  public var lastInsertRowid: Int64 {
    unsafe ownHandle.map { unsafe sqlite3_last_insert_rowid($0) } ?? 0
  }

  /// Sets the value of ``lastInsertRowid`` and `last_insert_rowid()` until the next row is inserted.
  ///
  /// Use this method in code that inserts rows on behalf of SQL, such as a virtual table or a trigger in Swift.
  ///
  /// The corresponding C function is `sqlite3_set_last_insert_rowid`.
  public func setLastInsertRowid(_ rowid: Int64) throws {
    unsafe sqlite3_set_last_insert_rowid(try handle(), rowid)
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  ///
  /// Rows that triggers and foreign keys changed are not counted.
  ///
  /// The corresponding C function is `sqlite3_changes64`.
  public var changes: Int {
    if let translator { return translator.changeCounts.last }
    return unsafe ownHandle.map { unsafe Int(clamping: sqlite3_changes64($0)) } ?? 0
  }

  /// The number of rows that have been changed since the connection was opened.
  ///
  /// The corresponding C function is `sqlite3_total_changes64`.
  public var totalChanges: Int {
    if let translator { return translator.changeCounts.total }
    return unsafe ownHandle.map { unsafe Int(clamping: sqlite3_total_changes64($0)) } ?? 0
  }
}

extension Connection {
  /// The handle, for members that cannot throw.
  ///
  /// The handle is nil once the connection is closed, and on a thread that has not received the connection from its
  /// queue.
  private var ownHandle: OpaquePointer? { state.isStranger ? nil : unsafe rawHandle }
}

/// Methods that manage the memory of a connection.
extension Connection {
  /// Writes the changes of the open transaction to the files, and keeps the transaction open.
  ///
  /// The method acquires the same locks as a commit, and waits for them as ``Configuration/busyTimeout`` specifies.
  /// If the lock of a database is unavailable, the method skips the database and throws ``ResultCode/busy``. Pages
  /// that statements are using are not written.
  ///
  /// The corresponding C function is `sqlite3_db_cacheflush`.
  public func flushCache() throws {
    try requireLocal(.cache)
    try refuseStatements()
    try unsafe callSQLite { handle in unsafe sqlite3_db_cacheflush(handle) }
    state.settle()
  }

  /// Frees as much of the connection's memory as possible, such as pages that SQLite can read again.
  ///
  /// The corresponding C function is `sqlite3_db_release_memory`.
  public func releaseMemory() throws {
    try refuseStatements()
    // `sqlite3_db_release_memory` always succeeds.
    _ = unsafe sqlite3_db_release_memory(try handle())
  }
}

/// The counters that SQLite keeps for one connection.
extension Connection {
  /// Returns the current and the highest value of a counter of this connection.
  ///
  /// If `reset` is true, the method also resets the counter, where this is meaningful. Before SQLite 3.51, counts
  /// have 31 bits and restart at zero when they overflow. A counter that the linked SQLite lacks throws
  /// ``ResultCode/notFound``.
  ///
  /// The corresponding C functions are `sqlite3_db_status` and `sqlite3_db_status64`.
  public func status(_ counter: ConnectionCounter, reset: Bool = false) throws -> (
    current: Int, highwater: Int
  ) {
    var current: Int64 = 0
    var highwater: Int64 = 0
    let handle = try unsafe handle()
    // SQLite returns an error only for a counter that it lacks.
    guard
      unsafe sluice_db_status(handle, counter.rawValue, &current, &highwater, reset ? 1 : 0)
        == SQLITE_OK
    else {
      throw SQLiteError(.notFound, "SQLite \(SQLiteLibrary.version) has no counter \(counter)")
    }
    return (max(Int(clamping: current), 0), max(Int(clamping: highwater), 0))
  }
}

/// A counter that SQLite keeps for a connection.
///
/// Lookaside is memory that a connection reserves for small allocations. In a build of SQLite without lookaside,
/// its counters are always 0.
///
/// The corresponding C values are `SQLITE_DBSTATUS_*`.
public enum ConnectionCounter: Int32, Hashable, Sendable, CaseIterable {
  /// The current and the highest number of lookaside slots in use.
  case lookasideUsed = 0
  /// The number of bytes that pages in memory use; there is no highest value.
  case cacheUsed = 1
  /// The number of bytes that the schemas of all databases use; there is no highest value.
  case schemaUsed = 2
  /// The number of bytes that all prepared statements use; there is no highest value.
  case statementsUsed = 3
  /// The number of allocations that lookaside satisfied; there is only a highest value.
  case lookasideHits = 4
  /// The number of allocations that were too large for lookaside; there is only a highest value.
  case lookasideTooLarge = 5
  /// The number of allocations for which lookaside was full; there is only a highest value.
  case lookasideFull = 6
  /// The number of pages that were found in memory since the counter was reset.
  case cacheHits = 7
  /// The number of pages that had to be read since the counter was reset.
  case cacheMisses = 8
  /// The number of pages that were written since the counter was reset.
  case cacheWrites = 9
  /// 1 if the transaction must resolve foreign key violations before it ends, otherwise 0.
  case unresolvedForeignKeys = 10
  /// Like ``cacheUsed``, but the size of each shared cache is divided by the number of its connections.
  case sharedCacheUsed = 11
  /// The number of pages that were written in the middle of a transaction since the counter was reset.
  ///
  /// SQLite writes such pages when its page cache is full.
  case cacheSpills = 12
  /// The number of bytes that were written to temporary files since the counter was reset, such as those of a large sort.
  ///
  /// SQLite since version 3.51 has this counter.
  case temporaryBytesWritten = 13
}
