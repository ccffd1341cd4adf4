import CSluice

/// A commit that went into the WAL of a database.
public struct WALCommit: Hashable, Sendable {
  /// The name that the database has on the connection, such as `main`.
  public let schema: String
  /// How many frames the WAL has now, each of which holds a page.
  public let frames: Int
}

extension Connection {
  /// Calls `body` after each commit that went into a WAL.
  ///
  /// ```swift
  /// try connection.onWALCommit { connection, commit in
  ///   if commit.frames > 10_000 { print("The WAL of \(commit.schema) grows") }
  /// }
  /// ```
  ///
  /// All is done by then, so `body` cannot throw, and can use the connection, but not close it. What
  /// it commits itself is not told to it. A transaction that it leaves open is rolled back, and what
  /// has committed throws ``ResultCode/misuse``, although it has. SQLite goes on to make a checkpoint by itself after
  /// ``walAutocheckpoint`` frames, once all observers have been called.
  ///
  /// The corresponding C function is `sqlite3_wal_hook`.
  @discardableResult
  public func onWALCommit(
    _ body: @escaping (_ connection: Connection, _ commit: WALCommit) -> Void
  ) throws -> HookToken {
    let hooks = try hooksToChange()
    if hooks.walCommit.isEmpty { hooks.checkpointFrames = try walAutocheckpointOfSQLite() }
    return try observe(\.walCommit) { state, token in
      WALObserver(state, token) { [unowned hooks] commit in body(hooks.connection, commit) }
    }
  }

  /// After how many frames in a WAL a commit is followed by a checkpoint; 0 if that does not happen.
  ///
  /// A property that throws cannot be assigned to: see ``setWALAutocheckpoint(_:)``.
  ///
  /// The corresponding SQL is `PRAGMA wal_autocheckpoint`.
  public var walAutocheckpoint: Int { get throws { Int(try walAutocheckpointOfSQLite()) } }

  /// Lets SQLite make a checkpoint after a commit with which a WAL has `frames` frames or more; 0 for
  /// no checkpoint.
  ///
  /// It begins as 1000. Such a checkpoint waits for nobody, so that it may not be complete.
  ///
  /// The corresponding C function is `sqlite3_wal_autocheckpoint`.
  public func setWALAutocheckpoint(_ frames: Int) throws {
    let handle = try unsafe handle()
    try state.require(.use)
    try check(
      unsafe lendingWALHook(handle) {
        unsafe sqlite3_wal_autocheckpoint(handle, Int32(clamping: max(0, frames)))
      })
  }

  /// Runs what can ask or change SQLite's own hook, with that in place of the one that tells observers.
  func lendingWALHook<T>(_ handle: OpaquePointer, _ body: () throws -> T) rethrows -> T {
    unsafe hooks?.lendWALHook(handle)
    defer { unsafe hooks?.keepWALHook(handle) }
    return try body()
  }

  private func walAutocheckpointOfSQLite() throws -> Int32 {
    try state.cleaningUp {
      try prepare(sql: "PRAGMA wal_autocheckpoint").first(.column(.int32)) ?? 0
    }
  }
}

/// An observer of commits into a WAL, which is not told of those that it makes.
final class WALObserver: Observer<WALCommit, Void> {
  fileprivate var isCalled = false
}

extension Hooks {
  func installWALHook(_ handle: OpaquePointer, _ isOn: Bool) {
    guard isOn else {
      unsafe sqlite3_wal_autocheckpoint(handle, checkpointFrames)
      return
    }
    unsafe sqlite3_wal_hook(
      handle,
      { me, handle, schema, frames in
        guard let schema = unsafe schema else { return SQLITE_OK }
        unsafe Hooks.at(me).tellCommit(handle, schema, frames)
        return SQLITE_OK
      }, pointer)
  }

  /// Puts SQLite's own hook in place, which the pragma asks and changes.
  fileprivate func lendWALHook(_ handle: OpaquePointer) {
    if !walCommit.isEmpty { unsafe sqlite3_wal_autocheckpoint(handle, checkpointFrames) }
  }

