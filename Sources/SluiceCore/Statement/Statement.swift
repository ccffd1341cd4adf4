import CSluice

/// One compiled SQL statement, to be run any number of times.
///
/// ```swift
/// let statement = try connection.prepare(sql: "INSERT INTO t1(a,b) VALUES (?,?)")
/// for (a, b) in pairs {
///   try statement.bind(a, b).execute()
/// }
/// ```
///
/// There is no need to reset a statement: it resets itself when it has run to its end, when it
/// failed, and when a row closure threw.
///
/// A statement belongs to its connection, and is used where that is used. It keeps the connection
/// open, unless ``Connection/close()`` is called: from then on it throws ``ResultCode/misuse``.
@safe public final class Statement {
  /// The connection that runs this statement.
  public var connection: Connection { unsafe owner!.takeUnretainedValue() }
  /// Nil once the connection is gone, which tells the statements that have not kept it.
  @exclusivity(unchecked) private var owner: Unmanaged<Connection>?
  private var ownership: Ownership
  /// Its index in the cache, which looks whether this is so.
  var cachePlace = 0
  /// The SQL, as it was given.
  public let sql: String

  // What rows look at for each value is compiled into other modules, where Swift would look for
  // overlapping accesses at run time. There are none: each is one load or store.

  /// Nil once the connection is closed.
  @exclusivity(unchecked) @usableFromInline private(set) var handle: OpaquePointer?
  /// Grows with each move, so that a row can tell whether it is still the current one.
  @exclusivity(unchecked) @usableFromInline private(set) var position: UInt = 0
  /// How many columns can be read without a mutex: all or none.
  @exclusivity(unchecked) @usableFromInline private(set) var openWidth = 0
  /// What holds the statement where it is: a count of the closures that have bytes of the row, and a
  /// large number while SQLite runs it.
  ///
  /// It is negative after an access of a queue whose closure has kept the statement, until the next use has checked the
  /// thread: see `leaveAccess`.
  @exclusivity(unchecked) @usableFromInline var holds = 0
  private static let running = 1 << (Int.bitWidth / 2)
  private static let left = Int.min / 2

  var progress = Progress.ready { didSet { isOnReadRow = progress == .atRow && !isWriter } }
  private(set) var isOnReadRow = false
  /// How many scopes the statement was started in.
  var depth = 0
  let traits: StatementTraits
  /// The threading mode: a mutex around each call, or none.
  let isGuarded: Bool
  /// Those of the connection.
  let state: ConnectionState
  /// Where SQLite finds what is bound and short.
  var memory = StatementMemory()
  @usableFromInline let columns: Columns
  /// How many columns there are: what is asked for each value is not looked up in `columns`.
  private(set) var width = 0
  let parameters: Parameters
  @exclusivity(unchecked) private var attached: AnyObject?
  /// The reads and writes of the statement; nil if nobody has observed the connection.
  var access: StatementAccess?

  enum Progress {
    case ready
    case atRow
    case done
    /// Left half way when a transaction began or ended, which ended the statement.
    case ended
  }

  /// Who keeps the statement.
  private enum Ownership {
    /// A user of the connection. The statement keeps the connection.
    case user(Connection)
    /// The connection, which lends it to one of its methods and then puts it into its cache.
    case cache
    /// The same, without the client state.
    case cacheWithoutClientState
    /// The connection, which lends it for the last time.
    case evicted
  }

  init(
    _ handle: OpaquePointer, _ connection: Connection, _ sql: String, isCached: Bool
  ) {
    unsafe owner = Unmanaged.passUnretained(connection)
    ownership = isCached ? .cache : .user(connection)
    self.sql = sql
    unsafe self.handle = handle
    isGuarded = connection.isGuarded
    state = connection.state
    columns = unsafe Columns(of: handle)
    traits = unsafe StatementTraits(
      of: handle, sql, isCached: isCached, columnCount: columns.count)
    parameters = unsafe Parameters(of: handle)
    setWidth()
    if !isCached { state.preparedCount += 1 }
    unsafe connection.adopt(self, handle)
  }

