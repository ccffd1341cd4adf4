import CSluice
import Synchronization

/// A connection to a database.
///
/// ```swift
/// let connection = try Connection(path: "app.db")
/// try connection.execute(sql: "CREATE TABLE IF NOT EXISTS t1(a,b)")
/// ```
///
/// A connection belongs to one thread or task at a time, and the compiler sees to that. To share
/// one between several, give it to a ``ConnectionQueue``.
///
/// It closes when nothing refers to it any more, or with ``close()``, which reports errors.
@safe public final class Connection {
  /// How the connection was set up.
  public internal(set) var configuration: Configuration
  /// Whether C code opened it.
  let isAdopted: Bool
  /// A number that no other connection of this process has.
  let number = Connection.count.add(1, ordering: .relaxed).newValue
  /// Nil once closed.
  private(set) var rawHandle: OpaquePointer?
  /// The living statements, which a connection that closes has to finalize first.
  private var statements: [OpaquePointer: Unmanaged<Statement>] = unsafe [:]
  /// The threading mode: a mutex around each call, or none.
  let isGuarded: Bool
  let state = ConnectionState()
  /// Objects that must end before the connection can close, beside its statements.
  var dependents = Dependents() { didSet { state.dependentCount = dependents.count } }
  /// Nothing that the cache does calls anything that could come back to it.
  @safe @exclusivity(unchecked) var cache: StatementCache
  /// Nor does anything that is done to these.
  @safe @exclusivity(unchecked) var scopeStatements = ScopeStatements()
  /// Statements that stand on a row from one call of a queue to the next.
  var cursors: [UInt64: Statement] = [:]
  /// Statements and dependents that somebody kept after an access of a queue.
  var leftovers: [any Leftover] = []
  var collationNeeded: CollationNeeded?
  /// The answer of the function that `ATTACH` asks for a key; nil until the first one.
  var attachingKey: AttachingKey?
  /// Whether the module fts5 was removed or replaced, after which its API must not be used.
  var hasLostFTS5 = false
  /// Nil as long as nothing has been observed.
  var hooks: Hooks?
  /// The state of the module above: at first that of the configuration.
  @exclusivity(unchecked) package var clientState: ClientState?
  private static let count = Atomic<UInt64>(0)

  /// Opens an in-memory database, which is gone when the connection closes.
  public convenience init(configuration: Configuration = Configuration()) throws {
    try self.init(path: ":memory:", configuration: configuration)
  }

  /// Opens the database file at `path`, or makes it if it is missing.
  ///
  /// The path is taken literally, but for `:memory:`, which is a database in memory. Without
  /// `create`, and if it is `readOnly`, a missing file throws ``ResultCode/cantOpen``.
  ///
  /// SQLite looks into the file only when it is first used: that it is not a database may show
  /// then, with ``ResultCode/notADatabase``.
  ///
  /// The corresponding C function is `sqlite3_open_v2`.
  public convenience init(
    path: String, readOnly: Bool = false, create: Bool = true,
    configuration: Configuration = Configuration()
  ) throws {
    try self.init(
      name: Self.literal(path: path), readOnly: readOnly, create: create,
      configuration: configuration)
  }

  /// Opens the database that a URI file name means, such as `file:app.db?mode=ro`.
  ///
  /// What is not a `file:` URI is refused with ``ResultCode/cantOpen``.
  ///
  /// The corresponding C value is `SQLITE_OPEN_URI`.
  public convenience init(
    uri: String, readOnly: Bool = false, create: Bool = true,
    configuration: Configuration = Configuration()
  ) throws {
    try Self.check(uri: uri)
    try self.init(name: uri, readOnly: readOnly, create: create, configuration: configuration)
  }

