/// Methods that copy databases page by page.
extension Connection {
  /// Replaces the content of a database of another connection with a copy of a database of this one.
  ///
  /// ```swift
  /// let memory = try Connection()
  /// try memory.restore(from: "app.db")
  /// try connection.backup(to: memory)
  /// ```
  ///
  /// If this method throws, the target is unchanged. By default, all pages are copied in one step, during which
  /// other connections cannot commit to a source without a WAL. With `pagesPerStep`, they can commit between
  /// the steps. Each such commit restarts the copy, so it never completes if other connections change the
  /// source continually.
  ///
  /// With `progress`, a step copies 1000 pages unless `pagesPerStep` is set. After each step, `progress`
  /// receives the number of remaining pages and of all pages. The closure may use this connection, and can throw
  /// to cancel the backup. If the closure throws when no pages remain, the error is ignored, because the copy is
  /// complete. If the task is cancelled, the backup throws `CancellationError` before its next step.
  ///
  /// If a lock is not available, each connection first waits as its ``Configuration/busyTimeout`` specifies.
  /// The backup then waits for up to `busyLimit`, in sleeps that grow from 1 to 100 milliseconds.
  ///
  /// - Throws:
  ///   - ``ResultCode/busy`` or ``ResultCode/locked`` if a lock is still not available after these waits, or
  ///     immediately if the source connection itself is in a transaction that has written.
  ///   - The errors of ``Backup/init(of:database:to:as:)``.
  ///
  /// The corresponding C functions are `sqlite3_backup_init`, `sqlite3_backup_step` and
  /// `sqlite3_backup_finish`.
  public func backup(
    to target: Connection, database: String = "main", as targetDatabase: String = "main",
    pagesPerStep: Int? = nil, busyLimit: Duration = .zero,
    progress: ((_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    let backup = try Backup(of: self, database: database, to: target, as: targetDatabase)
    defer { backup.end() }
    try backup.run(pagesPerStep: pagesPerStep, busyLimit: busyLimit, progress: progress)
  }

  /// Copies a database to a new file, or over the content of an existing file if `overwriting` is true.
  ///
  /// ```swift
  /// try connection.backup(to: "copy.db") { remaining, total in
  ///   print("\(total - remaining) of \(total) pages")
  /// }
  /// ```
  ///
  /// If the backup fails or is cancelled, an existing database is unchanged, and a new file is deleted.
  ///
  /// The file is encrypted with the key of this connection, if there is one. The path is used literally, even
  /// if it looks like a URI. In all other respects, this method behaves like
  /// ``backup(to:database:as:pagesPerStep:busyLimit:progress:)``.
  ///
  /// - Throws:
  ///   - ``ResultCode/cantOpen`` if the file is not empty and `overwriting` is false.
  ///   - ``ResultCode/notADatabase`` if the file is not a database and `overwriting` is true.
  public func backup(
    to path: String, database: String = "main", overwriting: Bool = false,
    pagesPerStep: Int? = nil, busyLimit: Duration = .zero,
    progress: ((_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    // The checks come first, so that a connection that cannot be used does not create the file.
    try refuseStatements()
    _ = try transactionState(schema: database)
    let target = try BackupTarget(path, configuration, overwriting: overwriting)
    do {
      try backup(
        to: target.connection, database: database, pagesPerStep: pagesPerStep,
        busyLimit: busyLimit, progress: progress)
    } catch {
      target.abandon()
      throw error
    }
    try target.connection.close()
  }

  /// Replaces the content of a database with a copy of a database file.
  ///
  /// If this method throws, the database is unchanged. The file is read with the encryption key of this
  /// connection, if there is one.
  ///
  /// - Throws:
  ///   - ``ResultCode/cantOpen`` if the file does not exist.
  ///   - ``ResultCode/notADatabase`` if the file is empty or not a database.
  ///   - The errors of ``backup(to:database:as:pagesPerStep:busyLimit:progress:)``.
  ///
  /// The corresponding C functions are `sqlite3_backup_init`, `sqlite3_backup_step` and
  /// `sqlite3_backup_finish`.
  public func restore(
    from path: String, database: String = "main", pagesPerStep: Int? = nil,
    busyLimit: Duration = .zero,
    progress: ((_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    try refuseStatements()
    _ = try transactionState(schema: database)
    let source = try Connection(
      path: path, readOnly: true, configuration: configuration.forOneBackup)
    guard try source.pageCount() > 0 else {
      throw SQLiteError(.notADatabase, "The file is empty and contains no database: \(path)")
    }
    try source.backup(
      to: self, as: database, pagesPerStep: pagesPerStep, busyLimit: busyLimit, progress: progress)
  }
}

extension Connection {
  /// Returns the number of pages in the main database; 0 if the database is new.
  func pageCount() throws -> Int {
    try first(.column(.int), sql: "PRAGMA main.page_count") ?? 0
  }
}

extension Configuration {
  /// A copy of this configuration, adapted to a connection that serves only as one side of a backup.
  fileprivate var forOneBackup: Configuration {
    var configuration = self
    configuration.readOnly = false
    configuration.journalMode = nil
    configuration.pageSize = nil
    configuration.checkpointsAutomatically = true
    configuration.optimizesOnClose = false
    configuration.deletesFileOnClose = false
    return configuration
  }
}

/// The file that a backup or an export is written to.
struct BackupTarget {
  let connection: Connection
  /// Whether the initializer created the file.
  private let isNew: Bool

  /// Opens the file or creates it, without changing any existing content.
  init(_ path: String, _ configuration: Configuration, overwriting: Bool) throws {
    guard path != ":memory:" else {
      throw SQLiteError(.cantOpen, "The path of a backup must name a file, not :memory:")
    }
    let configuration = configuration.forOneBackup
    do {
      connection = try Connection(path: path, create: false, configuration: configuration)
      isNew = false
    } catch SQLiteError.cantOpen {
      connection = try Connection(path: path, configuration: configuration)
      isNew = true
    }
    guard try overwriting || connection.pageCount() == 0 else {
      throw SQLiteError(.cantOpen, "The file already contains data and is not overwritten: \(path)")
    }
  }

  /// Closes the file after a failure, and deletes the file if it is new.
  ///
  /// The caller reports the failure.
  func abandon() {
    // A file that another program has written to in the meantime, or that cannot be read, is not deleted.
    let isEmpty = (try? connection.pageCount()) == 0
    connection.configuration.deletesFileOnClose = isNew && isEmpty
    // A failure here is ignored, because the first error is the one to report.
    try? connection.close()
  }
}

extension Connection {
  /// Writes a database to a new file that is encrypted with another key, or not encrypted.
  ///
  /// ```swift
  /// try old.export(to: "new.db", encryptionKey: EncryptionKey(passphrase: passphrase))
  /// try old.export(to: "plain.db", encryptionKey: nil)
  /// ```
  ///
  /// Use this method to encrypt or decrypt a database, or to convert a file of an older SQLCipher version to
  /// the format of the linked version. The copy contains the schema, all rows with their rowids,
  /// ``userVersion`` and ``applicationID``. The copy is a snapshot, and the original database does not change.
  ///
  /// The path is used literally, even if it looks like a URI. If the export fails, no new file remains.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which is created.
  ///   - encryptionKey: The key of the file, with its ``CipherSettings``; nil for an unencrypted file.
  ///   - database: The name of the database to export.
  /// - Throws: An error with one of these codes:
  ///   - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/encryption``.
  ///   - ``ResultCode/cantOpen`` if the file is not empty.
  ///   - ``ResultCode/range`` for an unknown database.
  ///   - ``ResultCode/misuse`` while a transaction or statement of the connection is open.
  ///   - ``ResultCode/readOnly`` if the connection is read-only.
  ///
  /// The corresponding SQL is `ATTACH DATABASE` and `sqlcipher_export`.
  public func export(
    to path: String, encryptionKey: EncryptionKey?, database: String = "main"
  ) throws {
    try requireLocal(.encryptedCopies)
    try SQLiteLibrary.require(.encryption)
    try refuseStatements()
    _ = try transactionState(schema: database)
    guard state.calls.depth == 0, isInAutocommit, try transactionState() == .none else {
      throw SQLiteError(
        .misuse, "A database cannot be exported while a transaction or statement is open")
    }
    var configuration = configuration
    configuration.encryptionKey = encryptionKey
    let target = try BackupTarget(path, configuration, overwriting: false)
    do { try fill(path, encryptionKey, from: database) } catch {
      target.abandon()
      throw error
    }
    try target.connection.close()
  }

  private func fill(_ path: String, _ key: EncryptionKey?, from database: String) throws {
    let name = "sluice_export"
    try attach(emptyFile: path, as: name, encryptionKey: key)
    do {
      guard !isReadOnly(name) else {
        throw SQLiteError(.readOnly, "A read-only connection cannot export a database")
      }
      if let key { try apply(key.settings, to: name) }
      // A single transaction ensures that a failure leaves the file empty.
      try transaction { _ in
        try setPragma(.autoVacuum, to: pragma(.autoVacuum, database: database), database: name)
        let source = try quoted(identifier: database)
        try execute(
          sql: "SELECT sqlcipher_export(?, ?)", parameters: .string(name), .string(source))
        for number in ["user_version", "application_id"] {
          let value = try pragmaAnswer("\(source).\(number)")
          try runPragma("\(name).\(number) = \(value ?? .integer(0))")
        }
      }
    } catch {
      // A failure here is ignored, because the first error is the one to report.
      try? cleaningUp { try detach(name) }
      throw error
    }
    try detach(name)
  }
}

extension Connection {
  /// Writes a compact copy of a database to a new file, one table after another, without deleted content.
  ///
  /// The copy is smaller than a backup, but takes longer to write. The rowids of rows without an
  /// `INTEGER PRIMARY KEY` may change. This method only reads the database, so a read-only connection can call
  /// it.
  ///
  /// The path is used literally, even if it looks like a URI. If this method fails midway, it deletes the incomplete
  /// file, even if the file existed and was empty.
  ///
  /// - Throws:
  ///   - ``ResultCode/error`` if the file is not empty, while a transaction is open, and while a statement is
  ///     at a row.
  ///   - ``ResultCode/range`` for an unknown database.
  ///
  /// The corresponding SQL is `VACUUM INTO`.
  public func vacuum(into path: String, database: String = "main") throws {
    try refuseNUL(in: path, "The path")
    _ = try transactionState(schema: database)
    guard path != ":memory:" else {
      throw SQLiteError(.cantOpen, "The path of a copy must name a file, not :memory:")
    }
    let path = try Self.literal(path: path)
    let isNew = hasNoFile(path)
    do {
      try execute(
        sql: "VACUUM \(quoted(identifier: database)) INTO ?", parameters: .string(path))
    } catch {
      // In this case, another program has written to the file in the meantime.
      if isNew, (error as? SQLiteError)?.message != "output file already exists" {
        deleteFile(path)
      }
      throw error
    }
  }
}
