import CSluice

/// An identifier for a state of a database with a WAL, to which a reader can return.
///
/// ```swift
/// let snapshot = try writer.snapshot()
/// try reader.beginReadTransaction(at: snapshot)
/// ```
///
/// A snapshot does not preserve the state. Once a checkpoint has copied later changes to the database file,
/// opening the snapshot throws ``ResultCode/errorSnapshot``. An open read transaction of that state prevents
/// such a checkpoint.
public struct Snapshot: Hashable, Sendable {
  /// The bytes of the `sqlite3_snapshot`.
  let bytes: [UInt8]
  /// The path of the database file.
  let path: String?

  /// Returns whether this state is older than `other`.
  ///
  /// The result is meaningful only if both snapshots were taken since the WAL was last created.
  ///
  /// - Throws: ``ResultCode/misuse`` if the snapshots belong to different files.
  ///
  /// The corresponding C function is `sqlite3_snapshot_cmp`.
  public func isOlder(than other: Snapshot) throws -> Bool {
    try SQLiteLibrary.require(.snapshots)
    guard path == other.path else {
      throw SQLiteError(.misuse, "The snapshots belong to different databases")
    }
    return unsafe sluice_snapshot_compare(bytes, other.bytes) < 0
  }
}

extension Connection {
  /// Returns a snapshot of the database state that this connection's transaction sees.
  ///
  /// - Throws:
  ///   - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/snapshots``.
  ///   - ``ResultCode/error`` outside a transaction, in a transaction that has written, if there is no WAL, and
  ///     if the WAL is empty.
  ///   - ``ResultCode/range`` for an unknown database.
  ///
  /// The corresponding C function is `sqlite3_snapshot_get`.
  public func snapshot(database: String = "main") throws -> Snapshot {
    try requireLocal(.snapshots)
    try SQLiteLibrary.require(.snapshots)
    try refuseStatements()
    _ = try transactionState(schema: database)
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<sqlite3_snapshot>.size)
    do {
      try unsafe callSQLite { handle in unsafe sluice_snapshot_get(handle, database, &bytes) }
    } catch SQLiteError.error {
      throw SQLiteError(
        .error,
        "A snapshot requires a transaction that has not written, and a WAL that is not empty"
      )
    }
    return Snapshot(bytes: bytes, path: path(of: database))
  }

  /// Begins a read transaction that sees the state of a snapshot; ``endReadTransaction()`` ends it.
  ///
  /// - Throws:
  ///   - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/snapshots``.
  ///   - ``ResultCode/errorSnapshot`` if the state no longer exists.
  ///   - ``ResultCode/misuse`` if a transaction is already open, or if the snapshot belongs to another file.
  ///
  /// The corresponding C function is `sqlite3_snapshot_open`.
  public func beginReadTransaction(at snapshot: Snapshot, database: String = "main") throws {
    try requireLocal(.snapshots)
    try SQLiteLibrary.require(.snapshots)
    _ = try transactionState(schema: database)
    guard path(of: database) == snapshot.path else {
      throw SQLiteError(.misuse, "The snapshot belongs to a different database")
    }
    try beginReadTransaction()
    do {
      // SQLite detects the WAL only when it reads the database.
      try execute(sql: "SELECT 1 FROM \(quoted(identifier: database)).sqlite_master LIMIT 1")
      try unsafe callSQLite { handle in
        unsafe sluice_snapshot_open(handle, database, snapshot.bytes)
      }
    } catch {
      // A failed rollback is ignored, because the first error is the one to report.
      try? rollback()
      throw error
    }
  }

  /// Makes it possible to use snapshots that were taken before all connections to the database closed.
  ///
  /// This works only if the WAL still exists, as it does after a crash, or with
  /// ``ConnectionOption/noCheckpointOnClose``.
  ///
  /// - Throws:
  ///   - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/snapshots``.
  ///   - ``ResultCode/error`` inside a transaction, or if there is no WAL.
  ///
  /// The corresponding C function is `sqlite3_snapshot_recover`.
  public func recoverSnapshots(database: String = "main") throws {
    try SQLiteLibrary.require(.snapshots)
    try refuseStatements()
    _ = try transactionState(schema: database)
    try unsafe callSQLite { handle in unsafe sluice_snapshot_recover(handle, database) }
  }
}
