import CSluice

extension Connection {
  /// Moves what the WAL holds to the database file.
  ///
  /// ```swift
  /// let checkpoint = try connection.checkpoint(.truncate)
  /// if checkpoint.isBusy { print("Somebody is still reading.") }
  /// ```
  ///
  /// SQLite makes a passive one by itself when a commit leaves 1000 pages in the WAL. The other modes wait for
  /// as long as ``Configuration/busyTimeout`` says. A database without a WAL has nothing to move, which is not an
  /// error.
  ///
  /// A connection that is in a transaction, or has a statement on a row, throws ``ResultCode/locked``; one that
  /// can only read may throw ``ResultCode/readOnly``, and an unknown database throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_wal_checkpoint_v2`.
  @discardableResult
  public func checkpoint(
    _ mode: CheckpointMode = .passive, database: String = "main"
  ) throws -> Checkpoint {
    try refuseStatements()
    _ = try transactionState(schema: database)
    guard !database.isEmpty else {
      throw SQLiteError(.range, "To SQLite, a database without a name means all of them")
    }
    var frames: Int32 = -1
    var moved: Int32 = -1
    var isBusy = false
    do {
      try unsafe callSQLite { handle in
        unsafe sqlite3_wal_checkpoint_v2(handle, database, mode.rawValue, &frames, &moved)
      }
    } catch SQLiteError.busy {
      isBusy = true
    }
    state.drainOutside()
    return Checkpoint(
      isBusy: isBusy, frameCount: frames < 0 ? nil : Int(frames),
      checkpointedFrameCount: moved < 0 ? nil : Int(moved))
  }
}
