import CSluice

/// A state of a database with a WAL, which a reader can return to.
///
/// ```swift
/// let snapshot = try writer.snapshot()
/// try reader.beginReadTransaction(at: snapshot)
/// ```
///
/// A snapshot does not preserve the state. Once a checkpoint has passed the state, opening the snapshot throws
/// ``ResultCode/errorSnapshot``. An open read transaction of that state prevents this.
public struct Snapshot: Hashable, Sendable {
  /// The bytes of the `sqlite3_snapshot`.
  let bytes: [UInt8]
  /// The path of the database file.
  let path: String?

  /// Returns whether this state is older than `other`.
  ///
  /// The result is meaningful only if both snapshots were taken since the WAL was last created.
  ///
  /// - Throws: ``ResultCode/misuse`` if the snapshots are of different files.
  ///
  /// The corresponding C function is `sqlite3_snapshot_cmp`.
  public func isOlder(than other: Snapshot) throws -> Bool {
    try SQLiteLibrary.require(.snapshots)
    guard path == other.path else {
      throw SQLiteError(.misuse, "The snapshots are of different databases")
    }
    return unsafe sluice_snapshot_compare(bytes, other.bytes) < 0
  }
}

extension Connection {
  /// Returns the state of a database that the transaction of this connection sees.
  ///
  /// - Throws:
  ///   - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/snapshots``.
  ///   - ``ResultCode/error`` outside a transaction, inside one that has written, without a WAL, and while
  ///     nothing has been written to the WAL.
  ///   - ``ResultCode/range`` for an unknown database.
  ///
  /// The corresponding C function is `sqlite3_snapshot_get`.
  public func snapshot(database: String = "main") throws -> Snapshot {
    try SQLiteLibrary.require(.snapshots)
    try refuseStatements()
    _ = try transactionState(schema: database)
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<sqlite3_snapshot>.size)
    do {
      try unsafe callSQLite { handle in unsafe sluice_snapshot_get(handle, database, &bytes) }
    } catch SQLiteError.error {
      throw SQLiteError(
        .error,
        "A snapshot needs a transaction that has not written, and a WAL that is not empty"
      )
    }
    return Snapshot(bytes: bytes, path: path(of: database))
  }

  /// Begins a transaction that sees a database as of a snapshot, until ``endReadTransaction()``.
  ///
  /// - Throws:
  ///   - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/snapshots``.
  ///   - ``ResultCode/errorSnapshot`` if the state no longer exists.
  ///   - ``ResultCode/misuse`` if a transaction is already open, and for a snapshot of another file.
  ///
  /// The corresponding C function is `sqlite3_snapshot_open`.
  public func beginReadTransaction(at snapshot: Snapshot, database: String = "main") throws {
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
      // The first error is the one to report.
      try? rollback()
      throw error
    }
  }

  /// Recovers the snapshots that were taken before all connections to the database closed.
  ///
  /// This helps only if the WAL remains, as it does after a crash, or with
  /// ``ConnectionOption/noCheckpointOnClose``.
  ///
  /// - Throws:
  ///   - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/snapshots``.
  ///   - ``ResultCode/error`` inside a transaction, and without a WAL.
  ///
  /// The corresponding C function is `sqlite3_snapshot_recover`.
  public func recoverSnapshots(database: String = "main") throws {
    try SQLiteLibrary.require(.snapshots)
    try refuseStatements()
    _ = try transactionState(schema: database)
    try unsafe callSQLite { handle in unsafe sluice_snapshot_recover(handle, database) }
  }
}