  /// Takes the hook again, and with it the number of frames that SQLite had for its own.
  fileprivate func keepWALHook(_ handle: OpaquePointer) {
    guard !walCommit.isEmpty else { return }
    let frames = unsafe sqlite3_wal_hook(handle, nil, nil)
    // Where something was compiled for what is being compiled, it has been taken already.
    if unsafe frames != pointer { checkpointFrames = Int32(clamping: Int(bitPattern: frames)) }
    unsafe installWALHook(handle, true)
  }

  private func tellCommit(
    _ handle: OpaquePointer?, _ schema: UnsafePointer<CChar>, _ frames: Int32
  ) {
    let commit = unsafe WALCommit(schema: String(cString: schema), frames: Int(frames))
    if state.watchesTransactions { state.transactionWatch?.committed() }
    state.outsideScopes {
      for observer in walCommit.all where !observer.isCalled && !observer.token.isCancelled {
        observer.isCalled = true
        defer { observer.isCalled = false }
        // Observers of WAL commits cannot throw.
        try? state.within(.afterCommit) { try observer.tell(commit) }
        endTransaction(leftBy: commit)
      }
    }
    guard checkpointFrames > 0, frames >= checkpointFrames else { return }
    // As with SQLite's own hook, a checkpoint that fails is made with the next commit.
    _ = unsafe sqlite3_wal_checkpoint_v2(handle, schema, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }

  /// Rolls back what an observer has left open, which would swallow the work of those who come next.
  private func endTransaction(leftBy commit: WALCommit) {
    guard !connection.isInAutocommit else { return }
    connection.rollBackPastHooks()
    state.keepFailure(
      SQLiteError(
        .misuse,
        "The commit to \(commit.schema) succeeded, but its observer left a transaction open,"
          + " which was rolled back"), isVeto: true)
  }
}

/// A database file that is about to give free pages back, with auto-vacuum.
public struct Autovacuum: Hashable, Sendable {
  /// The name that the database has on the connection, such as `main`.
  public let schema: String
  /// How many pages the file has.
  public let pageCount: Int
  /// How many of them are free.
  public let freePageCount: Int
  /// How many bytes a page has.
  public let pageSize: Int
}

extension Connection {
  /// Asks `handler` how many free pages a commit is to give back, in a database with full auto-vacuum.
  ///
  /// ```swift
  /// try connection.setAutovacuumHandler { file in file.freePageCount / 2 }
  /// ```
  ///
  /// With 0 or less the file stays as it is, and with all there are or more it gives back all, as
  /// without a handler. There is one for a connection; nil removes it. It cannot use the connection,
  /// which throws ``ResultCode/misuse``: SQLite is in the middle of the commit.
  ///
  /// The connection keeps it until another takes its place, or the connection closes.
  ///
  /// The corresponding C function is `sqlite3_autovacuum_pages`.
  public func setAutovacuumHandler(_ handler: ((_ file: Autovacuum) -> Int)?) throws {
    let handle = try unsafe handle()
    let hooks = try hooksToChange()
    if let old = hooks.autovacuum { state.release(old) }
    hooks.autovacuum = handler.map { handler in hooks.observer { handler(copy $0) } }
    unsafe hooks.installAutovacuumHandler(handle)
    state.settle()
  }
}

extension Hooks {
  fileprivate func installAutovacuumHandler(_ handle: OpaquePointer) {
    guard autovacuum != nil else {
      unsafe sqlite3_autovacuum_pages(handle, nil, nil, nil)
      return
    }
    unsafe sqlite3_autovacuum_pages(
      handle,
      { me, schema, pages, freePages, pageSize in
        let file = Autovacuum(
          schema: unsafe schema.map { unsafe String(cString: $0) } ?? "", pageCount: Int(pages),
          freePageCount: Int(freePages), pageSize: Int(pageSize))
        return unsafe UInt32(clamping: Hooks.at(me).pagesToFree(in: file))
      }, pointer, nil)
  }

  private func pagesToFree(in file: Autovacuum) -> Int {
    // The closure cannot throw.
    state.within(.hook) { (try? autovacuum?.tell(file)) ?? file.freePageCount }
  }
}
