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
  /// The table and column of the blob, for observers of the connection.
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
    unsafe connection.finish(.blob(handle))
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
    connection.state.settle()
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
    SQLiteError(.misuse, "The blob is in use; a callback cannot use it")
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
      // The error repeats the one that was thrown before.
    }
    connection.noteEnd(after: error ?? failure?.error)
    connection.state.settle()
    if let error { throw error }
  }
}

extension Blob {
  /// A copy of some bytes, or of all from `offset` on.
  ///
  /// A range outside the blob throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_blob_read`.
  public func read(at offset: Int = 0, count: Int? = nil) throws -> [UInt8] {
    let count = count ?? max(0, self.count - max(0, offset))
    try check(offset, count)
    return try unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
      try unsafe read(
        into: UnsafeMutableRawBufferPointer(start: bytes.baseAddress, count: count), offset)
      initializedCount = count
    }
  }

  /// Fills `bytes` with those from `offset` on, without memory for them.
  ///
  /// What lies outside of the blob throws ``ResultCode/range``, and changes no byte.
  ///
  /// The corresponding C function is `sqlite3_blob_read`.
  public func read(into bytes: inout MutableSpan<UInt8>, at offset: Int = 0) throws {
    try check(offset, bytes.count)
    try unsafe bytes.withUnsafeMutableBytes { bytes in try unsafe read(into: bytes, offset) }
  }

  /// Lends the blob to `body` piece by piece, in memory for one piece.
  ///
  /// ```swift
  /// try blob.forEachChunk(of: 65_536) { bytes in
  ///   checksum.add(bytes)
  /// }
  /// ```
  ///
  /// All pieces but the last have `size` bytes; fewer than one throws ``ResultCode/range``. If `body` throws,
  /// that ends it, and if `body` moves the blob to another row, it throws ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `sqlite3_blob_read`.
  public func forEachChunk(of size: Int = 65_536, _ body: (Span<UInt8>) throws -> Void) throws {
    guard size > 0 else {
      throw SQLiteError(.range, "The piece size must be positive (got \(size))")
    }
    // An empty one is asked for nothing, to find out whether it can be read.
    if count == 0 { _ = try read() }
    var buffer = [UInt8](repeating: 0, count: min(size, count))
    let start = moves
    var offset = 0
    while offset < count {
      let length = min(size, count - offset)
      try unsafe buffer.withUnsafeMutableBytes { bytes in
        try unsafe read(
          into: UnsafeMutableRawBufferPointer(start: bytes.baseAddress, count: length), offset)
      }
      try body(buffer.span.extracting(..<length))
      guard moves == start else {
        throw SQLiteError(.misuse, "The blob was reopened on another row while it was read")
      }
      offset += length
    }
  }

  private func read(into bytes: UnsafeMutableRawBufferPointer, _ offset: Int) throws {
    try unsafe use { handle in
      // Both fit: a blob is smaller than that.
      unsafe sqlite3_blob_read(handle, bytes.baseAddress, Int32(bytes.count), Int32(offset))
    }
    connection.state.settle()
  }
}

extension Blob {
  /// Refuses what is not inside of the blob, once it is known that the blob can be used.
  func check(_ offset: Int, _ count: Int) throws {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      // A blob that is closed or has expired throws that error first.
      try unsafe use { _ in SQLITE_OK }
      throw SQLiteError(
        .range, "\(count) bytes at offset \(offset) exceed the blob of \(self.count) bytes")
    }
  }
}

extension Blob {
  /// Writes `bytes` over those that begin at `offset`.
  ///
  /// What lies outside of the blob throws ``ResultCode/range``, and writes nothing. A blob that was not
  /// opened to be written throws ``ResultCode/readOnly``.
  ///
  /// The corresponding C function is `sqlite3_blob_write`.
  public func write(_ bytes: Span<UInt8>, at offset: Int = 0) throws {
    try check(offset, bytes.count)
    guard !isReadOnly else {
      // A blob that is closed or has expired throws that error first.
      try unsafe use { _ in SQLITE_OK }
      throw SQLiteError(.readOnly, "The blob was opened read-only")
    }
    try unsafe bytes.withUnsafeBytes { bytes in
      try unsafe use { handle in
        // Both fit: a blob is smaller than that.
        unsafe sqlite3_blob_write(handle, bytes.baseAddress, Int32(bytes.count), Int32(offset))
      }
    }
    connection.state.tracker?.note(rowsOf: place.table, schema: place.schema)
    connection.state.settle()
  }

  /// Writes `bytes` over those that begin at `offset`, as ``write(_:at:)-(Span<UInt8>,_)`` does.
  public func write(_ bytes: [UInt8], at offset: Int = 0) throws {
    try write(bytes.span, at: offset)
  }

  /// Writes pieces one after the other, in memory for one piece, and returns where the last one ends.
  ///
  /// One that would go beyond the end throws ``ResultCode/range``; those before it are written.
  ///
  /// The corresponding C function is `sqlite3_blob_write`.
  @discardableResult
  public func write(chunks: some Sequence<[UInt8]>, at offset: Int = 0) throws -> Int {
    var end = offset
    for chunk in chunks {
      try write(chunk.span, at: end)
      end += chunk.count
    }
    return end
  }
}

extension Connection {
  /// Opens the blob in a column of one row, to read or write parts of it.
  ///
  /// ```swift
  /// let blob = try connection.openBlob(table: "photo", column: "pixels", rowid: id)
  /// let header = try blob.read(at: 0, count: 16)
  /// ```
  ///
  /// Text can be opened as well; it is the bytes of the encoding of the database. What is NULL or a number,
  /// a row or column that is not there, and a table `WITHOUT ROWID` throw ``ResultCode/error``, and so does
  /// a column that is to be written and is part of an index or a foreign key. A column that is computed when it
  /// is read throws ``ResultCode/schema``, and so do those behind it, as SQLite 3.40 would open another one. An
  /// unknown database throws ``ResultCode/range``.
  ///
  /// To write, it takes the lock of a writer, and keeps it until it is closed: see ``Blob``.
  ///
  /// The corresponding C function is `sqlite3_blob_open`.
  public func openBlob(
    table: String, column: String, rowid: Int64, database: String = "main", readOnly: Bool = true
  ) throws -> Blob {
    try refuseNUL(in: table, "The name of the table")
    try refuseNUL(in: column, "The name of the column")
    try refuseStatements()
    _ = try transactionState(schema: database)
    if !readOnly { try refuseReadOnly(database) }
    try refuseMoved(column, table, database)
    return try Blob(self, database, table, column, rowid, isReadOnly: readOnly)
  }

  /// Refuses a column that SQLite would mistake for another: it counts those that are not stored, too.
  private func refuseMoved(_ column: String, _ table: String, _ database: String) throws {
    try state.cleaningUp {
      let columns: SQL = "SELECT cid FROM pragma_table_xinfo(\(table), \(database))"
      guard let first = try first(.column(.int), "\(columns) WHERE hidden = 2 LIMIT 1"),
        let own = try self.first(
          .column(.int), "\(columns) WHERE name = \(column) COLLATE NOCASE"), own >= first
      else { return }
      throw SQLiteError(
        .schema,
        "The column \(column) of \(table) is a virtual generated column or follows one, so it cannot be opened"
      )
    }
  }

  /// Refuses what SQLite would find out only when it writes.
  private func refuseReadOnly(_ database: String) throws {
    guard !isReadOnly(database) else {
      throw SQLiteError(.readOnly, "The database \"\(database)\" is read-only")
    }
  }
}
