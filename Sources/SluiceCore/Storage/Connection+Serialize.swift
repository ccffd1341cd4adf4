import CSluice

extension Connection {
  /// A copy of a database as bytes: those of its file, if it had one and no WAL.
  ///
  /// What the connection has written and not yet committed is in it. A new database is no bytes, or
  /// with newer versions of SQLite one empty page.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/serialization``,
  /// ``ResultCode/range`` for an unknown database, and ``ResultCode/busy`` if a lock cannot be had. SQLite does not
  /// report a page that it cannot read from the file: its bytes are 0.
  ///
  /// The corresponding C function is `sqlite3_serialize`.
  public func serialize(database: String = "main") throws -> [UInt8] {
    try withSerialized(database: database) { bytes in
      unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
  }

  /// Lends a database as bytes, as ``serialize(database:)`` has them.
  ///
  /// No copy is made of a database that ``deserialize(_:database:readOnly:isResizable:sizeLimit:)`` has put into
  /// memory, unless it is being written: the connection cannot be used until `body` returns, which throws
  /// ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `sqlite3_serialize`.
  public func withSerialized<T>(
    database: String = "main", _ body: (Span<UInt8>) throws -> T
  ) throws -> T {
    try SQLiteLibrary.require(.serialization)
    try refuseStatements()
    let isWriting = try transactionState(schema: database) == .write
    if !isWriting, let bytes = unsafe try serialized(database, SQLITE_SERIALIZE_NOCOPY) {
      return try state.within(.lend) { try unsafe body(bytes.span) }
    }
    guard let bytes = unsafe try serialized(database, 0) else {
      throw SQLiteError(.noMemory, "Out of memory for the bytes of the database")
    }
    defer { unsafe sqlite3_free(UnsafeMutableRawPointer(mutating: bytes.baseAddress)) }
    return try unsafe body(bytes.span)
  }

  /// The bytes as SQLite gives them; nil if it has none.
  private func serialized(_ database: String, _ flags: Int32) throws -> UnsafeBufferPointer<UInt8>?
  {
    let handle = try unsafe handle()
    var size: sqlite3_int64 = -1
    let start = unsafe state.calling {
      unsafe sluice_serialize(handle, database, &size, UInt32(flags))
    }
    guard size >= 0 else {
      let code = unsafe sqlite3_extended_errcode(handle)
      throw failure(code == SQLITE_OK ? SQLITE_ERROR : code)
    }
    state.dropFailure()
    // An empty database has no address.
    guard unsafe start != nil || (size == 0 && flags == 0) else { return nil }
    return unsafe UnsafeBufferPointer(start: start, count: Int(size))
  }
}

extension Connection {
  /// Puts a database that is given as bytes into memory, in place of one of the connection.
  ///
  /// ```swift
  /// let copy = try Connection()
  /// try copy.deserialize(connection.serialize())
  /// ```
  ///
  /// The file of the database that was there stays as it is, and is not used any more. The bytes are copied. No
  /// bytes are an empty database; others that do not begin as a database does throw ``ResultCode/notADatabase``, and
  /// what is wrong further in shows when it is used. One that had a WAL has none in memory.
  ///
  /// A database that is not `isResizable` throws ``ResultCode/full`` when it would have to grow. A `sizeLimit` in
  /// bytes does the same at that size; without one it is SQLite's, which is 1 GiB unless it was built with another.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/serialization``,
  /// ``ResultCode/range`` for an unknown database, ``ResultCode/error`` for the temporary one, ``ResultCode/misuse``
  /// inside of a transaction or of a function, and for a file of a queue or pool, and ``ResultCode/busy`` while a statement, a blob or a backup has the
  /// database open.
  ///
  /// The corresponding C function is `sqlite3_deserialize`.
  public func deserialize(
    _ bytes: [UInt8], database: String = "main", readOnly: Bool = false, isResizable: Bool = true,
    sizeLimit: Int? = nil
  ) throws {
    try SQLiteLibrary.require(.serialization)
    try refuseStatements()
    try refuseToLeaveFile(database)
    finishDeferred()
    let isInUse = try transactionState(schema: database) != .none
    guard state.calls.depth == 0, isInAutocommit else {
      throw SQLiteError(
        .misuse, "A database cannot be replaced inside a transaction or an SQL function")
    }
    guard !isInUse, dependents.all.isEmpty else {
      throw SQLiteError(.busy, "A statement, blob or backup is using the database")
    }
    guard bytes.isEmpty || bytes.starts(with: "SQLite format 3\0".utf8) else {
      throw SQLiteError(.notADatabase, "The bytes do not begin with the header of a database")
    }
    if let sizeLimit, sizeLimit < bytes.count {
      throw SQLiteError(
        .tooBig, "The database of \(bytes.count) bytes exceeds the limit of \(sizeLimit)")
    }
    let access = readOnly ? SQLITE_DESERIALIZE_READONLY : 0
    let growth = isResizable ? SQLITE_DESERIALIZE_RESIZEABLE : 0
    try open(bytes, database, UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | access | growth))
    if let sizeLimit { try limit(database, to: sizeLimit) }
  }

  /// Throws if other connections of the owner would go on with the file of the database.
  private func refuseToLeaveFile(_ database: String) throws {
    guard state.interruptState != nil, let path = path(of: database), !path.isEmpty else { return }
    throw SQLiteError(
      .misuse,
      "The connection belongs to a queue or pool, whose other connections would keep using the file \(path):"
        + " replace its content with restore(from:)")
  }

  private func open(_ bytes: [UInt8], _ database: String, _ flags: UInt32) throws {
    let size = sqlite3_int64(bytes.count)
    guard let memory = unsafe sqlite3_malloc64(UInt64(max(1, bytes.count))) else {
      throw SQLiteError(.noMemory, "Out of memory for the database")
    }
    unsafe memory.copyMemory(from: bytes, byteCount: bytes.count)
    unsafe leaveWAL(UnsafeMutableRawBufferPointer(start: memory, count: bytes.count))
    let start = unsafe memory.assumingMemoryBound(to: UInt8.self)
    clearStatementCache()
    // SQLite frees the memory, whatever comes of it.
    // It compiles an ATTACH of its own, which attaches nothing that an authorizer could care for.
    try state.cleaningUp {
      try unsafe callSQLite { handle in
        unsafe sluice_deserialize(handle, database, start, size, size, flags)
      }
    }
    try expireAll()
    state.tracker?.noteEverything()
    state.transactionWatch?.replaceContent(of: database)
    state.settle()
  }

  /// Makes the header say that there is no WAL: memory has none, and SQLite would refuse it.
  private func leaveWAL(_ bytes: UnsafeMutableRawBufferPointer) {
    guard bytes.count > 19, unsafe bytes[18] == 2, unsafe bytes[19] == 2 else { return }
    unsafe bytes[18] = 1
    unsafe bytes[19] = 1
  }

  /// Sees to it that all statements are compiled again: SQLite tells an old schema by a number that the
  /// new one may have as well.
  private func expireAll() throws {
    // Each turn of a switch does that.
    let isOn = try option(.stableQueryPlans)
    try setOption(.stableQueryPlans, !isOn)
    try setOption(.stableQueryPlans, isOn)
  }

  private func limit(_ database: String, to size: Int) throws {
    var limit = sqlite3_int64(size)
    try unsafe callSQLite { handle in
      unsafe sqlite3_file_control(handle, database, SQLITE_FCNTL_SIZE_LIMIT, &limit)
    }
  }
}
