import CSluice

/// A state of a database with a WAL, to which a reader can go back.
///
/// ```swift
/// let snapshot = try writer.snapshot()
/// try reader.beginReadTransaction(at: snapshot)
/// ```
///
/// It keeps nothing: once a checkpoint has gone past it, which an open read transaction of that state prevents,
/// opening it throws ``ResultCode/errorSnapshot``.
public struct Snapshot: Hashable, Sendable {
  /// The bytes of the `sqlite3_snapshot`.
  let bytes: [UInt8]
  /// The file that it is a state of.
  let path: String?

  /// Whether this state is older than the `other`.
  ///
  /// Both have to be of the same file, else it throws ``ResultCode/misuse``, and taken since the WAL was made
  /// last, else the answer means nothing.
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
  /// The state that the transaction of this connection sees.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/snapshots``, and
  /// ``ResultCode/error`` outside of a transaction, inside of one that has written, without a WAL, and as long as
  /// nothing has been written to it. An unknown database throws ``ResultCode/range``.
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

  /// Begins a transaction that sees a database as it was in a snapshot, until ``endReadTransaction()``.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/snapshots``,
  /// ``ResultCode/errorSnapshot`` if that state is not there any more, and ``ResultCode/misuse`` if there is a
  /// transaction already, and for a snapshot of another file.
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
      // SQLite has to have looked into the database to know of its WAL.
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

  /// Makes the snapshots usable again that were taken before all connections to the database were gone.
  ///
  /// It helps only if the WAL has stayed, as it does after a crash, or with
  /// ``ConnectionOption/noCheckpointOnClose``. It throws ``ResultCode/notFound`` if the linked SQLite lacks
  /// ``SQLiteCapability/snapshots``, and ``ResultCode/error`` inside of a transaction and without a WAL.
  ///
  /// The corresponding C function is `sqlite3_snapshot_recover`.
  public func recoverSnapshots(database: String = "main") throws {
    try SQLiteLibrary.require(.snapshots)
    try refuseStatements()
    _ = try transactionState(schema: database)
    try unsafe callSQLite { handle in unsafe sluice_snapshot_recover(handle, database) }
  }
}
