import CSluice

/// A copy of a database that is being made, some pages at a time, while the database can be used.
///
/// ```swift
/// let backup = try Backup(of: connection, to: other)
/// while try backup.step(pages: 100) {
///   print(backup.remainingPages, "of", backup.pageCount)
/// }
/// ```
///
/// ``Connection/backup(to:database:as:pagesPerStep:busyLimit:progress:)`` makes one in a single call.
///
/// The target becomes what the source is, all at once with the last step: until then, and if the backup is
/// ended before, it stays what it was. Meanwhile its connection can do nothing else: that throws
/// ``ResultCode/misuse``.
///
/// The source can be used between two steps. What its own connection changes is copied as well. If another
/// connection changes it, the next step begins anew.
///
/// A backup ends with its last step, with an error other than ``ResultCode/busy`` and ``ResultCode/locked``,
/// with ``cancel()``, when it is let go of, and when one of the connections closes; in that last case a step
/// throws ``ResultCode/misuse``.
@safe public final class Backup {
  /// The connection that is copied from.
  public let source: Connection
  /// The connection that is copied to.
  public let target: Connection
  /// Whether all has been copied.
  public private(set) var isDone = false
  /// How many pages were still to be copied after the last step; 0 before the first.
  ///
  /// The corresponding C function is `sqlite3_backup_remaining`.
  public private(set) var remainingPages = 0
  /// How many pages the source had in the last step; 0 before the first.
  ///
  /// The corresponding C function is `sqlite3_backup_pagecount`.
  public private(set) var pageCount = 0

  private let database: String
  private let targetDatabase: String
  /// Nil once it has ended.
  private var handle: OpaquePointer?
  /// The error that has ended the backup.
  private var failure: (any Error)?
  /// The frames of the target around the backup.
  private var outerFrames = CallStack.Frames.none
  private var isInSQLite = false

  /// Begins a copy from a database of one connection to one of another, whose content is replaced.
  ///
  /// The source and the target must be different connections and different files, which else throws
  /// ``ResultCode/misuse``, as do a target that is in a transaction, and functions that the target calls. If a statement has the
  /// target's database open, that throws ``ResultCode/error``, and an unknown database ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_backup_init`.
  public init(
    of source: Connection, database: String = "main",
    to target: Connection, as targetDatabase: String = "main"
  ) throws {
    guard source !== target else {
      throw SQLiteError(.misuse, "A connection cannot be copied to itself")
    }
    try source.refuseStatements()
    try target.refuseStatements()
    guard try source.transactionState(schema: database) != .write else { throw Self.isWriting }
    _ = try target.transactionState(schema: targetDatabase)
    try source.refuseFile(of: database, as: targetDatabase, of: target)
    guard target.state.calls.depth == 0, target.isInAutocommit else {
      throw SQLiteError(.misuse, "The target of a backup is in a transaction, or calls a function")
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
    SQLiteError(.busy, "The source is in a transaction that has written, which has to end first")
  }
}

extension Connection {
  /// Throws if a database of another connection is the same file.
  fileprivate func refuseFile(of database: String, as other: String, of target: Connection) throws {
    guard let path = path(of: database), let otherPath = target.path(of: other) else { return }
    // Files that the operating system does not know are the same by name.
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
  /// Copies up to so many pages, or all that remain, and returns whether there are more.
  ///
  /// After the last step it returns false, and does nothing. If a lock cannot be had, even after the waiting
  /// that the connections do (``Configuration/busyTimeout``), it throws ``ResultCode/busy`` or
  /// ``ResultCode/locked``, and can be called again. Fewer than one page throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_backup_step`.
  public func step(pages: Int? = nil) throws -> Bool {
    guard !isDone else { return false }
    if let failure { throw failure }
    guard let handle = unsafe handle, !isInSQLite else {
      throw SQLiteError(.misuse, isInSQLite ? "The backup is in use" : "The backup has ended")
    }
    guard pages ?? 1 > 0 else {
      throw SQLiteError(.range, "The page count of a step must not be 0")
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

  /// Ends the backup; if not all was copied, the target is what it was before.
  ///
  /// A callback of a step, such as a busy handler, cannot call this: it throws ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `sqlite3_backup_finish`.
  public func cancel() throws {
    try source.state.refuseStrangers()
    try target.state.refuseStrangers()
    guard !isInSQLite else { throw SQLiteError(.misuse, "The backup is in use") }
    end()
  }

  /// Whether the source is in a transaction of its own that has written, which no waiting ends.
  private var isSourceWriting: Bool {
    // A connection that cannot be asked is closed; the next step throws that.
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
      target.state.transactionWatch?.replaceContent(of: targetDatabase)
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
      "The target is read-only, or it is in memory or has a WAL with a different page size")
  }
}

extension Backup: Dependent {
  var writer: (any StandingWriter)? { nil }

  func end() {
    guard let handle = unsafe handle.take() else { return }
    // `sqlite3_backup_finish` repeats the error of a step.
    _ = unsafe sqlite3_backup_finish(handle)
    target.state.leave(to: outerFrames)
    source.dependents.remove(ObjectIdentifier(self))
    target.dependents.remove(ObjectIdentifier(self))
  }
}

extension Backup {
  /// How many pages a step copies that is followed by a report.
  private static let pagesPerReport = 1000

  /// Takes all steps, and waits between them only while a lock cannot be had.
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
        // The copy is complete, and cannot be cancelled any more.
        if hasMore { throw error }
      }
    }
  }

  private func isWaitedFor(_ error: SQLiteError) -> Bool {
    (error.code.primary == .busy || error.code.primary == .locked) && !isSourceWriting
  }

  /// Sleeps of growing length, which together are no longer than a limit.
  private struct Wait {
    private var rest: Duration
    private var next = Duration.milliseconds(1)

    init(limit: Duration) { rest = limit }

    /// Sleeps as SQLite does; false if there is no time left for it.
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
