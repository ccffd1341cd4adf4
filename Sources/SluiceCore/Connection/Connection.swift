import CSluice
import Synchronization

/// A connection to a database.
///
/// ```swift
/// let connection = try Connection(path: "app.db")
/// try connection.execute(sql: "CREATE TABLE IF NOT EXISTS t1(a,b)")
/// ```
///
/// A connection belongs to one thread or task at a time, which the compiler enforces. To share a database between
/// threads or tasks, use a ``ConnectionQueue``.
///
/// A connection closes when its last reference is released, or when you call ``close()``, which reports errors.
@safe public final class Connection {
  /// The configuration of the connection.
  public internal(set) var configuration: Configuration
  let origin: Origin
  /// The handle of the connection; nil once it is closed.
  private(set) var rawHandle: OpaquePointer?
  /// The live statements, which must be finalized before the connection closes.
  private var statements: [OpaquePointer: Unmanaged<Statement>] = unsafe [:]
  let state = ConnectionState()
  var dependents = Dependents() { didSet { state.live.dependents = dependents.count } }
  /// The statement cache.
  ///
  /// `exclusivity(unchecked)` is safe, because no operation on the cache re-enters it.
  @safe @exclusivity(unchecked) var cache: StatementCache
  /// The statements that begin and end transactions and savepoints.
  ///
  /// `exclusivity(unchecked)` is safe, because no operation on these statements accesses the property again.
  @safe @exclusivity(unchecked) var scopeStatements = ScopeStatements()
  var slots = FeatureSlots()
  /// The hooks of the connection; nil until something is observed.
  var hooks: Hooks?
  /// The translator that sends statements to another database; nil for an ordinary connection.
  package var translator: (any StatementTranslator)?

  /// The properties of a connection that never change.
  struct Origin {
    /// A number that identifies the connection within this process.
    let number = Self.count.add(1, ordering: .relaxed).newValue
    /// Whether C code opened the connection.
    let isAdopted: Bool
    /// Whether SQLite protects each call on the connection with a mutex.
    let isGuarded: Bool
    private static let count = Atomic<UInt64>(0)

    fileprivate init(_ handle: OpaquePointer?, isAdopted: Bool) {
      self.isAdopted = isAdopted
      unsafe isGuarded = sqlite3_db_mutex(handle) != nil
    }
  }

  /// Opens an in-memory database, which is deleted when the connection closes.
  public convenience init(configuration: Configuration = Configuration()) throws {
    try self.init(path: ":memory:", configuration: configuration)
  }

  /// Opens the database file at `path`, and creates it if it does not exist.
  ///
  /// The path is taken literally, except for `:memory:`, which opens an in-memory database. A missing file throws
  /// ``ResultCode/cantOpen`` if `create` is false or the connection is read-only, and so does a named pipe.
  ///
  /// SQLite reads the file only when it is first used. A file that is not a database may therefore throw
  /// ``ResultCode/notADatabase`` later.
  ///
  /// The corresponding C function is `sqlite3_open_v2`.
  public convenience init(
    path: String, readOnly: Bool = false, create: Bool = true,
    configuration: Configuration = Configuration()
  ) throws {
    let name = try Self.literal(path: path)
    try refuseNUL(in: path, "The name of the database")
    try Self.refusePipe(path, configuration)
    try self.init(
      name: name, readOnly: readOnly, create: create, configuration: configuration)
  }

  /// Opens the database that a URI filename identifies, such as `file:app.db?mode=ro`.
  ///
  /// A string that is not a `file:` URI throws ``ResultCode/cantOpen``.
  ///
  /// The corresponding C value is `SQLITE_OPEN_URI`.
  public convenience init(
    uri: String, readOnly: Bool = false, create: Bool = true,
    configuration: Configuration = Configuration()
  ) throws {
    try Self.check(uri: uri, configuration)
    try self.init(name: uri, readOnly: readOnly, create: create, configuration: configuration)
  }

