import CSluice

/// A blob in a row of a table, to be read and written in parts, without ever being in memory whole.
///
/// ```swift
/// try connection.execute("INSERT INTO photo(id, pixels) VALUES (1, zeroblob(\(size)))")
/// let blob = try connection.openBlob(table: "photo", column: "pixels", rowid: 1, readOnly: false)
/// try blob.write(header, at: 0)
/// try blob.close()
/// ```
///
/// Its size does not change: a new one is made by SQL, with `zeroblob` or
/// ``SQLBindable/zeroBlob(count:)``.
///
/// When its row is changed by SQL, in whatever column, the blob has expired: it throws
/// ``ResultCode/abort``, and has to be opened again. A transaction that is rolled back does that to a blob
/// that writes.
///
/// Outside of a transaction, what is written is committed by ``close()``, which reports whether that worked;
/// a blob that is only let go of is closed without a report. A transaction that begins, or that a closure
/// runs in and ends, closes blobs that write, as it ends statements that do. Inside of a transaction, a
/// savepoint cannot begin while a blob writes: that throws ``ResultCode/busy``.
///
/// A blob belongs to its connection, and is used where that is used. It keeps the connection open, unless
/// ``Connection/close()`` is called: from then on it throws ``ResultCode/misuse``.
@safe public final class Blob {
  /// The connection in whose database the blob is.
  public let connection: Connection
  /// Whether the blob cannot be written.
  public let isReadOnly: Bool
  /// The key of the row that the blob is in.
  public private(set) var rowid: Int64
  /// How many bytes the blob has.
  ///
  /// The corresponding C function is `sqlite3_blob_bytes`.
  public private(set) var count: Int

  /// Nil once it is closed.
  private var handle: OpaquePointer?
  /// What it is a part of, for those who observe the connection.
  let place: (schema: String, table: String)
  /// How many scopes it was opened in.
  let depth: Int
  private var isInSQLite = false
  /// Whether SQLite has given it up.
  private var hasExpired = false
  /// The last error, and the code of SQLite, which closing repeats.
  private var failure: (error: SQLiteError, code: Int32)?
  /// Grows with each move to another row.
  private(set) var moves = 0

  init(
    _ connection: Connection, _ database: String, _ table: String, _ column: String, _ rowid: Int64,
    isReadOnly: Bool
  ) throws {
    var handle: OpaquePointer?
    try unsafe connection.callSQLite { connection in
      unsafe sqlite3_blob_open(
        connection, database, table, column, rowid, isReadOnly ? 0 : 1, &handle)
    }
    self.connection = connection
    self.isReadOnly = isReadOnly
    self.rowid = rowid
    place = (database, table)
    count = unsafe Int(sqlite3_blob_bytes(handle))
    unsafe self.handle = handle
    depth = connection.state.scopeDepth
    connection.dependents.add(self)
    guard !isReadOnly else { return }
    connection.state.standingWriters += 1
    connection.state.noteWrite()
  }

  deinit {
    guard let handle = unsafe leave() else { return }
    connection.finish { _ = unsafe sqlite3_blob_close(handle) }
  }
}

@available(*, unavailable)
extension Blob: Sendable {}

extension Blob {
  /// Closes the blob, and outside of a transaction commits what it has written.
  ///
  /// It is closed also if this throws; then what it has written is undone. To close it again does nothing.
  ///
  /// The corresponding C function is `sqlite3_blob_close`.
  public func close() throws {
    guard unsafe handle != nil else { return }
    try connection.state.refuseStrangers()
    guard !isInSQLite else { throw isRunning }
    try connection.state.require(.use)
    try end()
  }

  /// Moves to the same column of another row of the table.
  ///
  /// This is faster than opening another blob. What cannot be opened throws as it does there, and leaves
  /// nothing that could be used.
  ///
  /// The corresponding C function is `sqlite3_blob_reopen`.
  public func reopen(at rowid: Int64) throws {
    try unsafe use(isMove: true) { handle in unsafe sqlite3_blob_reopen(handle, rowid) }
    self.rowid = rowid
    moves += 1
    if let handle = unsafe handle { count = unsafe Int(sqlite3_blob_bytes(handle)) }
    connection.state.drainOutside()
  }
}

extension Blob {
  /// Makes a call of SQLite's on the blob; a move that fails leaves nothing to go back to.
  func use(isMove: Bool = false, _ call: (OpaquePointer) -> Int32) throws {
    guard let handle = unsafe handle else {
      throw connection.isOpen ? SQLiteError(.misuse, "The blob is closed") : connection.closed
    }
    guard !isInSQLite else { throw isRunning }
    try connection.refuseStatements()
    guard !hasExpired else { throw expired(.abort) }
    isInSQLite = true
    defer { isInSQLite = false }
    var code = SQLITE_OK
    do {
      try unsafe connection.callSQLite { _ in
        code = unsafe call(handle)
        return code
      }
    } catch {
      failure = (SQLiteError(wrapping: error), code)
      // What a hook throws may have the same code.
      let isGivenUp = code & 0xff == SQLITE_ABORT
      hasExpired = isMove || isGivenUp
      throw isGivenUp ? expired(ResultCode(rawValue: code)) : error
    }
  }

  private func expired(_ code: ResultCode) -> SQLiteError {
    SQLiteError(code, "The blob has expired: its row was changed, or its transaction rolled back")
  }

  private var isRunning: SQLiteError {
    SQLiteError(.misuse, "The blob is in use: a callback cannot use it")
  }

  /// Gives up the handle, which is still to be closed.
  private func leave() -> OpaquePointer? {
    guard let handle = unsafe handle.take() else { return nil }
    connection.dependents.remove(ObjectIdentifier(self))
    if !isReadOnly { connection.state.standingWriters -= 1 }
    return unsafe handle
  }
}

extension Blob: Dependent, StandingWriter {
  var writer: (any StandingWriter)? { isReadOnly || isInSQLite ? nil : self }

  func end() throws {
    guard let handle = unsafe leave() else { return }
    var error: (any Error)?
    var code = SQLITE_OK
    do {
      try unsafe connection.callSQLite { _ in
        code = unsafe sqlite3_blob_close(handle)
        return code
      }
    } catch let failed where code != failure?.code {
      error = failed
    } catch {
      // It repeats what was thrown before.
    }
    connection.noteEnd(after: error ?? failure?.error)
    connection.state.drainOutside()
    if let error { throw error }
  }
}
