import CSluice

/// A blob in a table row that can be read and written in parts, without loading the whole blob into memory.
///
/// ```swift
/// try connection.execute("INSERT INTO photo(id, pixels) VALUES (1, zeroblob(\(size)))")
/// let blob = try connection.openBlob(table: "photo", column: "pixels", rowid: 1, readOnly: false)
/// try blob.write(header, at: 0)
/// try blob.close()
/// ```
///
/// The size of a blob does not change. To create a blob, use SQL with `zeroblob` or
/// ``SQLBindable/zeroBlob(count:)``.
///
/// When SQL changes any column of the blob's row, the blob expires: using it throws ``ResultCode/abort``, and
/// it must be opened again. Rolling back a transaction also expires a blob that was opened for writing.
///
/// Outside a transaction, ``close()`` commits the bytes that were written, and throws if the commit fails. A
/// blob that is deallocated without a call to ``close()`` is also closed, but any error is lost.
///
/// Beginning a transaction closes blobs that were opened for writing, just as it ends statements that write.
/// Such blobs are also closed when a closure-based transaction ends. Inside a transaction, beginning a
/// savepoint throws ``ResultCode/busy`` while a blob is open for writing.
///
/// A blob belongs to its connection, and must be used where the connection is used. It keeps the connection
/// open until ``Connection/close()`` is called. From then on, using the blob throws ``ResultCode/misuse``.
@safe public final class Blob {
  /// The connection whose database contains the blob.
  public let connection: Connection
  /// Whether the blob was opened for reading only.
  public let isReadOnly: Bool
  /// The rowid of the row that contains the blob.
  public private(set) var rowid: Int64
  /// The number of bytes in the blob.
  ///
  /// The corresponding C function is `sqlite3_blob_bytes`.
  public private(set) var count: Int

  /// The handle of the blob; nil once the blob is closed.
  private var handle: OpaquePointer?
  /// The schema and the table of the blob, for observers of the connection.
  let place: (schema: String, table: String)
  /// The number of scopes (closure-based transactions and savepoints) that were open when the blob was opened.
  let depth: Int
  private var isInSQLite = false
  /// Whether SQLite has expired the blob.
  private var hasExpired = false
  /// The last error and its SQLite code, which `sqlite3_blob_close` repeats.
  private var failure: (error: SQLiteError, code: Int32)?
  /// The number of times that the blob was reopened at another row.
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
    depth = connection.state.scope.depth
    connection.dependents.add(self)
    guard !isReadOnly else { return }
    connection.state.live.standingWriters += 1
    connection.state.writes.note()
  }

  deinit {
    guard let handle = unsafe leave() else { return }
    unsafe connection.finish(.blob(handle))
  }
}

@available(*, unavailable)
extension Blob: Sendable {}

extension Blob {
  /// Closes the blob, and commits its changes if no transaction is open.
  ///
  /// If the commit fails, this method throws, the changes are undone, and the blob is nevertheless closed. Closing
  /// a closed blob does nothing.
  ///
  /// The corresponding C function is `sqlite3_blob_close`.
  public func close() throws {
    guard unsafe handle != nil else { return }
    try connection.state.refuseStrangers()
    guard !isInSQLite else { throw isRunning }
    try connection.state.require(.use)
    try end()
  }