  /// Opens a temporary database on disk, which is deleted when the connection closes.
  ///
  /// Unlike an in-memory database, a temporary database can be larger than the available memory.
  public static func temporary(configuration: Configuration = Configuration()) throws
    -> Connection
  {
    try Connection(name: "", readOnly: false, create: true, configuration: configuration)
  }

  private init(
    name: String, readOnly: Bool, create: Bool, configuration: Configuration
  ) throws {
    try refuseNUL(in: name, "The name of the database")
    guard sqlite3_threadsafe() != 0 else {
      throw SQLiteError(
        .misuse, "The linked SQLite is built for a single thread (SQLITE_THREADSAFE=0)")
    }
    try SQLiteLibrary.start()
    if configuration.encryptionKey != nil { try SQLiteLibrary.require(.encryption) }
    let access: Int32 =
      readOnly || configuration.readOnly
      ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0)
    // URIs, which a later ATTACH may use, are safe to enable: `literal(path:)` ensures that no path begins with
    // "file:".
    let flags = access | configuration.openFlags | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
    try configuration.fileSystem.map { try refuseNUL(in: $0, "The name of the file system") }
    var handle: OpaquePointer?
    let code = unsafe sqlite3_open_v2(name, &handle, flags, configuration.fileSystem)
    guard code == SQLITE_OK else {
      let error = unsafe SQLiteError(code, of: handle)
      unsafe sqlite3_close(handle)
      throw error.saying("\(error.message): \(name)")
    }
    self.configuration = configuration
    state.uses.areExclusive = configuration.excludesThreads
    state.clientState = configuration.clientState
    unsafe origin = Origin(handle, isAdopted: false)
    cache = StatementCache(
      size: configuration.statementCacheSize, liveSize: configuration.liveStatementCacheSize)
    unsafe rawHandle = handle
    unsafe state.watchRollbacks(of: handle)
    noteFileSystem()
    func giveUp() { try? tearDown(.failedOpening) }
    do {
      try state.watchForks()
      if let key = configuration.encryptionKey { try unlock(with: key) }
      try check(unsafe ArrayModule.add(to: handle))
      try apply(configuration.limits)
      if configuration.isConfined {
        try readSchema(preparing: { try apply(configuration) }, orElse: giveUp)
      } else {
        try apply(configuration)
      }
    } catch {
      giveUp()
      throw error
    }
    do {
      try configuration.monitoring?.body(self)
      for preparation in configuration.preparations { try preparation.body(self) }
    } catch {
      // Call `close()`, because the closures may have prepared statements or added hooks, which must end first. An
      // error while closing is ignored, because the first error is the one to report.
      try? close()
      throw error
    }
  }

  /// Creates a connection from a handle that C code opened, and takes ownership of the handle.
  ///
  /// The initializer changes the C connection in only three ways: it enables extended result codes, adds the
  /// table-valued function `array`, and replaces any rollback hook with Sluice's own. Without its own hook, Sluice
  /// would not notice when a function rolls back the statement that calls it. Hooks that you add to this connection
  /// also replace those of C code.
  ///
  /// This connection closes the handle. While the connection is open, C code may still use the handle, but must
  /// neither close it nor set a rollback hook.
  @unsafe public init(adopting handle: OpaquePointer) {
    configuration = .sqliteDefaults
    unsafe origin = Origin(handle, isAdopted: true)
    cache = StatementCache(
      size: configuration.statementCacheSize, liveSize: configuration.liveStatementCacheSize)
    unsafe rawHandle = handle
    unsafe sqlite3_extended_result_codes(handle, 1)
    unsafe state.watchRollbacks(of: handle)
    noteFileSystem()
    // If this fails for lack of memory, a forked child process is not prevented from using the connection.
    try? state.watchForks()
    // If this fails for lack of memory, statements that need the module throw later.
    _ = unsafe ArrayModule.add(to: handle)
  }

  deinit {
    // Functions can retain the connection's state for longer.
    defer { clientState = nil }
    guard !state.isForked else {
      // The handle belongs to the parent process, together with its uncommitted changes.
      for statement in living { statement.invalidate(retainsConnection: false) }
      return
    }
    // A deinit cannot report a failure.
    try? tearDown(.deinitializing)
  }
}

