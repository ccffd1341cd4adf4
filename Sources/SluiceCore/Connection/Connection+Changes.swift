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