  /// Reopens the blob at the same column of another row in the table.
  ///
  /// Reopening a blob is faster than opening another one. If the value in the other row cannot be opened, this
  /// method throws the same error as ``Connection/openBlob(table:column:rowid:database:readOnly:)``, and this
  /// blob can no longer be used.
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
  /// Makes an SQLite call on the blob, and throws if the call fails.
  ///
  /// A failed move to another row expires the blob, because SQLite cannot return to the previous row.
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
      // Whether the blob has expired is determined by SQLite's code, and not by the code of `error`, because an
      // error that a hook throws may also have the code SQLITE_ABORT.
      let isGivenUp = code & 0xff == SQLITE_ABORT
      hasExpired = isMove || isGivenUp
      throw isGivenUp ? expired(ResultCode(rawValue: code)) : error
    }
  }

  private func expired(_ code: ResultCode) -> SQLiteError {
    SQLiteError(
      code, "The blob has expired: its row was changed, or its transaction was rolled back")
  }

  private var isRunning: SQLiteError {
    SQLiteError(.misuse, "The blob is in use; a callback cannot use it")
  }

  /// Removes and returns the handle, which the caller must close.
  private func leave() -> OpaquePointer? {
    guard let handle = unsafe handle.take() else { return nil }
    connection.dependents.remove(ObjectIdentifier(self))
    if !isReadOnly { connection.state.live.standingWriters -= 1 }
    return unsafe handle
  }
}

extension Blob: Dependent, StandingWriter {
  var writer: (any StandingWriter)? { isReadOnly || isInSQLite ? nil : self }
  var remembersInterrupts: Bool { true }

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
      // The error is ignored, because `sqlite3_blob_close` only repeats one that was already thrown.
    }
    connection.noteEnd(after: error ?? failure?.error)
    connection.state.settle()
    if let error { throw error }
  }
}

extension Blob {
  /// Returns a copy of `count` bytes, or of all bytes from `offset` to the end.
  ///
  /// - Throws: ``ResultCode/range`` if the range is outside the blob.
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

  /// Fills `bytes` with the blob's bytes from `offset` on, without allocating memory for them.
  ///
  /// - Throws: ``ResultCode/range`` if the range is not inside the blob. In this case, `bytes` is unchanged.
  ///
  /// The corresponding C function is `sqlite3_blob_read`.
  public func read(into bytes: inout MutableSpan<UInt8>, at offset: Int = 0) throws {
    try check(offset, bytes.count)
    try unsafe bytes.withUnsafeMutableBytes { bytes in try unsafe read(into: bytes, offset) }
  }

  /// Calls `body` with each chunk of the blob in order, using memory for only one chunk.
  ///
  /// ```swift
  /// try blob.forEachChunk(of: 65_536) { bytes in
  ///   checksum.add(bytes)
  /// }
  /// ```
  ///
  /// Each chunk is valid only during the call. All chunks but the last have `size` bytes. An error from `body`
  /// ends the iteration.
  ///
  /// - Throws: ``ResultCode/range`` if `size` is less than one, and ``ResultCode/misuse`` if `body` reopens the
  ///   blob at another row.
  ///
  /// The corresponding C function is `sqlite3_blob_read`.
  public func forEachChunk(of size: Int = 65_536, _ body: (Span<UInt8>) throws -> Void) throws {
    guard size > 0 else {
      throw SQLiteError(.range, "The chunk size must be positive (got \(size))")
    }
    // Reading zero bytes checks that an empty blob can be read.
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
      let piece = buffer[..<length]
      try body(piece.span)
      guard moves == start else {
        throw SQLiteError(.misuse, "The blob was reopened at another row while it was being read")
      }
      offset += length
    }
  }

  private func read(into bytes: UnsafeMutableRawBufferPointer, _ offset: Int) throws {
    try unsafe use { handle in
      // Both numbers fit into 32 bits, because a blob in SQLite is smaller than 2 GiB.
      unsafe sqlite3_blob_read(handle, bytes.baseAddress, Int32(bytes.count), Int32(offset))
    }
    connection.state.settle()
  }
}

extension Blob {
  /// Throws ``ResultCode/range`` if any of the bytes are outside the blob.
  ///
  /// If the blob is closed or has expired, this method throws the error for that state instead.
  func check(_ offset: Int, _ count: Int) throws {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      // The error of a closed or expired blob takes precedence.
      try unsafe use { _ in SQLITE_OK }
      throw SQLiteError(
        .range,
        "\(count) bytes at offset \(offset) are outside the blob, which has \(self.count) bytes")
    }
  }
}