  deinit {
    guard let handle = unsafe handle else { return memory.deallocate() }
    // Without a connection it lay in the cache, which goes together with the connection.
    guard unsafe owner != nil else {
      unsafe sqlite3_finalize(handle)
      return memory.deallocate()
    }
    leaveRow(for: .ready)
    if isPrepared { state.preparedCount -= 1 }
    unsafe connection.finalize(handle, memory)
  }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement {
  /// Brings the statement back to its start in SQLite, and makes its rows stale.
  @inline(__always)
  func rewind(_ handle: OpaquePointer) -> Int32 {
    inSQLite { unsafe sqlite3_reset(handle) }
  }

  /// The handle, to ask the statement what changes nothing.
  func openHandle() throws -> OpaquePointer {
    guard let handle = unsafe handle else { throw connection.closed }
    try state.refuseStrangers()
    return unsafe handle
  }

  /// Whether nothing is under way that a change of the statement would pull the ground from.
  private var isIdle: Bool { unsafe holds == 0 }

  private var isInSQLite: Bool { unsafe holds >= Self.running }

  /// The handle, if the statement is idle.
  @inline(__always)
  func idleHandle() throws -> OpaquePointer {
    if unsafe handle == nil || !isIdle { try becomeIdle() }
    return unsafe handle.unsafelyUnwrapped
  }

  /// Takes a statement that an earlier access has left into the one that the calling thread has.
  @inline(never)
  private func becomeIdle() throws {
    guard unsafe handle != nil, unsafe holds == Self.left else { throw refusal }
    try state.refuseStrangers()
    unsafe holds = 0
  }

  /// Why the statement cannot be used.
  private var refusal: SQLiteError {
    if unsafe handle == nil { return connection.closed }
    if isInSQLite {
      return SQLiteError(
        .misuse, "The statement is running; a function that it calls cannot use it", sql: sql
      )
    }
    return SQLiteError(
      .misuse, "Bytes of this statement's row, or its handle, are borrowed", sql: sql)
  }

  /// Moves the statement by a call of SQLite's, which may call back into Swift.
  ///
  /// What comes back in it is released only when the statement knows what the call has done.
  @inline(__always)
  func inSQLite(_ move: () -> Int32) -> Int32 {
    unsafe position &+= 1
    unsafe holds = Self.running
    let code = state.calling(move)
    unsafe holds = 0
    return code
  }

  /// The state of the module above, which must not refer to the statement.
  package var clientState: AnyObject? {
    get { unsafe attached }
    set { unsafe attached = newValue }
  }

  /// Whether this is what the module above keeps with the connection.
  package func inherits(_ object: AnyObject?) -> Bool {
    unsafe owner?._withUnsafeGuaranteedRef { unsafe $0.clientState?.object === object } ?? false
  }

  /// Whether a closure has bytes of the row.
  var isLending: Bool { unsafe holds % Self.running > 0 }

  func setWidth() {
    width = columns.count
    unsafe openWidth = isGuarded ? 0 : width
  }

  /// Whether a user of the connection has prepared it, and not the connection for its cache.
  var isPrepared: Bool { if case .user = ownership { true } else { false } }

  /// Has the next use look whether its thread has the connection.
  func leaveAccess(endingRow: Bool) {
    if isIdle { unsafe holds = Self.left }
    if endingRow { unsafe position &+= 1 }
  }

  var isWriter: Bool { traits.contains(.writes) }

  /// Whether the statement writes, and stands on a row, so that SQLite holds it to be at work.
  ///
  /// Its writing is done by then: what it has not returned yet are only rows.
  var isWriting: Bool { isWriter && progress == .atRow && !isInSQLite }

  /// Whether the statement stands on a row.
  var isStanding: Bool { progress == .atRow && !isInSQLite }

  /// Called by the connection when it goes, and leaves the statement to itself, unless it belongs to another
  /// process.
  func leaveConnection(isForked: Bool) {
    unsafe owner = nil
    if isForked { unsafe handle = nil }
  }

  /// Called by the connection when it closes and has finalized the statement.
  func invalidate() {
    if isPrepared { state.preparedCount -= 1 }
    // The connection forgets the statement, and so cannot invalidate it again.
    ownership = .user(connection)
    unsafe handle = nil
    unsafe openWidth = 0
    unsafe position &+= 1
    leaveRow(for: .ready)
  }
}

// The way into the cache.
extension Statement {
  /// Clears the bindings; false if the statement cannot go to the cache.
  @inline(__always)
  func prepareForCache() -> Bool {
    guard isOfCache || dropClientState(), let handle = unsafe handle, progress != .atRow, isIdle
    else { return false }
    if parameters.count > 0 {
      unsafe sqlite3_clear_bindings(handle)
      parameters.clear()
      if state.hasReleased { state.releaseDeferred() }
      // What has been let go of may have changed what names mean, or closed the connection.
      guard isOfCache, unsafe self.handle != nil else { return false }
    }
    if progress != .ready { progress = .ready }
    return true
  }

  @inline(__always)
  private var isOfCache: Bool { if case .cache = ownership { true } else { false } }

  /// Drops the client state if that has to go; false if the statement does not return to the cache then.
  @inline(never)
  private func dropClientState() -> Bool {
    guard case .cacheWithoutClientState = ownership else { return false }
    ownership = .cache
    // The deinit of the client state can do anything, also evict the statement.
    clientState = nil
    return isOfCache
  }

  /// Keeps the statement out of the cache from now on.
  func evict() {
    if !isPrepared { ownership = .evicted }
  }

  /// Has the client state dropped before the statement returns to the cache.
  package func willDropClientState() {
    if case .cache = ownership { ownership = .cacheWithoutClientState }
  }
}
