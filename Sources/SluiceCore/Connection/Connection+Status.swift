import CSluice

extension Connection {
  /// Stops what the connection is doing, which then throws ``ResultCode/interrupt``.
  ///
  /// A connection belongs to one thread, so this is for the functions that its statements call.
  ///
  /// The corresponding C function is `sqlite3_interrupt`.
  public func interrupt() {
    guard let handle = unsafe ownHandle else { return }
    unsafe sqlite3_interrupt(handle)
  }

  /// Whether what the connection is doing has been told to stop.
  ///
  /// SQLite looks by itself now and then. A function that takes long asks for it, to end early. It stays true until
  /// a statement begins while no other is running. It throws ``ResultCode/notFound`` if the linked SQLite lacks
  /// ``SQLiteCapability/interruptState``.
  ///
  /// The corresponding C function is `sqlite3_is_interrupted`.
  public var isInterrupted: Bool {
    get throws {
      try SQLiteLibrary.require(.interruptState)
      return unsafe sluice_is_interrupted(try handle()) != 0
    }
  }

  /// The key of the row that was inserted last, or 0 if there is none.
  ///
  /// The corresponding C function is `sqlite3_last_insert_rowid`.
  public var lastInsertRowid: Int64 {
    unsafe ownHandle.map { unsafe sqlite3_last_insert_rowid($0) } ?? 0
  }

  /// Sets what ``lastInsertRowid`` and the SQL function `last_insert_rowid` tell until the next row is inserted.
  ///
  /// This is for what inserts rows in SQL's stead, such as a virtual table or a trigger in Swift.
  ///
  /// The corresponding C function is `sqlite3_set_last_insert_rowid`.
  public func setLastInsertRowid(_ rowid: Int64) throws {
    unsafe sqlite3_set_last_insert_rowid(try handle(), rowid)
  }

  /// How many rows the last INSERT, UPDATE or DELETE changed, not counting those that triggers
  /// and foreign keys changed.
  ///
  /// The corresponding C function is `sqlite3_changes64`.
  public var changes: Int {
    unsafe ownHandle.map { unsafe Int(clamping: sqlite3_changes64($0)) } ?? 0
  }

  /// How many rows have been changed since the connection was opened.
  ///
  /// The corresponding C function is `sqlite3_total_changes64`.
  public var totalChanges: Int {
    unsafe ownHandle.map { unsafe Int(clamping: sqlite3_total_changes64($0)) } ?? 0
  }
}

extension Connection {
  /// The handle for what cannot throw: nil once the connection is closed, and on a thread that has not got it
  /// from its queue.
  private var ownHandle: OpaquePointer? { state.isStranger ? nil : unsafe rawHandle }
}

/// The memory of a connection's databases.
extension Connection {
  /// Writes to the files what the open transaction has changed, and keeps the transaction open.
  ///
  /// It takes the locks of a commit, and waits for them as ``Configuration/busyTimeout`` says; a database whose
  /// lock cannot be had is left out, and ``ResultCode/busy`` thrown. Pages that statements stand on stay in memory.
  ///
  /// The corresponding C function is `sqlite3_db_cacheflush`.
  public func flushCache() throws {
    try refuseStatements()
    try unsafe callSQLite { handle in unsafe sqlite3_db_cacheflush(handle) }
    state.settle()
  }

  /// Frees as much of the connection's memory as can be, such as pages that can be read again.
  ///
  /// The corresponding C function is `sqlite3_db_release_memory`.
  public func releaseMemory() throws {
    try refuseStatements()
    // The function always succeeds.
    _ = unsafe sqlite3_db_release_memory(try handle())
  }
}

/// The counters that SQLite keeps for one connection.
extension Connection {
  /// Returns a counter of this connection, now and at its highest; `reset` restarts it where that makes
  /// sense.
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

/// Something that SQLite counts for a connection.
///
/// Lookaside is memory that a connection has set aside for small things; a SQLite that is built without
/// it counts nothing there.
///
/// The corresponding C values are `SQLITE_DBSTATUS_*`.
public enum ConnectionCounter: Int32, Hashable, Sendable, CaseIterable {
  /// Pieces of lookaside memory in use, now and at the most.
  case lookasideUsed = 0
  /// Bytes of pages in memory, of which there is no highest.
  case cacheUsed = 1
  /// Bytes for the schemas of all databases, of which there is no highest.
  case schemaUsed = 2
  /// Bytes for all prepared statements, of which there is no highest.
  case statementsUsed = 3
  /// Requests for memory that lookaside met, of which only the highest is counted.
  case lookasideHits = 4
  /// Requests that were too large for lookaside, of which only the highest is counted.
  case lookasideTooLarge = 5
  /// Requests for which lookaside had no room, of which only the highest is counted.
  case lookasideFull = 6
  /// Pages that were found in memory, since the count was reset.
  case cacheHits = 7
  /// Pages that had to be read, since the count was reset.
  case cacheMisses = 8
  /// Pages that were written, since the count was reset.
  case cacheWrites = 9
  /// 1 if foreign keys are violated that the transaction has to mend before it ends, and else 0.
  case unresolvedForeignKeys = 10
  /// As ``cacheUsed``, with each cache that connections share divided by their number.
  case sharedCacheUsed = 11
  /// Pages that were written in the middle of a transaction because memory was short, since the count was
  /// reset.
  case cacheSpills = 12
}
