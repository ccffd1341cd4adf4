import CSluice

/// A commit to the WAL of a database.
public struct WALCommit: Hashable, Sendable {
  /// The name of the database on the connection, such as `main`.
  public let schema: String
  /// The number of frames that are now in the WAL; each frame contains one page.
  public let frames: Int
}

extension Connection {
  /// Calls `body` after each commit to a WAL.
  ///
  /// ```swift
  /// try connection.onWALCommit { connection, commit in
  ///   if commit.frames > 10_000 { print("The WAL of \(commit.schema) grows") }
  /// }
  /// ```
  ///
  /// When `body` is called, the commit is complete, so `body` cannot throw. `body` can use the connection, but cannot
  /// close it. `body` is not called for commits that it makes itself. If `body` leaves a transaction open, that
  /// transaction is rolled back, and the call that committed throws ``ResultCode/misuse``, although its commit
  /// succeeded. SQLite's automatic checkpoint at ``walAutocheckpoint`` frames still runs, after all observers have
  /// been called.
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

  /// The number of WAL frames at which a commit runs a checkpoint; 0 disables automatic checkpoints.
  ///
  /// To change the number, call ``setWALAutocheckpoint(_:)``: a property that throws cannot have a setter.
  ///
  /// The corresponding SQL is `PRAGMA wal_autocheckpoint`.
  public var walAutocheckpoint: Int { get throws { Int(try walAutocheckpointOfSQLite()) } }

  /// Sets the number of WAL frames at which a commit runs a checkpoint; 0 disables automatic checkpoints.
  ///
  /// The default is 1000. Automatic checkpoints do not wait for other connections, so they may be incomplete.
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

  /// Runs code that may query or change SQLite's own WAL hook, with that hook installed.
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

/// An observer that is notified of commits to a WAL, except the commits that it makes itself.
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

  /// Installs SQLite's own hook, which `PRAGMA wal_autocheckpoint` queries and changes.
  fileprivate func lendWALHook(_ handle: OpaquePointer) {
    if !walCommit.isEmpty { unsafe sqlite3_wal_autocheckpoint(handle, checkpointFrames) }
  }

  /// Reinstalls the hook of the observers, and stores the number of frames for which SQLite's own hook was set.
  fileprivate func keepWALHook(_ handle: OpaquePointer) {
    guard !walCommit.isEmpty else { return }
    let frames = unsafe sqlite3_wal_hook(handle, nil, nil)
    // The context of SQLite's own hook is its number of frames. If the context is `pointer` instead, a nested call
    // has already reinstalled the hook of the observers.
    if unsafe frames != pointer { checkpointFrames = Int32(clamping: Int(bitPattern: frames)) }
    unsafe installWALHook(handle, true)
  }

  private func tellCommit(
    _ handle: OpaquePointer?, _ schema: UnsafePointer<CChar>, _ frames: Int32
  ) {
    let commit = unsafe WALCommit(schema: String(cString: schema), frames: Int(frames))
    if state.watchesTransactions { state.watchers.transactions?.committed() }
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
    // As with SQLite's own hook, the next commit retries a checkpoint that fails.
    _ = unsafe sqlite3_wal_checkpoint_v2(handle, schema, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }

  /// Rolls back a transaction that an observer left open, so that later work does not become part of it.
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

/// A database file from which auto-vacuum is about to release free pages.
public struct Autovacuum: Hashable, Sendable {
  /// The name of the database on the connection, such as `main`.
  public let schema: String
  /// The number of pages in the file.
  public let pageCount: Int
  /// The number of free pages in the file.
  public let freePageCount: Int
  /// The size of a page in bytes.
  public let pageSize: Int
}

extension Connection {
  /// Sets the handler that decides how many free pages a commit releases in full auto-vacuum mode.
  ///
  /// ```swift
  /// try connection.setAutovacuumHandler { file in file.freePageCount / 2 }
  /// ```
  ///
  /// If the handler returns 0 or less, the file keeps all pages. If it returns the number of free pages or more,
  /// all free pages are released, as without a handler. A connection has one handler; nil removes it. Using the
  /// connection in the handler throws ``ResultCode/misuse``, because SQLite is in the middle of the commit.
  ///
  /// The connection retains the handler until the handler is replaced or removed, or the connection closes.
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
    // The handler cannot throw.
    state.within(.hook) { (try? autovacuum?.tell(file)) ?? file.freePageCount }
  }
}