@available(*, unavailable)
extension Connection: Sendable {}

extension Connection {
  /// Whether the connection is open.
  public var isOpen: Bool { unsafe rawHandle != nil }

  /// Closes the connection, and rolls back an open transaction.
  ///
  /// The method also finalizes all statements of the connection. Afterwards, every use of the statements or the
  /// connection throws ``ResultCode/misuse``, except that closing again does nothing.
  ///
  /// In a function that one of the connection's statements calls, or in a closure that borrows bytes of a row, the
  /// method throws ``ResultCode/misuse``, and leaves the connection open. It also throws, and leaves the connection
  /// open, if an unfinished statement cannot complete its work; that work is then undone.
  ///
  /// If only the file deletion that ``Configuration/deletesFileOnClose`` requests fails, the method throws, but the
  /// connection is closed. For a connection that C code opened, the method throws ``ResultCode/busy`` while C code
  /// has an unfinalized statement or another open object on the handle; Sluice's own statements are finalized.
  ///
  /// The corresponding C function is `sqlite3_close`.
  public func close() throws {
    guard isOpen else { return }
    try state.refuseStrangers()
    try state.beginUse()
    defer { state.endUse() }
    guard state.calls.depth == 0 else {
      throw SQLiteError(.misuse, "The connection is in use; a callback cannot close it")
    }
    guard !living.contains(where: \.isLending) else {
      throw SQLiteError(
        .misuse, "A closure borrows bytes of a row; close the connection after the closure returns")
    }
    guard state.calls.frame != .lend else {
      throw SQLiteError(
        .misuse,
        "A closure borrows the bytes of a database; close the connection after the closure returns")
    }
    try tearDown(.closing)
  }

  /// A way in which a connection ends.
  private enum End {
    /// `close()`: a step that fails leaves the connection open.
    case closing
    /// The initializer has failed with an error that counts; the file is left alone.
    case failedOpening
    /// The last reference is gone, so no step may retain the connection.
    case deinitializing
  }

  /// Ends the connection.
  ///
  /// The steps have the same order for each end.
  private func tearDown(_ end: End) throws {
    guard let handle = unsafe rawHandle else { return }
    // 1. Ending an object that writes completes its work, or throws and undoes the work.
    for dependent in dependents.all {
      do { try dependent.end() } catch { if end == .closing { throw error } }
      guard isOpen else { return }
    }
    // 2. Resetting a statement that is at a row does the same. When the last reference is gone, none is at a row.
    for statement in living where end == .closing {
      try statement.reset()
      // The deinit of a value that the statement retained may have closed the connection.
      guard isOpen else { return }
    }
    // 3. No callback may use a connection that does not survive, so those that could do so are removed.
    if end != .closing { unsafe silence(handle) }
    // 4. Statements and blobs that could not end earlier end now.
    finishDeferred()
    guard isOpen else { return }
    // 5. From here on, no other thread may interrupt the handle, because it is about to be closed.
    state.interruptState?.forget()
    let files = end == .failedOpening ? nil : filesToDelete
    // 6. The connection's own statements end. Closing must not call the rollback observer.
    let rolledBack = state.calling {
      if end == .closing, configuration.optimizesOnClose, files == nil { optimizeWithoutWaiting() }
      finalizeStatements(retainingConnection: end == .closing)
      return state.watchers.rolledBack.take()
    }
    unsafe rawHandle = nil
    let code = state.calling { unsafe sqlite3_close(handle) }
    state.dropFailure()
    if code != SQLITE_OK {
      let error = unsafe SQLiteError(code, of: handle)
      guard end != .closing else {
        unsafe rawHandle = handle
        unsafe state.interruptState?.watch(handle)
        state.watchers.rolledBack = rolledBack
        throw error
      }
      // C code has open objects; SQLite closes the connection when the last of them ends.
      unsafe hooks?.uninstall(handle)
      unsafe sqlite3_close_v2(handle)
    }
    // 7. The objects that the program has stored are released, because nothing can call them any more.
    _ = slots.takeAll()
    dropHooks()
    // Prepared statements retain the connection, so keeping them would form a retain cycle.
    _ = dependents.takeRetained()
    if end == .closing { state.releaseDeferred() } else { state.close() }
    // 8. The files are deleted, unless C code still uses them.
    if code == SQLITE_OK { try files?.delete() }
  }

