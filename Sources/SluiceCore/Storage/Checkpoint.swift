import CSluice

/// How far a checkpoint goes, and what it waits for.
///
/// The corresponding C values are `SQLITE_CHECKPOINT_*`.
public enum CheckpointMode: Int32, Hashable, Sendable, CaseIterable {
  /// Moves what can be moved, and waits for nobody.
  case passive = 0
  /// Waits for writers, and for readers of an older state, and moves all.
  case full = 1
  /// Like `full`, and then waits for all readers of the WAL, so that the next writer begins it anew.
  case restart = 2
  /// Like `restart`, and empties the file of the WAL.
  case truncate = 3
}

/// The result of a checkpoint.
public struct Checkpoint: Hashable, Sendable {
  /// Whether others kept it from doing all that its mode asks for, which can be tried again.
  ///
  /// They were reading or writing, or made a checkpoint themselves.
  public let isBusy: Bool
  /// How many frames the WAL has, each of which is one page; nil if there is no WAL, or another
  /// checkpoint was being made.
  public let frameCount: Int?
  /// How many of them are in the database file by now, with those from before; nil as ``frameCount``.
  public let checkpointedFrameCount: Int?

  /// Whether all of the WAL is in the database file.
  public var isComplete: Bool { frameCount != nil && frameCount == checkpointedFrameCount }
}

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
      throw SQLiteError(
        .range, "The name of the database is empty, which SQLite takes for all databases")
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
    state.settle()
    return Checkpoint(
      isBusy: isBusy, frameCount: frames < 0 ? nil : Int(frames),
      checkpointedFrameCount: moved < 0 ? nil : Int(moved))
  }
}
