extension Connection {
  /// Calls `body` with the `sqlite3` handle of this connection, for C functions that Sluice lacks.
  ///
  /// ```swift
  /// let isReadOnly = try unsafe connection.withUnsafeHandle { handle in
  ///   unsafe sqlite3_db_readonly(handle, "main") == 1
  /// }
  /// ```
  ///
  /// The compiler cannot check the work of `body`. The closure must not:
  ///
  /// - close the connection, or keep the handle after it returns;
  /// - finalize or step a statement of Sluice, or leave a statement of its own unfinalized: the connection then
  ///   cannot close;
  /// - end a transaction or savepoint that a closure of Sluice runs in. If `body` does, the closure throws later,
  ///   and the changes that `body` made in a later transaction are rolled back;
  /// - set a commit, rollback, update, preupdate, WAL, busy, progress or trace hook, or an authorizer: each
  ///   replaces the one of Sluice, and observers are no longer notified of changes.
  ///
  /// `body` may begin and end transactions, change the schema, and write. Afterwards, the connection asks SQLite
  /// for the state of the transaction, and clears its statement cache. Observers are notified that everything may
  /// have changed. A ``TransactionObserver`` may get rows of `body` that a savepoint or a failed statement has
  /// undone. ``DatabaseReader/rowChanges(in:schema:limit:)`` ends with ``ResultCode/misuse`` if `body` writes
  /// rows that it observes.
  ///
  /// - Returns: The value that `body` returns.
  /// - Throws: ``ResultCode/misuse`` if the connection is closed, belongs to another thread, or runs a hook or
  ///   collation; the error of `body`; otherwise the error of a closure whose refusal SQLite does not report,
  ///   such as an update hook, after a rollback.
  @unsafe
  public func withUnsafeHandle<T>(_ body: (_ handle: OpaquePointer) throws -> T) throws -> T {
    let handle = try unsafe readyHandle()
    try state.requireWriting()
    return try lendingHandle(changes: true) { try unsafe body(handle) }
  }

  /// Runs code that uses the handle, and then brings the state of Sluice up to date.
  ///
  /// `changes` is evaluated afterwards, and states whether the code may have run a statement.
  func lendingHandle<T>(
    changes: @autoclosure () -> Bool, _ body: () throws -> T
  ) throws -> T {
    let isProtected = state.isReading ? try pragma(.queryOnly) : true
    if !isProtected { try setPragma(.queryOnly, to: true) }
    let isMarked = state.scopeDepth > 0 && state.calls.depth == 0 && !isInAutocommit
    if isMarked { try takeOnce("SAVEPOINT sluice_handle") }
    state.noteWrite()
    let wasLent = state.lendsHandle
    state.lendsHandle = true
    let result = state.calling {
      Result {
        guard let tracker = state.tracker else { return try body() }
        return try tracker.runUnseen(body)
      }
    }
    state.lendsHandle = wasLent
    let refusal = state.hasUnheardVeto ? undoVetoed() : nil
    state.dropFailure()
    if isMarked, !isInAutocommit {
      // A transaction that replaced the one of the scope has no such savepoint.
      do { try takeOnce("RELEASE sluice_handle") } catch { rollBackPastHooks() }
    }
    noteEnd()
    if changes() { evictStatements() }
    if !isProtected { try? setPragma(.queryOnly, to: false) }
    state.settle()
    let value = try result.get()
    if let refusal { throw refusal }
    return value
  }
}

/// Confines a connection to its file.
extension Connection {
  func confine() throws {
    try setOption(.defensive, true)
    try setOption(.loadableExtensions, false)
    // A mapped file that becomes shorter terminates the process.
    try execute(sql: "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    try removeModules(keeping: Confinement.modules)
    try authorize { Confinement.decide($0.action) }
  }
}

private enum Confinement {
  /// The modules whose tables show only data of the database that they are in.
  static let modules = [
    "dbstat", "fts3", "fts4", "fts4aux", "fts5", "fts5vocab", "geopoly", "json_each", "json_tree",
    "rtree", "rtree_i32",
  ]
  /// The functions that reach outside the database; some exist only in extended builds of SQLite.
  static let functions: Set = ["edit", "fts3_tokenizer", "load_extension", "readfile", "writefile"]
  static let settings: Set = [
    "cell_size_check", "data_store_directory", "mmap_size", "temp_store_directory",
    "trusted_schema", "writable_schema",
  ]

  static func decide(_ action: AuthorizedAction) -> Authorization {
    switch action {
    case .attach, .detach, .other: .deny
    case .function(let name): functions.contains(name.lowercased()) ? .deny : .allow
    case .pragma(let name, _?): settings.contains(name.lowercased()) ? .deny : .allow
    default: .allow
    }
  }
}
