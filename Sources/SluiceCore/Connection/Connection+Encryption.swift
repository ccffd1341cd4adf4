import CSQLite
import CSluice

extension Connection {
  /// Encrypts the main database with another key, which rewrites all of its file.
  ///
  /// No other connection to the file may be open: one that is working throws ``ResultCode/busy``, and
  /// the old key stays. A ``ConnectionReadQueue`` that is made from the queue of this connection
  /// afterwards still uses the old key, and so throws.
  ///
  /// It throws ``ResultCode/misuse`` while a transaction or statement of this connection is open, and
  /// if it was opened without a key: what is not encrypted cannot become so.
  ///
  /// The corresponding C function is `sqlite3_rekey`.
  public func changeEncryptionKey(to key: EncryptionKey) throws {
    try SQLiteLibrary.require(.encryption)
    _ = try unsafe handle()
    try refuseStatements()
    guard let old = configuration.encryptionKey else {
      throw SQLiteError(.misuse, "The connection was opened without an encryption key")
    }
    guard callbacks.callDepth == 0, isInAutocommit, try transactionState() == .none else {
      throw SQLiteError(.misuse, "The key cannot change while a transaction or statement is open")
    }
    guard !isReadOnly() else { throw SQLiteError(.readOnly, "The database can only be read") }
    do {
      try unsafe callSQLite { handle in
        unsafe sluice_rekey(handle, key.bytes, Int32(clamping: key.bytes.count))
      }
      try checkFile(opensWith: key)
    } catch {
      // SQLCipher would go on to write with the new key, and so destroy what the old one has encrypted.
      try? callbacks.cleaningUp {
        try unsafe callSQLite { handle in
          unsafe sluice_rekey(handle, old.bytes, Int32(clamping: old.bytes.count))
        }
      }
      throw error
    }
    configuration.encryptionKey = key
  }

  /// Gives the key to SQLite before anything of the file is read.
  func unlock(with key: EncryptionKey) throws {
    try check(unsafe sluice_key(handle(), key.bytes, Int32(clamping: key.bytes.count)))
  }

  /// Reads, because only then a wrong key shows.
  func checkKey() throws {
    do { try takeSnapshot() } catch let error as SQLiteError
      where error.code.primary == .notADatabase
    {
      throw SQLiteError(error.code, "The key is not that of the file, or it is not encrypted")
    }
  }

  /// Looks at the file from outside: SQLCipher says that it has changed the key also if it could not.
  private func checkFile(opensWith key: EncryptionKey) throws {
    guard let path = path(), let name = unsafe fileSystem?.pointee.zName else { return }
    var other = Configuration.sqliteDefaults
    other.busyTimeout = configuration.busyTimeout
    other.encryptionKey = key
    let query = unsafe "vfs=" + escapedForURI(String(cString: name))
    do { _ = try Connection(uri: fileURI(path, query), readOnly: true, configuration: other) } catch
    {
      throw SQLiteError(.busy, "The key has not changed: another connection may be using the file")
    }
  }
}