extension Blob {
  /// Overwrites part of the blob with `bytes`, starting at `offset`.
  ///
  /// - Throws:
  ///   - ``ResultCode/range`` if the range is not inside the blob. In this case, nothing is written.
  ///   - ``ResultCode/readOnly`` if the blob was not opened for writing.
  ///
  /// The corresponding C function is `sqlite3_blob_write`.
  public func write(_ bytes: Span<UInt8>, at offset: Int = 0) throws {
    try check(offset, bytes.count)
    guard !isReadOnly else {
      // The error of a closed or expired blob takes precedence.
      try unsafe use { _ in SQLITE_OK }
      throw SQLiteError(.readOnly, "The blob was opened read-only")
    }
    try unsafe bytes.withUnsafeBytes { bytes in
      try unsafe use { handle in
        // Both numbers fit into 32 bits, because a blob in SQLite is smaller than 2 GiB.
        unsafe sqlite3_blob_write(handle, bytes.baseAddress, Int32(bytes.count), Int32(offset))
      }
    }
    connection.state.tracker?.note(rowsOf: place.table, schema: place.schema)
    connection.state.settle()
  }

  /// Overwrites part of the blob with `bytes`, like ``write(_:at:)-(Span<UInt8>,_)``.
  public func write(_ bytes: [UInt8], at offset: Int = 0) throws {
    let bytes = bytes[...]
    try write(bytes.span, at: offset)
  }

  /// Writes chunks in order, using memory for only one chunk, and returns the offset after the last one.
  ///
  /// - Throws: ``ResultCode/range`` if a chunk extends beyond the end of the blob. The chunks before that one
  ///   remain written.
  ///
  /// The corresponding C function is `sqlite3_blob_write`.
  @discardableResult
  public func write(chunks: some Sequence<[UInt8]>, at offset: Int = 0) throws -> Int {
    var end = offset
    for chunk in chunks {
      let bytes = chunk[...]
      try write(bytes.span, at: end)
      end += chunk.count
    }
    return end
  }
}

extension Connection {
  /// Opens and returns the blob in one column of a row, to read or write parts of it.
  ///
  /// ```swift
  /// let blob = try connection.openBlob(table: "photo", column: "pixels", rowid: id)
  /// let header = try blob.read(at: 0, count: 16)
  /// ```
  ///
  /// This method can also open text, whose bytes are in the database's encoding.
  ///
  /// Opening a blob for writing acquires the write lock, which is held until the blob is closed: see ``Blob``.
  ///
  /// - Throws:
  ///   - ``ResultCode/error`` for NULL and numbers, for the default of a column that was added after the row was
  ///     written, for a row or column that does not exist, for a `WITHOUT ROWID` table, and for a column that is
  ///     opened for writing and is part of an index or a foreign key.
  ///   - ``ResultCode/schema`` for a virtual generated column, and for all columns after one, because SQLite
  ///     3.40 would open the wrong column.
  ///   - ``ResultCode/readOnly`` if the blob is opened for writing in a read-only database.
  ///   - ``ResultCode/range`` for an unknown database.
  ///
  /// The corresponding C function is `sqlite3_blob_open`.
  public func openBlob(
    table: String, column: String, rowid: Int64, database: String = "main", readOnly: Bool = true
  ) throws -> Blob {
    try requireLocal(.blobs)
    try refuseNUL(in: table, "The name of the table")
    try refuseNUL(in: column, "The name of the column")
    try refuseStatements()
    _ = try transactionState(schema: database)
    if !readOnly { try refuseReadOnly(database) }
    try refuseMoved(column, table, database)
    return try Blob(self, database, table, column, rowid, isReadOnly: readOnly)
  }

  /// Throws for a virtual generated column and all columns after it, where SQLite would open the wrong column.
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

  /// Throws if the database is read-only, because SQLite would report this only at the first write.
  private func refuseReadOnly(_ database: String) throws {
    guard !isReadOnly(database) else {
      throw SQLiteError(.readOnly, "The database \"\(database)\" is read-only")
    }
  }
}