  private func finalizeStatements(retainingConnection: Bool) {
    while let (handle, statement) = unsafe statements.popFirst() {
      // Finalizing can end an aggregate function, which may release the last reference to this statement while SQLite
      // still uses the statement's memory. Therefore, retain the statement.
      let statement = unsafe statement.takeUnretainedValue()
      statement.invalidate(retainsConnection: retainingConnection)
      unsafe sqlite3_finalize(handle)
      withExtendedLifetime(statement) {}
    }
    _ = cache.removeAll()
    scopeStatements.removeAll()
  }

  /// Removes the callbacks that would use this object.
  private func silence(_ handle: OpaquePointer) {
    unsafe sqlite3_busy_handler(handle, nil, nil)
    unsafe sqlite3_collation_needed(handle, nil, nil)
    unsafe sqlite3_rollback_hook(handle, nil, nil)
    unsafe hooks?.retire(handle)
    dropTransactionWatch()
  }
}

extension Connection {
  var number: UInt64 { origin.number }

  /// The handle of the open connection.
  @inline(__always)
  func handle() throws -> OpaquePointer {
    guard let handle = unsafe rawHandle else { throw closed }
    try state.refuseStrangers()
    return unsafe handle
  }

  /// Prepares the connection for compiling SQL, and returns its handle.
  ///
  /// The order of the steps matters.
  func readyHandle() throws -> OpaquePointer {
    // 1. A thread that does not hold the connection must not perform the other steps.
    try state.refuseStrangers()
    // 2. Deferred statements and blobs must end, because they keep locks. Ending them can close the connection.
    finishDeferred()
    // 3. Cancelled observers must be removed, which can also close the connection.
    settleHooks()
    // 4. Only now is the connection known to be open.
    let handle = try unsafe handle()
    // 5. Statements are refused in a transaction body whose transaction has ended, in hooks, and in interrupted
    // work.
    try refuseStatements()
    return unsafe handle
  }

  /// The live statements, retained by the array.
  var living: [Statement] {
    unsafe statements.values.map { unsafe $0.takeUnretainedValue() }
  }

  /// The statements and blobs that SQLite counts as writers, and that therefore keep a transaction from ending.
  var writers: [any StandingWriter] {
    state.live.standingWriters == 0 ? [] : living.filter(\.isWriting) + dependents.writers
  }

  /// Ensures that previously compiled statements are not reused.
  func evictStatements() {
    for statement in living { statement.evict() }
    clearStatementCache()
  }

  /// The files to delete when the connection closes, or nil if there are none to delete.
  private var filesToDelete: DatabaseFiles? {
    configuration.deletesFileOnClose && isDatabase ? DatabaseFiles(of: self) : nil
  }

  /// Whether the file is a database or empty; also true if the file cannot be read now.
  private var isDatabase: Bool {
    guard let handle = unsafe rawHandle else { return false }
    unsafe sqlite3_busy_timeout(handle, 0)
    defer { unsafe resumeWaiting(handle) }
    let code = state.cleaningUp {
      unsafe sqlite3_exec(handle, "PRAGMA main.schema_version", nil, nil, nil)
    }
    return code & 0xff != SQLITE_NOTADB
  }

  var closed: SQLiteError { SQLiteError(.misuse, "The connection is closed") }

  /// Registers a new statement until it is finalized.
  func adopt(_ statement: Statement, _ handle: OpaquePointer) {
    unsafe statements[handle] = Unmanaged.passUnretained(statement)
  }

  /// Finalizes a statement whose last reference was released, and then deallocates its memory.
  func finalize(_ handle: OpaquePointer, _ memory: StatementMemory) {
    unsafe statements[handle] = nil
    unsafe finish(.statement(handle, memory))
  }
}
