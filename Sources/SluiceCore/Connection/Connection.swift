import CSQLite
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
  public let configuration: Configuration
  /// A number that no other connection of this process has.
  let number = Connection.count.add(1, ordering: .relaxed).newValue
  /// Nil once closed.
  private(set) var rawHandle: OpaquePointer?
  /// Those that nothing refers to any more, but that SQLite could not finalize at that time.
  private var orphans: [OpaquePointer] = unsafe []
  /// The living statements, which a connection that closes has to finalize first.
  private var statements: [OpaquePointer: Unmanaged<Statement>] = unsafe [:]
  /// How many calls of SQLite's that may call back are under way.
  var callDepth = 0
  /// How many closures have bytes of a row.
  var lendings = 0
  let callbacks = Callbacks()
  var scopes = Scopes()
  var collationNeeded: CollationNeeded?
  private static let count = Atomic<UInt64>(0)

  /// Opens an in-memory database, which is gone when the connection closes.
  public convenience init(configuration: Configuration = Configuration()) throws(SQLiteError) {
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
  ) throws(SQLiteError) {
    guard !path.isEmpty else {
      throw SQLiteError(.cantOpen, "The path is empty: a temporary database is asked for by name")
    }
    // Some builds of SQLite take any name that begins with "file:" for a URI.
    try self.init(
      name: path.utf8.starts(with: "file:".utf8) ? "./" + path : path, flags: 0, readOnly: readOnly,
      create: create, configuration: configuration)
  }

  /// Opens the database that a URI file name means, such as `file:app.db?mode=ro`.
  ///
  /// What is not a `file:` URI is refused with ``ResultCode/cantOpen``.
  ///
  /// The corresponding C value is `SQLITE_OPEN_URI`.
  public convenience init(
    uri: String, readOnly: Bool = false, create: Bool = true,
    configuration: Configuration = Configuration()
  ) throws(SQLiteError) {
    guard uri.utf8.starts(with: "file:".utf8) else {
      throw SQLiteError(.cantOpen, "Only file: URIs can be opened, not \"\(uri)\"")
    }
    // SQLite would end the name there, and so open another file.
    guard !uri.utf8.contains("%00".utf8) else {
      throw SQLiteError(.misuse, "The URI contains a NUL")
    }
    try self.init(
      name: uri, flags: SQLITE_OPEN_URI, readOnly: readOnly, create: create,
      configuration: configuration)
  }

  /// Opens a temporary database on disk, which is deleted when the connection closes.
  ///
  /// It may hold more than memory does, unlike one that is in memory.
  public static func temporary(configuration: Configuration = Configuration()) throws(SQLiteError)
    -> Connection
  {
    try Connection(name: "", flags: 0, readOnly: false, create: true, configuration: configuration)
  }

  private init(
    name: String, flags: Int32, readOnly: Bool, create: Bool, configuration: Configuration
  ) throws(SQLiteError) {
    try refuseNUL(in: name, "The name of the database")
    guard sqlite3_threadsafe() != 0 else {
      throw SQLiteError(
        .misuse, "The linked SQLite is built for a single thread (SQLITE_THREADSAFE=0)")
    }
    try SQLiteLibrary.start()
    let access: Int32 =
      readOnly
      ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0)
    var handle: OpaquePointer?
    let code = unsafe sqlite3_open_v2(
      name, &handle, flags | access | configuration.openFlags | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK else {
      let error = unsafe SQLiteError(code, of: handle)
      unsafe sqlite3_close(handle)
      throw SQLiteError(error.code, "\(error.message): \(name)")
    }
    self.configuration = configuration
    unsafe rawHandle = handle
    unsafe callbacks.watchRollbacks(of: handle)
    do {
      try check(unsafe ArrayModule.add(to: handle))
      try apply(configuration)
    } catch {
      unsafe sqlite3_close(handle)
      unsafe rawHandle = nil
      throw error
    }
  }

  /// Takes over a connection that C code opened, and closes it when the time comes.
  ///
  /// Nothing is changed on it but that it reports extended result codes, and that SQL can call
  /// `array`. From here on, C code may
  /// use it only as long as this connection is open, and must not close it.
  @unsafe public init(adopting handle: OpaquePointer) {
    configuration = .sqliteDefaults
    unsafe rawHandle = handle
    unsafe sqlite3_extended_result_codes(handle, 1)
    // Where memory is too short for it, statements that need it will say so.
    _ = unsafe ArrayModule.add(to: handle)
  }

  deinit {
    // Statements keep their connection alive, so none is left here.
    guard let handle = unsafe rawHandle else { return }
    unsafe sqlite3_collation_needed(handle, nil, nil)
    finalizeOrphans()
    unsafe sqlite3_rollback_hook(handle, nil, nil)
    unsafe sqlite3_close_v2(handle)
    callbacks.close()
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
  /// undone then. A connection that was taken over throws ``ResultCode/busy``, with its own statements
  /// finalized, as long as C code has something open on it.
  ///
  /// The corresponding C function is `sqlite3_close`.
  public func close() throws(SQLiteError) {
    guard let handle = unsafe rawHandle else { return }
    guard callDepth == 0 else {
      throw SQLiteError(.misuse, "The connection is in use: a callback cannot close it")
    }
    guard lendings == 0 else { throw SQLiteError(.misuse, "Bytes of a row are lent") }
    // One that stands on a row ends here, and with it perhaps what it has written.
    for statement in living { try statement.reset() }
    callDepth += 1
    if configuration.optimizesOnClose { optimize() }
    while let (handle, statement) = unsafe statements.popFirst() {
      // First, because an aggregate that ends here may drop the very statement.
      unsafe statement._withUnsafeGuaranteedRef { $0.invalidate() }
      unsafe sqlite3_finalize(handle)
    }
    finalizeOrphans()
    callDepth -= 1
    unsafe rawHandle = nil
    let code = unsafe sqlite3_close(handle)
    guard code == SQLITE_OK else {
      unsafe rawHandle = handle
      throw unsafe SQLiteError(code, of: handle)
    }
    replaceCollationNeeded(by: nil)
    callbacks.drain()
  }
}

