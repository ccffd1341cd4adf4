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
  public var connection: Connection { unsafe ownership.connection!.takeUnretainedValue() }
  /// `exclusivity(unchecked)` is safe, because no operation on this value releases an object.
  @safe @exclusivity(unchecked) private var ownership: StatementOwnership
  /// The SQL text of the statement, as the caller wrote it.
  public let sql: String

  // Rows read these properties for each value, in code that is inlined into other modules. Swift would check
  // the exclusivity of each access there at run time. `exclusivity(unchecked)` is safe, because each access is
  // a few loads and stores.

  /// The handle of the statement; nil once the connection is closed.
  @exclusivity(unchecked) @usableFromInline private(set) var handle: OpaquePointer?
  @safe @exclusivity(unchecked) @usableFromInline var currentRow = CurrentRow()

  var progress = Progress.ready
  /// The number of scopes (closure-based transactions and savepoints) that were open when the statement
  /// started.
  var depth = 0
  let traits: StatementTraits
  /// The state of the connection.
  let state: ConnectionState
  /// Memory for short bound values.
  var memory = StatementMemory()
  @usableFromInline let resultColumns: Columns
  let parameters: Parameters
  /// The reads and writes of the statement; nil until it is prepared or run while the connection is observed.
  var access: StatementAccess?

  enum Progress {
    case ready
    /// Ended at a row, because a transaction began or ended, or because a queue's access ended.
    case ended
    /// At a row of a statement that only reads.
    case atRow
    /// At a row of a statement that writes, which has made all its changes, and only has rows left to return.
    case atRowOfWriter

    @inline(__always)
    var isAtRow: Bool { self == .atRow || self == .atRowOfWriter }
  }

  init(
    _ handle: OpaquePointer, _ connection: Connection, _ sql: String, isCached: Bool,
    writes: Bool = false
  ) {
    ownership = StatementOwnership(connection, isCached: isCached)
    self.sql = sql
    unsafe self.handle = handle
    state = connection.state
    resultColumns = unsafe Columns(of: handle)
    var traits = unsafe StatementTraits(
      of: handle, sql, isCached: isCached, columnCount: resultColumns.count)
    if writes { traits.insert(.writes) }
    if connection.origin.isGuarded { traits.insert(.guarded) }
    self.traits = traits
    parameters = unsafe Parameters(of: handle)
    setWidth()
    if !isCached { state.live.statements += 1 }
    unsafe connection.adopt(self, handle)
  }

  deinit {
    guard let handle = unsafe handle else { return memory.deallocate() }
    leaveRow(for: .ready)
    if isPrepared { state.live.statements -= 1 }
    unsafe connection.finalize(handle, memory)
  }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement {
  /// Returns the handle, for calls that do not change the statement.
  func openHandle() throws -> OpaquePointer {
    guard let handle = unsafe handle else { throw connection.closed }
    try state.refuseStrangers()
    return unsafe handle
  }

  /// Returns the handle if the statement is idle, or throws the reason why it is not.
  @inline(__always)
  func idleHandle() throws -> OpaquePointer {
    if unsafe handle == nil || !currentRow.isFree { try becomeIdle() }
    return unsafe handle.unsafelyUnwrapped
  }

  /// Makes a statement that is left over from an earlier access usable in the current access, or throws.
  @inline(never)
  private func becomeIdle() throws {
    guard unsafe handle != nil, currentRow.isLeft else { throw refusal }
    try state.refuseStrangers()
    currentRow.free()
  }

  /// The error that explains why the statement cannot be used.
  private var refusal: SQLiteError {
    if unsafe handle == nil { return connection.closed }
    if currentRow.isInSQLite {
      return SQLiteError(
        .misuse, "The statement is running; a function that it calls cannot use it", sql: sql
      )
    }
    return SQLiteError(
      .misuse,
      "The statement cannot be used while a value is encoded into its parameters, or while its handle or bytes"
        + " of its row are borrowed", sql: sql)
  }

  /// The state that a higher module attaches to the statement; the state must not reference the statement.
  package var clientState: AnyObject? {
    get { ownership.clientState }
    set {
      // The deinit of the old state can run any code, so it ends after the assignment.
      let old = ownership.clientState
      ownership.clientState = newValue
      withExtendedLifetime(old) {}
    }
  }

  /// Returns whether `object` is the state that a higher module attached to the statement's connection.
  package func inherits(_ object: AnyObject?) -> Bool {
    unsafe ownership.connection?._withUnsafeGuaranteedRef {
      $0.clientState?.object === object
    } ?? false
  }

  /// Whether a closure borrows bytes of the row, or the handle.
  var isLending: Bool { currentRow.isLent }

  func setWidth() {
    currentRow.setWidth(resultColumns.count, isGuarded: traits.contains(.guarded))
  }

  /// Whether a user of the connection prepared the statement, rather than the connection for its cache.
  var isPrepared: Bool { ownership.isPrepared }

  /// The index of the statement in the cache.
  var cachePlace: Int {
    get { ownership.cachePlace }
    set { ownership.cachePlace = newValue }
  }

  /// Makes the next use of the statement check that the thread using it has acquired the connection.
  ///
  /// If the last use was in an earlier access, the statement is only read: another thread may be about to use it, and
  /// reads it to find out that it must not.
  func leaveAccess(endingRow: Bool) {
    if !currentRow.isLeft { currentRow.leaveAccess(endingRow: endingRow) }
  }

  var isWriter: Bool { traits.contains(.writes) }

  /// Whether the statement writes and is at a row, so that SQLite counts it as active.
  var isWriting: Bool { progress == .atRowOfWriter && !currentRow.isInSQLite }

  /// Whether the statement is at a row, and not running.
  var isStanding: Bool { progress.isAtRow && !currentRow.isInSQLite }

  /// Makes the statement unusable; called while the connection ends, which finalizes the handle.
  ///
  /// A connection that is being deallocated must not be retained. Then only the cache retains the statement.
  func invalidate(retainsConnection: Bool) {
    if isPrepared { state.live.statements -= 1 }
    // The connection has removed the statement from its list, so its deallocation would leave a dangling reference.
    ownership.end(retainingConnection: retainsConnection)
    unsafe handle = nil
    currentRow.close()
    leaveRow(for: .ready)
  }
}

// Returning a statement to the cache.
extension Statement {
  /// Clears the bindings, and returns whether the statement can return to the cache.
  @inline(__always)
  func prepareForCache() -> Bool {
    guard ownership.isOfCache || dropClientState(), let handle = unsafe handle,
      !progress.isAtRow, currentRow.isFree
    else { return false }
    if parameters.count > 0 {
      unsafe sqlite3_clear_bindings(handle)
      parameters.clear()
      if state.hasReleased { state.releaseDeferred() }
      // The deinit of a released object may have changed the meaning of names, or closed the connection.
      guard ownership.isOfCache, unsafe self.handle != nil else { return false }
    }
    if progress != .ready { progress = .ready }
    return true
  }

  /// Drops the client state if requested, and returns whether the statement can still return to the cache.
  @inline(never)
  private func dropClientState() -> Bool {
    guard ownership.isOfCacheWithoutClientState else { return false }
    // The deinit of the client state can run any code, which may even evict the statement.
    _ = ownership.takeClientState()
    return ownership.isOfCache
  }

  /// Prevents the statement from returning to the cache.
  func evict() { ownership.evict() }

  /// Requests that the client state be dropped before the statement returns to the cache.
  package func willDropClientState() { ownership.willDropClientState() }
}