  /// Opens a temporary database on disk, which is deleted when the connection closes.
  ///
  /// It may hold more than memory does, unlike one that is in memory.
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
    // No path begins with "file:" here, so URIs are what is meant, also by an ATTACH later.
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
    unsafe clientState = configuration.clientState
    isAdopted = false
    cache = StatementCache(capacity: configuration.statementCacheSize)
    unsafe rawHandle = handle
    unsafe isGuarded = sqlite3_db_mutex(handle) != nil
    unsafe state.watchRollbacks(of: handle)
    noteFileSystem()
    do {
      try state.watchForks()
      if let key = configuration.encryptionKey { try unlock(with: key) }
      try check(unsafe ArrayModule.add(to: handle))
      try apply(configuration)
      if configuration.encryptionKey != nil { try checkKey() }
    } catch {
      unsafe sqlite3_close(handle)
      unsafe rawHandle = nil
      throw error
    }
    do {
      if let monitor = configuration.monitor { try tell(monitor) }
      for preparation in configuration.preparations { try preparation.body(self) }
    } catch {
      // What a closure has prepared goes with the connection; its error is the one to report.
      try? close()
      throw error
    }
  }

  /// Takes over a connection that C code opened, and closes it when the time comes.
  ///
  /// Nothing is changed on it but that it reports extended result codes, that SQL can call `array`,
  /// and that a rollback hook of Sluice's takes the place of one that C code may have set: without it, a
  /// function that rolls back the statement that calls it would not be noticed. Hooks that are added
  /// here take the place of those of C code as well.
  ///
  /// From here on, C code may use it only as long as this connection is open, must not close it, and
  /// must not set a rollback hook.
  @unsafe public init(adopting handle: OpaquePointer) {
    configuration = .sqliteDefaults
    isAdopted = true
    cache = StatementCache(capacity: configuration.statementCacheSize)
    unsafe rawHandle = handle
    unsafe isGuarded = sqlite3_db_mutex(handle) != nil
    unsafe sqlite3_extended_result_codes(handle, 1)
    unsafe state.watchRollbacks(of: handle)
    noteFileSystem()
    // Without memory for it, a child is not kept from using the connection.
    try? state.watchForks()
    // Where memory is too short for it, statements that need it will say so.
    _ = unsafe ArrayModule.add(to: handle)
  }

  deinit {
    // Statements keep their connection alive, so none is left here but those in the cache.
    for statement in living { statement.leaveConnection(isForked: state.isForked) }
    // What a child would close belongs to its parent, with what that has not committed.
    guard let handle = unsafe rawHandle, !state.isForked else { return }
    state.interruptState?.forget()
    dropTransactionWatch()
    unsafe sqlite3_busy_handler(handle, nil, nil)
    _ = cache.removeAll()
    scopeStatements.removeAll()
    unsafe sqlite3_collation_needed(handle, nil, nil)
    // Dependents without a reference to the connection have nothing to throw.
    for dependent in dependents.all { try? dependent.end() }
    unsafe hooks?.retire(handle)
    finishDeferred()
    unsafe sqlite3_rollback_hook(handle, nil, nil)
    let files = filesToDelete
    if unsafe sqlite3_close(handle) == SQLITE_OK {
      // Nobody is left to hear of a failure.
      try? files?.delete()
    } else {
      unsafe hooks?.uninstall(handle)
      unsafe sqlite3_close_v2(handle)
    }
    state.close()
  }
}

@available(*, unavailable)
extension Connection: Sendable {}

extension Connection {
  /// Whether the connection has not been closed.
  public var isOpen: Bool { unsafe rawHandle != nil }

  /// Closes the connection; an open transaction is rolled back.
  ///
  /// All statements of the connection are finalized: using one from now on throws
  /// ``ResultCode/misuse``, as does all else but closing again, which does nothing.
  ///
  /// It throws ``ResultCode/misuse``, and closes nothing, when a function that one of the
  /// connection's statements calls, or a closure that has bytes of a row, tries to close it. It
  /// throws, and closes nothing, also if a statement was left half way and cannot end: its work is
  /// undone then. If only the file cannot be deleted that is to go with the connection, it throws, and
  /// is closed all the same. A connection that was taken over throws ``ResultCode/busy``, with its own statements
  /// finalized, as long as C code has something open on it.
  ///
  /// The corresponding C function is `sqlite3_close`.
  public func close() throws {
    guard let handle = unsafe rawHandle else { return }
    try state.refuseStrangers()
    guard state.calls.depth == 0 else {
      throw SQLiteError(.misuse, "The connection is in use; a callback cannot close it")
    }
    guard !living.contains(where: \.isLending) else {
      throw SQLiteError(
        .misuse, "Bytes of a row are borrowed; the connection can close when their closure returns")
    }
    guard state.calls.frame != .lend else {
      throw SQLiteError(
        .misuse,
        "Bytes of a database are borrowed; the connection can close when their closure returns")
    }
    // What writes ends here, and with it perhaps what it has written.
    for dependent in dependents.all {
      try dependent.end()
      guard isOpen else { return }
    }
    // So does a statement that stands on a row.
    for statement in living {
      try statement.reset()
      // What the statement has let go of may have closed the connection.
      guard isOpen else { return }
    }
    // From here on nothing may reach the handle that is about to go.
    state.interruptState?.forget()
    let files = filesToDelete
    let rolledBack = state.calling { prepareToClose(optimizing: files == nil) }
    unsafe rawHandle = nil
    let code = state.calling { unsafe sqlite3_close(handle) }
    state.dropFailure()
    guard code == SQLITE_OK else {
      unsafe rawHandle = handle
      unsafe state.interruptState?.watch(handle)
      state.rolledBack = rolledBack
      throw unsafe SQLiteError(code, of: handle)
    }
    replaceCollationNeeded(by: nil)
    dropHooks()
    // A prepared statement retains the connection.
    leftovers = []
    cursors = [:]
    state.releaseDeferred()
    try files?.delete()
  }

