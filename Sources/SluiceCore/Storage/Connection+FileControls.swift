import CSluice

/// Controls of the file of a database, beside SQL.
///
/// An unknown database throws ``ResultCode/range``. What the file system does not know throws
/// ``ResultCode/notFound``, as it does for a database in memory.
extension Connection {
  /// The names of the file systems that the database is reached through, such as `cipher/unix`; nil if they
  /// do not tell.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_VFSNAME`.
  public func fileSystemName(database: String = "main") throws -> String? {
    try text(SQLITE_FCNTL_VFSNAME, database)
  }

  /// The path of a file for temporary use, which is not there yet.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_TEMPFILENAME`.
  public func temporaryPath(database: String = "main") throws -> String? {
    try text(SQLITE_FCNTL_TEMPFILENAME, database)
  }

  /// Whether the file was moved, replaced or deleted since it was opened.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_HAS_MOVED`.
  public func hasFileMoved(database: String = "main") throws -> Bool {
    try control(SQLITE_FCNTL_HAS_MOVED, 0 as Int32, database) != 0
  }

  /// Whether the WAL stays when the last connection closes.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_PERSIST_WAL`.
  public func persistsWAL(database: String = "main") throws -> Bool {
    try control(SQLITE_FCNTL_PERSIST_WAL, -1 as Int32, database) > 0
  }

  /// Lets the WAL stay when this is the last connection that closes, or lets it go.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_PERSIST_WAL`.
  public func setPersistsWAL(_ persists: Bool, database: String = "main") throws {
    try control(SQLITE_FCNTL_PERSIST_WAL, persists ? 1 : 0 as Int32, database)
  }

  /// Whether SQLite relies on a power failure damaging no bytes but those that are being written.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_POWERSAFE_OVERWRITE`.
  public func usesPowersafeOverwrite(database: String = "main") throws -> Bool {
    try control(SQLITE_FCNTL_POWERSAFE_OVERWRITE, -1 as Int32, database) > 0
  }

  /// Says whether a power failure damages no bytes but those that are being written.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_POWERSAFE_OVERWRITE`.
  public func setUsesPowersafeOverwrite(_ uses: Bool, database: String = "main") throws {
    try control(SQLITE_FCNTL_POWERSAFE_OVERWRITE, uses ? 1 : 0 as Int32, database)
  }

  /// Lets the file grow and shrink by so many bytes at a time; 0 for as many as are needed.
  ///
  /// A negative number, and one above a thousand million, throws ``ResultCode/range``.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_CHUNK_SIZE`.
  public func setChunkSize(_ size: Int, database: String = "main") throws {
    guard (0...1_000_000_000).contains(size) else {
      throw SQLiteError(.range, "The chunk size must be from 0 to \(Int32.max) (got \(size))")
    }
    try control(SQLITE_FCNTL_CHUNK_SIZE, Int32(size), database)
  }

  /// Says that the file is going to have about so many bytes.
  ///
  /// Less than 0, and more than a database can have, throws ``ResultCode/range``.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_SIZE_HINT`.
  public func hintSize(_ size: Int64, database: String = "main") throws {
    guard (0...1 << 48).contains(size) else {
      throw SQLiteError(.range, "The size limit must not be negative (got \(size))")
    }
    try control(SQLITE_FCNTL_SIZE_HINT, size, database)
  }

  /// A number that changes with each change of the database that this connection sees, its own ones among
  /// them, unlike ``dataVersion(database:)``.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_DATA_VERSION`.
  public func changeVersion(database: String = "main") throws -> UInt32 {
    try control(SQLITE_FCNTL_DATA_VERSION, 0 as UInt32, database)
  }

  /// Lets the file system wait for a lock by itself, and returns how long it did so before.
  ///
  /// Few builds of SQLite have that.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_LOCK_TIMEOUT`.
  @discardableResult
  public func setLockTimeout(_ timeout: Duration, database: String = "main") throws -> Duration {
    .milliseconds(try control(SQLITE_FCNTL_LOCK_TIMEOUT, timeout.milliseconds, database))
  }

  /// How many bytes of each page SQLite leaves to what is in between, such as checksums.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_RESERVE_BYTES`.
  public func reservedBytes(database: String = "main") throws -> Int {
    Int(try control(SQLITE_FCNTL_RESERVE_BYTES, -1 as Int32, database))
  }

  /// Leaves bytes of each page to what is in between, from the next ``vacuum(database:pageSize:autoVacuum:)``
  /// on, or for a database that is still empty.
  ///
  /// Less than 0 and more than 255 throws ``ResultCode/range``.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_RESERVE_BYTES`.
  public func setReservedBytes(_ count: Int, database: String = "main") throws {
    guard (0...255).contains(count) else {
      throw SQLiteError(.range, "The reserved byte count must be from 0 to 255 (got \(count))")
    }
    try control(SQLITE_FCNTL_RESERVE_BYTES, Int32(count), database)
  }

  /// Forgets the pages that are kept in memory, unless a transaction is open.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_RESET_CACHE`.
  public func resetCache(database: String = "main") throws {
    try control(SQLITE_FCNTL_RESET_CACHE, 0 as Int32, database)
  }

  /// Whether a connection of another process is reading a database with a WAL.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_EXTERNAL_READER`.
  public func hasExternalReader(database: String = "main") throws -> Bool {
    try control(SQLITE_FCNTL_EXTERNAL_READER, 0 as Int32, database) != 0
  }

  /// The number of the error of the operating system that the file has met last; 0 for none.
  ///
  /// The corresponding C value is `SQLITE_FCNTL_LAST_ERRNO`.
  public func lastFileErrno(database: String = "main") throws -> Int {
    Int(try control(SQLITE_FCNTL_LAST_ERRNO, 0 as Int32, database))
  }
}

extension Connection {
  /// Says something to a file with a number, and returns what became of the number.
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

  /// Asks a file for text, which SQLite has allocated.
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
    _ = try transactionState(schema: database)
    try state.require(.use)
    try unsafe callSQLite { handle in
      unsafe sqlite3_file_control(handle, database, operation, argument)
    }
  }
}
