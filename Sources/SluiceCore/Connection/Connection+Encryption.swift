import CSluice

extension Connection {
  /// Encrypts the main database with another key, which rewrites all of its file.
  ///
  /// No other connection to the file may be open: one that is working throws ``ResultCode/busy``, and
  /// the old key stays. A ``ConnectionReadQueue`` that is made from the queue of this connection
  /// afterwards still uses the old key, and so throws.
  ///
  /// The ``CipherSettings`` of the file stay as they are.
  ///
  /// It throws ``ResultCode/misuse`` while a transaction or statement of this connection is open, if the key has settings
  /// that differ from those of the file, and if the connection was opened without a key:
  /// `export(to:encryptionKey:database:)` writes an encrypted file, or one with other settings.
  ///
  /// The corresponding C function is `sqlite3_rekey`.
  public func changeEncryptionKey(to key: EncryptionKey) throws {
    try SQLiteLibrary.require(.encryption)
    _ = try unsafe handle()
    try refuseStatements()
    guard let old = configuration.encryptionKey else {
      throw SQLiteError(.misuse, "The connection was opened without an encryption key")
    }
    guard state.calls.depth == 0, isInAutocommit, try transactionState() == .none else {
      throw SQLiteError(.misuse, "The key cannot change while a transaction or statement is open")
    }
    guard !isReadOnly() else { throw SQLiteError(.readOnly, "The database can only be read") }
    guard key.settings.isDefault || key.settings == old.settings else {
      throw SQLiteError(
        .misuse, "The cipher settings of a file cannot change: export the database to a new file")
    }
    let key = key.with(old.settings)
    do {
      try unsafe callSQLite { handle in
        unsafe sluice_rekey(handle, key.bytes, Int32(clamping: key.bytes.count))
      }
      try checkFile(opensWith: key)
    } catch {
      // SQLCipher would go on to write with the new key, and so destroy what the old one has encrypted.
      try? state.cleaningUp {
        try unsafe callSQLite { handle in
          unsafe sluice_rekey(handle, old.bytes, Int32(clamping: old.bytes.count))
        }
      }
      throw error
    }
    configuration.encryptionKey = key
  }

  /// Gives the key and its settings to SQLite before it reads the file.
  func unlock(with key: EncryptionKey) throws {
    try CipherDefaults.withOwn {
      try check(unsafe sluice_key(handle(), key.bytes, Int32(clamping: key.bytes.count)))
    }
    try apply(key.settings, to: "main")
  }

  /// Reads, because only then a wrong key shows.
  func checkKey() throws {
    // With a plaintext header, SQLCipher finds a wrong key only after the header, and has no code for that.
    do { try takeSnapshot() } catch let error as SQLiteError
      where error.code.primary == .notADatabase || error.code == .error
    {
      throw SQLiteError.wrongKey
    }
  }

  /// Looks at the file from outside: SQLCipher says that it has changed the key also if it could not.
  private func checkFile(opensWith key: EncryptionKey) throws {
    guard let path = path(), let name = unsafe fileSystem?.pointee.zName else { return }
    var other = Configuration.sqliteDefaults
    other.busyTimeout = configuration.busyTimeout
    other.encryptionKey = key
    other.pragmas = configuration.pragmas.ofCipher
    let query = unsafe "vfs=" + escapedForURI(String(cString: name))
    do { _ = try Connection(uri: fileURI(path, query), readOnly: true, configuration: other) } catch
    {
      throw SQLiteError(.busy, "The key has not changed: another connection may be using the file")
    }
  }
}

extension SQLiteError {
  /// SQLCipher cannot decrypt the file.
  static var wrongKey: SQLiteError {
    SQLiteError(
      .notADatabase,
      "The key or its cipher settings are not those of the file, or the file is not encrypted")
  }
}