  /// Finalizes all statements, and returns who is told of rollbacks: to close is none.
  private func prepareToClose(optimizing: Bool) -> (() -> Void)? {
    if configuration.optimizesOnClose, optimizing { optimizeWhileClosing() }
    while let (handle, statement) = unsafe statements.popFirst() {
      // An aggregate that ends here may drop the very statement, whose memory SQLite still refers to.
      let statement = unsafe statement.takeUnretainedValue()
      statement.invalidate()
      unsafe sqlite3_finalize(handle)
      withExtendedLifetime(statement) {}
    }
    _ = cache.removeAll()
    scopeStatements.removeAll()
    finishDeferred()
    return state.rolledBack.take()
  }
}

extension Connection {
  /// The handle of the open connection.
  @inline(__always)
  func handle() throws -> OpaquePointer {
    guard let handle = unsafe rawHandle else { throw closed }
    try state.refuseStrangers()
    return unsafe handle
  }

  /// The handle, once nothing keeps SQL from being compiled.
  ///
  /// The order of the steps matters.
  func readyHandle() throws -> OpaquePointer {
    // 1. A thread that does not have the connection must not touch what the other steps do.
    try state.refuseStrangers()
    // 2. Statements and blobs that wait to end would keep locks. What they release can close the connection.
    finishDeferred()
    // 3. Observers that were cancelled are not called any more. Their deinit can close the connection, too.
    settleHooks()
    // 4. So it is only now that the connection is known to be open.
    let handle = try unsafe handle()
    // 5. The body of a transaction that has ended stops here, and so do a hook and work that was interrupted.
    try refuseStatements()
    return unsafe handle
  }

  /// All statements, each with a reference that keeps it while something is done to them.
  var living: [Statement] {
    unsafe statements.values.map { unsafe $0.takeUnretainedValue() }
  }

  /// The open statements and blobs that SQLite counts as writing, which keep a transaction from ending.
  var writers: [any StandingWriter] {
    state.standingWriters == 0 ? [] : living.filter(\.isWriting) + dependents.writers
  }

  /// Sees to it that no statement is used again that was compiled before.
  func evictStatements() {
    for statement in living { statement.evict() }
    clearStatementCache()
  }

  /// Takes the closure that is asked for collations, and lets go of the one from before.
  func replaceCollationNeeded(by supply: CollationNeeded?) {
    let old = collationNeeded
    collationNeeded = supply
    // The old closure is released only here: its deinit may access the property.
    withExtendedLifetime(old) {}
  }

  /// The files that go with the connection, if it was opened so.
  private var filesToDelete: DatabaseFiles? {
    configuration.deletesFileOnClose && isDatabase ? DatabaseFiles(of: self) : nil
  }

  /// Whether the file is a database, or empty; one that cannot be looked into now is taken for one.
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

  /// Remembers a new statement until it is finalized.
  func adopt(_ statement: Statement, _ handle: OpaquePointer) {
    unsafe statements[handle] = Unmanaged.passUnretained(statement)
  }

  /// Finalizes a statement to which nothing refers any more, and then lets go of its memory.
  func finalize(_ handle: OpaquePointer, _ memory: StatementMemory) {
    unsafe statements[handle] = nil
    unsafe finish(.statement(handle, memory))
  }
}
