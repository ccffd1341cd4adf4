import CSluice

/// A compiled SQL statement, which can run any number of times.
///
/// ```swift
/// let statement = try connection.prepare(sql: "INSERT INTO t1(a,b) VALUES (?,?)")
/// for (a, b) in pairs {
///   try statement.bind(a, b).execute()
/// }
/// ```
///
/// A statement resets automatically after it has run to its end, after it has failed, and after a closure that
/// received a row has thrown. Its next use, by any method, runs it from its start.
///
/// A statement belongs to its connection, and only the thread or task that uses the connection can use the
/// statement. A statement keeps its connection open until ``Connection/close()`` is called. After that call,
/// using the statement throws ``ResultCode/misuse``.
@safe public final class Statement {
  /// The connection that runs this statement.
  public var connection: Connection { unsafe owner!.takeUnretainedValue() }
  /// The connection; nil once it is deallocated, which is only possible if the statement does not retain it.
  @exclusivity(unchecked) private var owner: Unmanaged<Connection>?
  private var ownership: Ownership
  /// The index of the statement in the cache, which the cache verifies before use.
  var cachePlace = 0
  /// The SQL text of the statement, as the caller wrote it.
  public let sql: String

  // Rows read these properties for each value, in code that is inlined into other modules. Swift would check
  // the exclusivity of each access there at run time. `exclusivity(unchecked)` is safe, because each access is
  // one load or store.

  /// The handle of the statement; nil once the connection is closed.
  @exclusivity(unchecked) @usableFromInline private(set) var handle: OpaquePointer?
  /// A number that grows with each step or reset, so that a row can detect that it is no longer current.
  @exclusivity(unchecked) @usableFromInline private(set) var position: UInt = 0
  /// The number of columns that can be read without a mutex: either the number of all columns, or 0.
  @exclusivity(unchecked) @usableFromInline private(set) var openWidth = 0
  /// The number of closures that borrow the handle or bytes of the row, or bind the parts of a value; 0 if the
  /// statement may be stepped, reset or bound.
  ///
  /// While SQLite runs the statement, the number is very large. If a statement outlives the queue access that
  /// used it, the number is negative until the next use has checked the thread: see `leaveAccess`.
  @exclusivity(unchecked) @usableFromInline var holds = 0
  private static let running = 1 << (Int.bitWidth / 2)
  private static let left = Int.min / 2

  var progress = Progress.ready { didSet { isOnReadRow = progress == .atRow && !isWriter } }
  private(set) var isOnReadRow = false
  /// The number of scopes (closure-based transactions and savepoints) that were open when the statement
  /// started.
  var depth = 0
  let traits: StatementTraits
  /// Whether SQLite protects each call with a mutex.
  let isGuarded: Bool
  /// The state of the connection.
  let state: ConnectionState
  /// Memory for short bound values.
  var memory = StatementMemory()
  @usableFromInline let columns: Columns
  /// The number of columns, which is stored here because rows check it for each value.
  private(set) var width = 0
  let parameters: Parameters
  @exclusivity(unchecked) private var attached: AnyObject?
  /// The reads and writes of the statement; nil until it is prepared or run while the connection is observed.
  var access: StatementAccess?

  enum Progress {
    case ready
    case atRow
    /// Ended at a row, because a transaction began or ended, or because a queue's access ended.
    case ended
  }

  /// The owner of the statement.
  private enum Ownership {
    /// A user of the connection. The statement retains the connection.
    case user(Connection)
    /// The connection, whose methods use the statement and then return it to the cache.
    case cache
    /// Like `cache`, but the client state is dropped before the statement returns to the cache.
    case cacheWithoutClientState
    /// The connection, which does not return the statement to the cache after its current use.
    case evicted
  }

  init(
    _ handle: OpaquePointer, _ connection: Connection, _ sql: String, isCached: Bool,
    writes: Bool = false
  ) {
    unsafe owner = Unmanaged.passUnretained(connection)
    ownership = isCached ? .cache : .user(connection)
    self.sql = sql
    unsafe self.handle = handle
    isGuarded = connection.isGuarded
    state = connection.state
    columns = unsafe Columns(of: handle)
    let traits = unsafe StatementTraits(
      of: handle, sql, isCached: isCached, columnCount: columns.count)
    self.traits = writes ? traits.union(.writes) : traits
    parameters = unsafe Parameters(of: handle)
    setWidth()
    if !isCached { state.live.statements += 1 }
    unsafe connection.adopt(self, handle)
  }

