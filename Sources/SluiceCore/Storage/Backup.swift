import CSluice

/// A copy of a database that is made a few pages at a time, while the source remains usable.
///
/// ```swift
/// let backup = try Backup(of: connection, to: other)
/// while try backup.step(pages: 100) {
///   print(backup.remainingPages, "of", backup.pageCount)
/// }
/// ```
///
/// ``Connection/backup(to:database:as:pagesPerStep:busyLimit:progress:)`` makes a backup in a single call.
///
/// The last step replaces the content of the target all at once. Until then, and if the backup ends early, the
/// target keeps its old content. Until the backup ends, any other use of the target's connection throws
/// ``ResultCode/misuse``.
///
/// The source can be used between two steps. Changes that are made through the backup's source connection are
/// also copied. If another connection changes the source, the next step restarts the copy.
///
/// A backup ends in the following cases:
/// - The last step completes.
/// - A step throws an error other than ``ResultCode/busy`` and ``ResultCode/locked``.
/// - ``cancel()`` is called, or the backup is deallocated.
/// - One of the connections closes; a step then throws ``ResultCode/misuse``.
@safe public final class Backup {
  /// The connection that contains the source database.
  public let source: Connection
  /// The connection that contains the target database.
  public let target: Connection
  /// Whether all pages have been copied.
  public private(set) var isDone = false
  /// The number of pages left to copy after the last step; 0 before the first step.
  ///
  /// The corresponding C function is `sqlite3_backup_remaining`.
  public private(set) var remainingPages = 0
  /// The number of pages in the source at the last step; 0 before the first step.
  ///
  /// The corresponding C function is `sqlite3_backup_pagecount`.
  public private(set) var pageCount = 0

  private let database: String
  private let targetDatabase: String
  /// The handle of the backup; nil once the backup has ended.
  private var handle: OpaquePointer?
  /// The error that ended the backup.
  private var failure: (any Error)?
  /// The target's call frames before the backup began, restored when the backup ends.
  private var outerFrames = CallStack.Frames.none
  private var isInSQLite = false

  /// Creates a backup that replaces a database of the target connection with a copy of a database of the source
  /// connection.
  ///
  /// - Throws:
  ///   - ``ResultCode/misuse`` if the source and the target are the same connection or the same file, or if the
  ///     target is in a transaction or inside a callback.
  ///   - ``ResultCode/error`` if a statement is using the target's database.
  ///   - ``ResultCode/busy`` if the source is in a transaction that has written.
  ///   - ``ResultCode/range`` for an unknown database.
  ///
  /// The corresponding C function is `sqlite3_backup_init`.
  public init(
    of source: Connection, database: String = "main",
    to target: Connection, as targetDatabase: String = "main"
  ) throws {
    guard source !== target else {
      throw SQLiteError(.misuse, "A connection cannot be copied to itself")
    }
    try source.requireLocal(.backups)
    try target.requireLocal(.backups)
    try source.refuseStatements()
    try target.refuseStatements()
    guard try source.transactionState(schema: database) != .write else { throw Self.isWriting }
    _ = try target.transactionState(schema: targetDatabase)
    try source.refuseFile(of: database, as: targetDatabase, of: target)
    guard target.state.calls.depth == 0, target.isInAutocommit else {
      throw SQLiteError(
        .misuse, "The target of a backup must not be in a transaction or inside a callback")
    }
    let sourceHandle = try unsafe source.handle()
    let targetHandle = try unsafe target.handle()
    guard
      let handle = unsafe sqlite3_backup_init(targetHandle, targetDatabase, sourceHandle, database)
    else { throw unsafe SQLiteError(sqlite3_extended_errcode(targetHandle), of: targetHandle) }
    self.source = source
    self.target = target
    self.database = database
    self.targetDatabase = targetDatabase
    unsafe self.handle = handle
    source.dependents.add(self)
    target.dependents.add(self)
    outerFrames = target.state.enter(.restore)
  }

  deinit { end() }

  private static var isWriting: SQLiteError {
    SQLiteError(
      .busy, "The source is in a transaction that has written; end this transaction first")
  }
}

extension Connection {
  /// Throws if a database of `target` is the same file as a database of this connection.
  fileprivate func refuseFile(of database: String, as other: String, of target: Connection) throws {
    guard let path = path(of: database), let otherPath = target.path(of: other) else { return }
    // Files that are unknown to the operating system are compared by path and file system.
    let isSame =
      if let file = FileIdentity(of: self, path: path, database: database) {
        file == FileIdentity(of: target, path: otherPath, database: other)
      } else {
        unsafe path == otherPath && fileSystem == target.fileSystem
      }
    guard isSame else { return }
    throw SQLiteError(.misuse, "A file cannot be copied to itself: \(path)")
  }
}

@available(*, unavailable)
extension Backup: Sendable {}

