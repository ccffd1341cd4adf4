import CSluice

/// Methods that control the file of a database without SQL.
///
/// An unknown database throws ``ResultCode/range``. A control that the file system does not support throws
/// ``ResultCode/notFound``, and so does a control that needs a file if the database is in memory.
extension Connection {
  /// Returns the names of the file systems through which SQLite accesses the database, such as `cipher/unix`.
  ///
  /// The result is nil if the file systems do not report their names.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_VFSNAME`.
  public func fileSystemName(database: String = "main") throws -> String? {
    try text(SQLITE_FCNTL_VFSNAME, database)
  }

  /// Returns a path for a temporary file, at which no file exists yet; nil if the file system does not support
  /// this.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_TEMPFILENAME`.
  public func temporaryPath(database: String = "main") throws -> String? {
    try text(SQLITE_FCNTL_TEMPFILENAME, database)
  }

  /// Returns whether the file has been moved, replaced or deleted since it was opened.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_HAS_MOVED`.
  public func hasFileMoved(database: String = "main") throws -> Bool {
    try control(SQLITE_FCNTL_HAS_MOVED, 0 as Int32, database) != 0
  }

  /// Returns whether the WAL remains when the last connection closes.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_PERSIST_WAL`.
  public func persistsWAL(database: String = "main") throws -> Bool {
    try control(SQLITE_FCNTL_PERSIST_WAL, -1 as Int32, database) > 0
  }

  /// Sets whether the WAL remains if this connection is the last one to close.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_PERSIST_WAL`.
  public func setPersistsWAL(_ persists: Bool, database: String = "main") throws {
    try control(SQLITE_FCNTL_PERSIST_WAL, persists ? 1 : 0 as Int32, database)
  }

  /// Returns whether SQLite assumes that a power failure damages only the bytes that are being written.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_POWERSAFE_OVERWRITE`.
  public func usesPowersafeOverwrite(database: String = "main") throws -> Bool {
    try control(SQLITE_FCNTL_POWERSAFE_OVERWRITE, -1 as Int32, database) > 0
  }

  /// Sets whether SQLite assumes that a power failure damages only the bytes that are being written.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_POWERSAFE_OVERWRITE`.
  public func setUsesPowersafeOverwrite(_ uses: Bool, database: String = "main") throws {
    try control(SQLITE_FCNTL_POWERSAFE_OVERWRITE, uses ? 1 : 0 as Int32, database)
  }

  /// Sets the number of bytes by which the file grows and shrinks; 0 for as many as are needed.
  ///
  /// - Throws: ``ResultCode/range`` if `size` is negative or greater than 1,000,000,000.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_CHUNK_SIZE`.
  public func setChunkSize(_ size: Int, database: String = "main") throws {
    guard (0...1_000_000_000).contains(size) else {
      throw SQLiteError(.range, "The chunk size must be from 0 to 1,000,000,000 (got \(size))")
    }
    try control(SQLITE_FCNTL_CHUNK_SIZE, Int32(size), database)
  }

  /// Informs the file system of the approximate number of bytes that the file will have.
  ///
  /// - Throws: ``ResultCode/range`` if `size` is negative or greater than 2^48.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_SIZE_HINT`.
  public func hintSize(_ size: Int64, database: String = "main") throws {
    guard (0...1 << 48).contains(size) else {
      throw SQLiteError(.range, "The expected size must be from 0 to 2^48 bytes (got \(size))")
    }
    try control(SQLITE_FCNTL_SIZE_HINT, size, database)
  }

  /// Returns a number that changes whenever this connection sees a change to the database.
  ///
  /// Unlike ``dataVersion(database:)``, the number also changes when this connection changes the database.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_DATA_VERSION`.
  public func changeVersion(database: String = "main") throws -> UInt32 {
    try control(SQLITE_FCNTL_DATA_VERSION, 0 as UInt32, database)
  }

  /// Sets how long the file system itself waits for a lock, and returns the previous duration.
  ///
  /// Few builds of SQLite support this control.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_LOCK_TIMEOUT`.
  @discardableResult
  public func setLockTimeout(_ timeout: Duration, database: String = "main") throws -> Duration {
    .milliseconds(try control(SQLITE_FCNTL_LOCK_TIMEOUT, timeout.milliseconds, database))
  }

  /// Returns the number of bytes that SQLite reserves in each page for extensions, such as checksums.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_RESERVE_BYTES`.
  public func reservedBytes(database: String = "main") throws -> Int {
    Int(try control(SQLITE_FCNTL_RESERVE_BYTES, -1 as Int32, database))
  }

  /// Reserves bytes in each page for extensions, such as checksums.
  ///
  /// The setting takes effect with the next ``vacuum(database:pageSize:autoVacuum:)``, or at once if the
  /// database is still empty.
  ///
  /// - Throws: ``ResultCode/range`` if `count` is negative or greater than 255.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_RESERVE_BYTES`.
  public func setReservedBytes(_ count: Int, database: String = "main") throws {
    guard (0...255).contains(count) else {
      throw SQLiteError(.range, "The reserved byte count must be from 0 to 255 (got \(count))")
    }
    try control(SQLITE_FCNTL_RESERVE_BYTES, Int32(count), database)
  }

  /// Discards the pages in the page cache, unless a transaction is open.
  ///
  /// Before SQLite 3.40.1, this method throws ``ResultCode/notFound``.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_RESET_CACHE`.
  public func resetCache(database: String = "main") throws {
    // The number of SQLITE_FCNTL_RESET_CACHE, which older headers lack.
    try control(42, 0 as Int32, database)
  }

  /// Returns whether a connection of another process is reading a database with a WAL.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_EXTERNAL_READER`.
  public func hasExternalReader(database: String = "main") throws -> Bool {
    try control(SQLITE_FCNTL_EXTERNAL_READER, 0 as Int32, database) != 0
  }

  /// Returns the error number of the last operating system error on the file; 0 if there was none.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_LAST_ERRNO`.
  public func lastFileErrno(database: String = "main") throws -> Int {
    Int(try control(SQLITE_FCNTL_LAST_ERRNO, 0 as Int32, database))
  }
}

extension Connection {
  /// Sends a control with a number to a file, and returns the number with which the file answers.
  @discardableResult
  private func control<Number>(
    _ operation: Int32, _ number: Number, _ database: String
  ) throws -> Number {
    var number = number
    try unsafe withUnsafeMutablePointer(to: &number) { number in
      try unsafe control(operation, UnsafeMutableRawPointer(number), database)
    }
    return number
  }

  /// Requests text from a file, and returns nil if the file system does not support the control.
  ///
  /// SQLite allocates the text.
  private func text(_ operation: Int32, _ database: String) throws -> String? {
    var text: UnsafeMutablePointer<CChar>?
    defer { unsafe sqlite3_free(text) }
    do {
      try unsafe withUnsafeMutablePointer(to: &text) { text in
        try unsafe control(operation, UnsafeMutableRawPointer(text), database)
      }
    } catch SQLiteError.notFound { return nil }
    return unsafe text.map { unsafe String(cString: $0) }
  }

  private func control(
    _ operation: Int32, _ argument: UnsafeMutableRawPointer, _ database: String
  ) throws {
    if let translator {
      throw SQLiteError(.notFound, "A connection of a \(translator.noun) has no file")
    }
    _ = try transactionState(schema: database)
    try state.require(.use)
    try unsafe callSQLite { handle in
      unsafe sqlite3_file_control(handle, database, operation, argument)
    }
  }
}
