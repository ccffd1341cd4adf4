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
      throw SQLiteError(.notADatabase, "The file holds nothing that could be restored: \(path)")
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
  var forOneBackup: Configuration {
    var configuration = self
    configuration.readOnly = false
    configuration.journalMode = nil
    configuration.pageSize = nil
    configuration.optimizesOnClose = false
    configuration.deletesFileOnClose = false
    return configuration
  }
}
