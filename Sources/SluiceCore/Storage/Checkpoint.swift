import CSluice

/// The mode of a checkpoint: how much of the WAL it copies, and which connections it waits for.
///
/// The corresponding C values are `SQLITE_CHECKPOINT_*`.
public enum CheckpointMode: Int32, Hashable, Sendable, CaseIterable {
  /// Copies as many frames as possible without waiting.
  case passive = 0
  /// Waits for writers and for readers of older snapshots, and then copies all frames.
  case full = 1
  /// Like `full`, but then also waits for all readers of the WAL, so that the next writer restarts the WAL.
  case restart = 2
  /// Like `restart`, but then also truncates the WAL file to zero bytes.
  case truncate = 3
  /// Copies nothing, and only counts the frames; SQLite since version 3.51 has this mode.
  case noop = -1
}

/// The result of a checkpoint.
public struct Checkpoint: Hashable, Sendable {
  /// Whether other connections prevented the checkpoint from doing all that its mode requires.
  ///
  /// The other connections were reading, writing, or running a checkpoint. The checkpoint can be tried again.
  public let isBusy: Bool
  /// The number of frames in the WAL; nil if there is no WAL or another checkpoint was running.
  ///
  /// Each frame is one page.
  public let frameCount: Int?
  /// The number of WAL frames that are now in the database file; nil if ``frameCount`` is nil.
  ///
  /// The number includes the frames that earlier checkpoints copied.
  public let checkpointedFrameCount: Int?

  /// Whether all frames of the WAL are in the database file.
  public var isComplete: Bool { frameCount != nil && frameCount == checkpointedFrameCount }
}

extension Connection {
  /// Runs a checkpoint, which copies the content of the WAL into the database file, and returns its result.
  ///
  /// ```swift
  /// let checkpoint = try connection.checkpoint(.truncate)
  /// if checkpoint.isBusy { print("Another connection is still reading.") }
  /// ```
  ///
  /// SQLite automatically runs a passive checkpoint when a commit leaves at least 1000 pages in the WAL. The
  /// other modes wait for up to ``Configuration/busyTimeout``. For a database without a WAL, this method does
  /// nothing, and does not throw.
  ///
  /// - Throws:
  ///   - ``ResultCode/locked`` if the connection is in a transaction or has a statement at a row.
  ///   - ``ResultCode/readOnly`` in some cases, if the connection is read-only.
  ///   - ``ResultCode/range`` for an unknown database.
  ///   - ``ResultCode/notFound`` for a mode that the linked SQLite lacks.
  ///
  /// The corresponding C function is `sqlite3_wal_checkpoint_v2`.
  @discardableResult
  public func checkpoint(
    _ mode: CheckpointMode = .passive, database: String = "main"
  ) throws -> Checkpoint {
    try requireLocal(.checkpoints)
    try refuseStatements()
    _ = try transactionState(schema: database)
    guard !database.isEmpty else {
      throw SQLiteError(
        .range,
        "The name of the database must not be empty, because SQLite would checkpoint all databases")
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
    } catch SQLiteError.misuse where mode == .noop {
      throw SQLiteError(
        .notFound,
        "SQLite \(SQLiteLibrary.version) has no checkpoint mode noop; version 3.51 has it")
    }
    state.settle()
    return Checkpoint(
      isBusy: isBusy, frameCount: frames < 0 ? nil : Int(frames),
      checkpointedFrameCount: moved < 0 ? nil : Int(moved))
  }

  /// Completes a checkpoint so that the next commit restarts the WAL; waits for readers for up to `patience`.
  ///
  /// No error is thrown, because the pool tries the checkpoint again.
  ///
  /// - Returns: Whether the WAL will restart; false after any error.
  func restartWAL(waiting patience: Duration) -> Bool {
    guard let handle = unsafe rawHandle, !state.isForked, isInAutocommit else { return false }
    unsafe sqlite3_busy_timeout(handle, patience.milliseconds)
    defer { unsafe resumeWaiting(handle) }
    return state.cleaningUp {
      unsafe sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_RESTART, nil, nil)
        == SQLITE_OK
    }
  }

  /// Runs a passive checkpoint, and if it is incomplete, another one after `patience`.
  ///
  /// A passive checkpoint neither waits for locks nor restarts a WAL that another program still reads.
  ///
  /// - Returns: Whether a checkpoint is complete, or another program has restarted the WAL, so that it has fewer than
  ///   `limit` frames; false after any error.
  func checkpointPassively(waiting patience: Duration, below limit: Int) -> Bool {
    guard let handle = unsafe rawHandle, !state.isForked, isInAutocommit else { return false }
    func checkpoint() -> Bool {
      var frames: Int32 = -1
      var moved: Int32 = -1
      let code = state.cleaningUp {
        unsafe sqlite3_wal_checkpoint_v2(
          handle, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &moved)
      }
      return code == SQLITE_OK && (frames == moved || frames < limit)
    }
    if checkpoint() { return true }
    sqlite3_sleep(patience.milliseconds)
    return checkpoint()
  }
}