extension Connection {
  /// The handle of the open connection.
  func handle() throws(SQLiteError) -> OpaquePointer {
    guard let handle = unsafe rawHandle else { throw closed }
    return unsafe handle
  }

  /// Notes that a call of SQLite's which may call back has returned, and releases what came back in it.
  func leaveSQLite() {
    callDepth -= 1
    if callDepth == 0 { callbacks.drain() }
  }

  /// Finalizes the statements that were let go of while SQLite was in the middle of something.
  func finalizeOrphans() {
    guard unsafe !orphans.isEmpty, !callbacks.isMidway else { return }
    while let handle = unsafe orphans.popLast() { unsafe finalize(handle) }
  }

  /// All statements, each with a reference that keeps it while something is done to them.
  private var living: [Statement] {
    unsafe statements.values.map { unsafe $0.takeUnretainedValue() }
  }

  /// The statements that SQLite takes to be writing, which keep it from ending a transaction.
  var writers: [Statement] { living.filter(\.isWriting) }

  /// Takes the closure that is asked for collations, and lets go of the one from before.
  func replaceCollationNeeded(by supply: CollationNeeded?) {
    let old = collationNeeded
    collationNeeded = supply
    // It is released only here: its deinit may come back to the property.
    withExtendedLifetime(old) {}
  }

  /// The full path of the main database, or nil if it is not a file that others can open.
  var filename: String? {
    guard let handle = unsafe rawHandle,
      let name = unsafe sqlite3_db_filename(handle, "main").flatMap({
        unsafe String(validatingCString: $0)
      }),
      // Any other name belongs to its connection alone.
      name.utf8.first == UInt8(ascii: "/")
    else { return nil }
    return name
  }

  /// Whether the main database can only be read.
  var isReadOnly: Bool {
    unsafe rawHandle.map { unsafe sqlite3_db_readonly($0, "main") == 1 } ?? false
  }

  var closed: SQLiteError { SQLiteError(.misuse, "The connection is closed") }

  /// Remembers a new statement until it is finalized.
  func adopt(_ statement: Statement, _ handle: OpaquePointer) {
    unsafe statements[handle] = Unmanaged.passUnretained(statement)
  }

  /// Finalizes a statement that nothing refers to any more.
  func finalize(_ handle: OpaquePointer) {
    unsafe statements[handle] = nil
    guard !callbacks.isMidway else {
      unsafe orphans.append(handle)
      return
    }
    callDepth += 1
    unsafe sqlite3_finalize(handle)
    leaveSQLite()
    noteEnd()
  }
}