  deinit {
    guard let handle = unsafe handle else { return memory.deallocate() }
    // Only a cached statement can outlive its connection: the cache is released while the connection is
    // deallocated. The statement then finalizes its own handle.
    guard unsafe owner != nil else {
      unsafe sqlite3_finalize(handle)
      return memory.deallocate()
    }
    leaveRow(for: .ready)
    if isPrepared { state.live.statements -= 1 }
    unsafe connection.finalize(handle, memory)
  }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement {
  /// Resets the statement, invalidates its rows, and returns SQLite's result code.
  @inline(__always)
  func rewind(_ handle: OpaquePointer) -> Int32 {
    inSQLite { unsafe sqlite3_reset(handle) }
  }

  /// Returns the handle, for calls that do not change the statement.
  func openHandle() throws -> OpaquePointer {
    guard let handle = unsafe handle else { throw connection.closed }
    try state.refuseStrangers()
    return unsafe handle
  }

  /// Whether the statement is neither borrowed, nor running, nor left over from an earlier access.
  private var isIdle: Bool { unsafe holds == 0 }

  private var isInSQLite: Bool { unsafe holds >= Self.running }

  /// Returns the handle if the statement is idle, or throws the reason why it is not.
  @inline(__always)
  func idleHandle() throws -> OpaquePointer {
    if unsafe handle == nil || !isIdle { try becomeIdle() }
    return unsafe handle.unsafelyUnwrapped
  }

  /// Makes a statement that is left over from an earlier access usable in the current access, or throws.
  @inline(never)
  private func becomeIdle() throws {
    guard unsafe handle != nil, unsafe holds == Self.left else { throw refusal }
    try state.refuseStrangers()
    unsafe holds = 0
  }

  /// The error that explains why the statement cannot be used.
  private var refusal: SQLiteError {
    if unsafe handle == nil { return connection.closed }
    if isInSQLite {
      return SQLiteError(
        .misuse, "The statement is running; a function that it calls cannot use it", sql: sql
      )
    }
    return SQLiteError(
      .misuse,
      "The statement cannot be used while a value is encoded into its parameters, or while its handle or bytes"
        + " of its row are borrowed", sql: sql)
  }

  /// Makes an SQLite call that steps or resets the statement, and returns the result code.
  ///
  /// The call may call back into Swift. Objects that C releases during the call are deallocated only after the
  /// statement has recorded the result of the call.
  @inline(__always)
  func inSQLite(_ move: () -> Int32) -> Int32 {
    unsafe position &+= 1
    unsafe holds = Self.running
    let code = state.calling(move)
    unsafe holds = 0
    return code
  }

  /// The state that a higher module attaches to the statement; the state must not reference the statement.
  package var clientState: AnyObject? {
    get { unsafe attached }
    set { unsafe attached = newValue }
  }

  /// Returns whether `object` is the state that a higher module attached to the statement's connection.
  package func inherits(_ object: AnyObject?) -> Bool {
    unsafe owner?._withUnsafeGuaranteedRef { unsafe $0.clientState?.object === object } ?? false
  }

  /// Whether a closure borrows bytes of the row, or the handle.
  var isLending: Bool { unsafe holds % Self.running > 0 }

  func setWidth() {
    width = columns.count
    unsafe openWidth = isGuarded ? 0 : width
  }

  /// Whether a user of the connection prepared the statement, rather than the connection for its cache.
  var isPrepared: Bool { if case .user = ownership { true } else { false } }

  /// Makes the next use of the statement check that the thread using it has acquired the connection.
  func leaveAccess(endingRow: Bool) {
    if isIdle { unsafe holds = Self.left }
    if endingRow { unsafe position &+= 1 }
  }

  var isWriter: Bool { traits.contains(.writes) }

  /// Whether the statement writes and is at a row, so that SQLite counts it as active.
  ///
  /// Such a statement has made all its changes, and only has rows left to return.
  var isWriting: Bool { isWriter && progress == .atRow && !isInSQLite }

  /// Whether the statement is at a row, and not running.
  var isStanding: Bool { progress == .atRow && !isInSQLite }

  /// Detaches the statement from a connection that is being deallocated.
  ///
  /// The statement then finalizes itself, unless this process is a fork of the process that owns the connection.
  func leaveConnection(isForked: Bool) {
    unsafe owner = nil
    if isForked { unsafe handle = nil }
  }

  /// Makes the statement unusable; called while the connection closes, just before it finalizes the handle.
  func invalidate() {
    if isPrepared { state.live.statements -= 1 }
    // Retain the connection. It has removed the statement from its list, so its deallocation would leave `owner`
    // dangling.
    ownership = .user(connection)
    unsafe handle = nil
    unsafe openWidth = 0
    unsafe position &+= 1
    leaveRow(for: .ready)
  }
}

// Returning a statement to the cache.
extension Statement {
  /// Clears the bindings, and returns whether the statement can return to the cache.
  @inline(__always)
  func prepareForCache() -> Bool {
    guard isOfCache || dropClientState(), let handle = unsafe handle, progress != .atRow, isIdle
    else { return false }
    if parameters.count > 0 {
      unsafe sqlite3_clear_bindings(handle)
      parameters.clear()
      if state.hasReleased { state.releaseDeferred() }
      // The deinit of a released object may have changed the meaning of names, or closed the connection.
      guard isOfCache, unsafe self.handle != nil else { return false }
    }
    if progress != .ready { progress = .ready }
    return true
  }

  @inline(__always)
  private var isOfCache: Bool { if case .cache = ownership { true } else { false } }

  /// Drops the client state if requested, and returns whether the statement can still return to the cache.
  @inline(never)
  private func dropClientState() -> Bool {
    guard case .cacheWithoutClientState = ownership else { return false }
    ownership = .cache
    // The deinit of the client state can run any code, which may even evict the statement.
    clientState = nil
    return isOfCache
  }

  /// Prevents the statement from returning to the cache.
  func evict() {
    if !isPrepared { ownership = .evicted }
  }

  /// Requests that the client state be dropped before the statement returns to the cache.
  package func willDropClientState() {
    if case .cache = ownership { ownership = .cacheWithoutClientState }
  }
}
