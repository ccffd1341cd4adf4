/// Copies of databases, made page by page.
extension Connection {
  /// Copies a database to one of another connection, whose content is replaced.
  ///
  /// ```swift
  /// let memory = try Connection()
  /// try memory.restore(from: "app.db")
  /// try connection.backup(to: memory)
  /// ```
  ///
  /// It is all or nothing: if it throws, the target is what it was before. All pages are copied in one step,
  /// during which other connections cannot commit to a source without a WAL. With `pagesPerStep` they can in
  /// between, and then the copy begins anew: a source that others change all the time is never done.
  ///
  /// With `progress`, a step has 1000 pages if nothing else is said. It is told after each step how many pages
  /// remain, and of how many, may use this connection, and cancels by throwing. An error that
  /// it throws when none remain is ignored: the copy is complete. A task that is cancelled cancels its backup before the
  /// next step, with `CancellationError`.
  ///
  /// A lock that cannot be had is waited for as ``Configuration/busyTimeout`` of each connection says, and then
  /// for up to `busyLimit`, in sleeps that grow from a millisecond to a hundred; only then is ``ResultCode/busy``
  /// or ``ResultCode/locked`` thrown. A source that has written in a transaction of its own throws it at once.
  ///
  /// What ``Backup/init(of:database:to:as:)`` refuses is refused here as well.
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

  /// Copies a database to a file, which is made.
  ///
  /// ```swift
  /// try connection.backup(to: "copy.db") { remaining, total in
  ///   print("\(total - remaining) of \(total) pages")
  /// }
  /// ```
  ///
  /// A file that holds anything throws ``ResultCode/cantOpen``. With `overwriting` its content is replaced, if
  /// it is a database: what is none throws ``ResultCode/notADatabase``. If the backup fails or is cancelled, a
  /// database that was there is what it was before, and a file that was not there is deleted.
  ///
  /// The file gets the encryption key of this connection, if it has one. The path is taken literally. In all else
  /// it is like ``backup(to:database:as:pagesPerStep:busyLimit:progress:)``.
  public func backup(
    to path: String, database: String = "main", overwriting: Bool = false,
    pagesPerStep: Int? = nil, busyLimit: Duration = .zero,
    progress: ((_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    // What is wrong with the connection is found before there is a file.
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

  /// Replaces the content of a database by that of a database file.
  ///
  /// It is all or nothing, as ``backup(to:database:as:pagesPerStep:busyLimit:progress:)`` is, and throws what that
  /// throws. A file that is not there throws ``ResultCode/cantOpen``, and one that is no database or holds nothing
  /// ``ResultCode/notADatabase``. It is read with the encryption key of this connection, if it has one.
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
      throw SQLiteError(.notADatabase, "The file does not exist or is empty: \(path)")
    }
    try source.backup(
      to: self, as: database, pagesPerStep: pagesPerStep, busyLimit: busyLimit, progress: progress)
  }
}

extension Connection {
  /// How many pages the main database has; a new one has none.
  func pageCount() throws -> Int {
    try first(.column(.int), sql: "PRAGMA main.page_count") ?? 0
  }
}

extension Configuration {
  /// This configuration for a connection that is one side of a backup, and nothing else.
  fileprivate var forOneBackup: Configuration {
    var configuration = self
    configuration.readOnly = false
    configuration.journalMode = nil
    configuration.pageSize = nil
    configuration.optimizesOnClose = false
    configuration.deletesFileOnClose = false
    return configuration
  }
}

/// A file that a backup is to be written to.
struct BackupTarget {
  let connection: Connection
  /// Whether the file was not there before.
  private let isNew: Bool

  /// Opens the file, or makes it; what it may hold is not changed.
  init(_ path: String, _ configuration: Configuration, overwriting: Bool) throws {
    guard path != ":memory:" else {
      throw SQLiteError(.cantOpen, "The path of a backup must name a file")
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
      throw SQLiteError(.cantOpen, "The file already exists and is not overwritten: \(path)")
    }
  }

  /// Closes the file after a failure, which the caller reports, and deletes it if it is new.
  func abandon() {
    // A file that another program has filled in the meantime, or that cannot be read, is not deleted.
    let isEmpty = (try? connection.pageCount()) == 0
    connection.configuration.deletesFileOnClose = isNew && isEmpty
    // The first error is the one to report.
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
  /// This turns a plain database into an encrypted one and back, and a file of an older SQLCipher into one of the linked
  /// version. The copy has the schema, all rows with their rowids, ``userVersion`` and ``applicationID``. It is the state at
  /// one moment; the database itself does not change.
  ///
  /// The path is taken literally. If the export fails, no new file stays.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which is created.
  ///   - encryptionKey: The key of the file, with its ``CipherSettings``; nil for a file that is not encrypted.
  ///   - database: The name of the database to export.
  /// - Throws: ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/encryption``,
  ///   ``ResultCode/cantOpen`` if the file holds anything, ``ResultCode/range`` for an unknown database,
  ///   ``ResultCode/misuse`` while a transaction or statement of the connection is open, and ``ResultCode/readOnly`` if
  ///   the connection can only read.
  ///
  /// The corresponding SQL is `ATTACH DATABASE` and `sqlcipher_export`.
  public func export(
    to path: String, encryptionKey: EncryptionKey?, database: String = "main"
  ) throws {
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
      // All of it in one transaction, so that a failure leaves the file empty.
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
      // The first error counts.
      try? cleaningUp { try detach(name) }
      throw error
    }
    try detach(name)
  }
}

extension Connection {
  /// Writes a database to a new file, without what was deleted and in the order of its tables.
  ///
  /// The copy is smaller than that of a backup, takes longer, and its rows without an
  /// `INTEGER PRIMARY KEY` may have other rowids. The database is read, and not changed: a connection that
  /// can only read can do this.
  ///
  /// The path is taken literally. A file that holds anything throws ``ResultCode/error``, and so do an open
  /// transaction and a statement that stands on a row. If it fails half way, what it has written stays. An
  /// unknown database throws ``ResultCode/range``.
  ///
  /// The corresponding SQL is `VACUUM INTO`.
  public func vacuum(into path: String, database: String = "main") throws {
    try refuseNUL(in: path, "The path")
    _ = try transactionState(schema: database)
    guard path != ":memory:" else {
      throw SQLiteError(.cantOpen, "The path of a copy must name a file")
    }
    try execute(
      sql: "VACUUM \(quoted(identifier: database)) INTO ?",
      parameters: .string(Self.literal(path: path)))
  }
}
