import CSluice

extension Connection {
  /// Returns a copy of a database as the bytes of a database file without a WAL.
  ///
  /// The bytes include changes that the connection has not yet committed. The result for a new database is
  /// empty or, with newer versions of SQLite, one empty page. If SQLite cannot read a page from the file, this
  /// method does not throw: the bytes of the page are 0 in the result.
  ///
  /// - Throws:
  ///   - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/serialization``.
  ///   - ``ResultCode/range`` for an unknown database.
  ///   - ``ResultCode/busy`` if a lock is not available.
  ///
  /// The corresponding C function is `sqlite3_serialize`.
  public func serialize(database: String = "main") throws -> [UInt8] {
    try withSerialized(database: database) { bytes in
      unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
  }

  /// Calls `body` with the bytes that ``serialize(database:)`` returns, and returns the result of `body`.
  ///
  /// The bytes are valid only during the call. They are not copied if
  /// ``deserialize(_:database:readOnly:isResizable:sizeLimit:)`` has put the database into memory and this
  /// connection is not writing to the database. In this case, using the connection before `body` returns throws
  /// ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `sqlite3_serialize`.
  public func withSerialized<T>(
    database: String = "main", _ body: (Span<UInt8>) throws -> T
  ) throws -> T {
    try requireLocal(.serialization)
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

  /// Returns the bytes that SQLite provides for these flags, or nil if it provides none.
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
    // If SQLite was asked for a copy, a null address can also mean that the database is empty.
    guard unsafe start != nil || (size == 0 && flags == 0) else { return nil }
    return unsafe UnsafeBufferPointer(start: start, count: Int(size))
  }
}

extension Connection {
  /// Replaces a database of the connection with an in-memory copy of `bytes`.
  ///
  /// ```swift
  /// let copy = try Connection()
  /// try copy.deserialize(connection.serialize())
  /// ```
  ///
  /// The connection stops using the file of the replaced database, and leaves it unchanged. An empty array
  /// creates an empty database. Only the beginning of the bytes is checked: damage in the rest is detected only
  /// when the database is used. If the bytes come from a database with a WAL, the in-memory database has no WAL.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a database, as ``serialize(database:)`` returns them.
  ///   - database: The name of the database to replace.
  ///   - readOnly: Whether the new database is read-only.
  ///   - isResizable: Whether the database can grow. If false, a write that would enlarge the database throws
  ///     ``ResultCode/full``.
  ///   - sizeLimit: The maximum size of the database in bytes; a write that would exceed it throws
  ///     ``ResultCode/full``. Nil selects SQLite's limit, which is 1 GiB unless SQLite was built with a
  ///     different one.
  /// - Throws: An error with one of these codes:
  ///   - ``ResultCode/notADatabase`` if the bytes do not begin with the header of a database.
  ///   - ``ResultCode/tooBig`` if there are more bytes than `sizeLimit`.
  ///   - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/serialization``.
  ///   - ``ResultCode/range`` for an unknown database, and ``ResultCode/error`` for the temporary database.
  ///   - ``ResultCode/misuse`` inside a transaction or an SQL function, and if the database is a file that a
  ///     queue or pool opened.
  ///   - ``ResultCode/busy`` while a statement, a blob or a backup has the database open.
  ///   - If the connection is ``Configuration/isConfined``, each code that opening such a file throws; the database is
  ///     then empty.
  ///
  /// The corresponding C function is `sqlite3_deserialize`.
  public func deserialize(
    _ bytes: [UInt8], database: String = "main", readOnly: Bool = false, isResizable: Bool = true,
    sizeLimit: Int? = nil
  ) throws {
    try requireLocal(.serialization)
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
    if configuration.isConfined {
      try readSchema {
        try open([], database, UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | growth))
      }
    }
    if let sizeLimit { try limit(database, to: sizeLimit) }
  }

  /// Throws if other connections of the same queue or pool would continue to use the database file.
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
    // SQLite frees the memory even if the call fails. To open the database, SQLite internally compiles an ATTACH
    // statement. `cleaningUp` keeps an authorizer from rejecting this statement, which attaches no other file.
    try state.cleaningUp {
      try unsafe callSQLite { handle in
        unsafe sluice_deserialize(handle, database, start, size, size, flags)
      }
    }
    try expireAll()
    state.tracker?.noteEverything()
    state.watchers.transactions?.replaceContent(of: database)
    state.settle()
  }

  /// Changes the header if it specifies a WAL, because SQLite would reject such a database in memory.
  private func leaveWAL(_ bytes: UnsafeMutableRawBufferPointer) {
    guard bytes.count > 19, unsafe bytes[18] == 2, unsafe bytes[19] == 2 else { return }
    unsafe bytes[18] = 1
    unsafe bytes[19] = 1
  }

  /// Expires all statements, so that they are compiled again.
  ///
  /// SQLite detects an outdated schema by a version number, which may be the same for the old and the new
  /// schema.
  private func expireAll() throws {
    // Each change of this option expires all statements.
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