extension Backup {
  /// Copies up to `pages` pages, or all that remain, and returns whether more pages remain.
  ///
  /// After the last step, this method does nothing and returns false.
  ///
  /// - Throws:
  ///   - ``ResultCode/busy`` or ``ResultCode/locked`` if a lock is not available, even after the connections
  ///     have waited for it (``Configuration/busyTimeout``). The step can then be repeated.
  ///   - ``ResultCode/range`` if `pages` is less than one.
  ///
  /// The corresponding C function is `sqlite3_backup_step`.
  public func step(pages: Int? = nil) throws -> Bool {
    guard !isDone else { return false }
    if let failure { throw failure }
    guard let handle = unsafe handle, !isInSQLite else {
      throw SQLiteError(
        .misuse,
        isInSQLite ? "The backup is in use; a callback cannot use it" : "The backup has ended")
    }
    guard pages ?? 1 > 0 else {
      throw SQLiteError(.range, "The page count of a step must be positive (got \(pages ?? 0))")
    }
    try source.refuseStatements()
    guard !isSourceWriting else { throw Self.isWriting }
    isInSQLite = true
    let code = source.state.calling {
      target.state.calling {
        unsafe sqlite3_backup_step(handle, pages.map(Int32.init(clamping:)) ?? -1)
      }
    }
    isInSQLite = false
    remainingPages = unsafe Int(sqlite3_backup_remaining(handle))
    pageCount = unsafe Int(sqlite3_backup_pagecount(handle))
    return try goOn(after: code)
  }

  /// Ends the backup; an incomplete backup leaves the target unchanged.
  ///
  /// - Throws: ``ResultCode/misuse`` in a callback of a step, such as a busy handler.
  ///
  /// The corresponding C function is `sqlite3_backup_finish`.
  public func cancel() throws {
    try source.state.refuseStrangers()
    try target.state.refuseStrangers()
    guard !isInSQLite else {
      throw SQLiteError(.misuse, "The backup is in use; a callback cannot use it")
    }
    end()
  }

  /// Whether the source connection itself has an open write transaction.
  ///
  /// If so, waiting is useless, because only this connection could end the transaction.
  private var isSourceWriting: Bool {
    // The state of a closed connection cannot be read; the next step reports that the connection is closed.
    (try? source.transactionState(schema: database)) == .write
  }

  private func goOn(after code: Int32) throws -> Bool {
    let thrown = [source, target].compactMap { $0.state.takeFailure() }.first
    let reported = unsafe SQLiteError(code, of: nil)
    let error = thrown?.error(reported: reported) ?? reported
    switch code & 0xff {
    case SQLITE_OK: return true
    case SQLITE_DONE:
      isDone = true
      end()
      target.clearStatementCache()
      target.state.tracker?.noteEverything()
      target.state.watchers.transactions?.replaceContent(of: targetDatabase)
      return false
    case SQLITE_BUSY, SQLITE_LOCKED: throw error
    default:
      failure = code == SQLITE_READONLY ? Self.readOnly : error
      end()
      throw failure ?? error
    }
  }

  private static var readOnly: SQLiteError {
    SQLiteError(
      .readOnly,
      "The target is read-only, or its page size differs and it is in memory or has a WAL")
  }
}

extension Backup: Dependent {
  var writer: (any StandingWriter)? { nil }

  func end() {
    guard let handle = unsafe handle.take() else { return }
    // The result is ignored, because `sqlite3_backup_finish` only repeats the error of a step.
    _ = unsafe sqlite3_backup_finish(handle)
    target.state.leave(to: outerFrames)
    source.dependents.remove(ObjectIdentifier(self))
    target.dependents.remove(ObjectIdentifier(self))
  }
}

extension Backup {
  /// The number of pages per step if progress is reported and the caller specifies no number.
  private static let pagesPerReport = 1000

  /// Runs all steps, waiting between them only while a lock is not available.
  func run(
    pagesPerStep: Int?, busyLimit: Duration, progress: ((Int, Int) throws -> Void)?
  ) throws {
    let pages = pagesPerStep ?? (progress == nil ? nil : Self.pagesPerReport)
    var wait = Wait(limit: busyLimit)
    var hasMore = true
    while hasMore {
      try Task.checkCancellation()
      try target.state.refuseStopped()
      do {
        hasMore = try step(pages: pages)
      } catch let error as SQLiteError where isWaitedFor(error) {
        guard wait.sleep(on: source) else { throw error }
        continue
      }
      wait = Wait(limit: busyLimit)
      do { try progress?(remainingPages, pageCount) } catch {
        // After the last step, the copy is complete, so an error can no longer cancel it.
        if hasMore { throw error }
      }
    }
  }

  private func isWaitedFor(_ error: SQLiteError) -> Bool {
    (error.code.primary == .busy || error.code.primary == .locked) && !isSourceWriting
  }

  /// A series of increasingly long sleeps, whose total is limited.
  private struct Wait {
    private var rest: Duration
    private var next = Duration.milliseconds(1)

    init(limit: Duration) { rest = limit }

    /// Sleeps with the connection's file system, as SQLite does; returns false if no time is left to sleep.
    mutating func sleep(on connection: Connection) -> Bool {
      let time = min(next, rest)
      guard time > .zero else { return false }
      rest -= time
      next = min(next * 2, .milliseconds(100))
      let (seconds, attoseconds) = time.components
      let microseconds = Int32(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
      if let fileSystem = unsafe connection.fileSystem, let sleep = unsafe fileSystem.pointee.xSleep
      {
        _ = unsafe sleep(fileSystem, microseconds)
      } else {
        sqlite3_sleep(microseconds / 1000)
      }
      return true
    }
  }
}
