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
  /// memory, unless it is being written. While it is lent the connection can do nothing else: that throws
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
      throw SQLiteError(.noMemory, "No memory for the bytes of the database")
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
