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
  /// It is negative after an access of a queue whose closure has kept the statement.
  @exclusivity(unchecked) @usableFromInline var holds = 0
  private static let running = 1 << (Int.bitWidth / 2)
  private static let left = Int.min / 2

  var progress = Progress.ready { didSet { isOnReadRow = progress == .atRow && !isWriter } }
  private var isOnReadRow = false
  /// How many scopes the statement was started in.
  private(set) var depth = 0
  private let traits: StatementTraits
  /// Whether SQLite locks a mutex around each call.
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
  /// What it reads and writes; nil if nobody has observed the connection.
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
  /// Moves to the next row, or returns nil if there is none.
  ///
  /// After the last row it stays there: asking again gives nil, until the statement is reset,
  /// bound or executed.
  ///
  /// ```swift
  /// while let row = try statement.step() {
  ///   print(try row.value(at: 0))
  /// }
  /// ```
  ///
  /// The corresponding C function is `sqlite3_step`.
  public func step() throws -> Row? {
    try advance() ? Row(self) : nil
  }

  /// Moves to the next row, and returns a copy of it, or nil if there is none.
  ///
  /// The compiler chooses this form where a ``Row`` cannot be passed on, as in `XCTAssertNil(try statement.step())`.
  @_disfavoredOverload
  public func step() throws -> RowValues? {
    try advance() ? Row(self).values() : nil
  }

  /// Runs the statement from its start to its end, and drops any rows.
  public func execute() throws {
    if try startAnew() { while try advance() {} }
  }

  /// Goes back to the start, and keeps what is bound.
  ///
  /// A statement that writes and was left before its last row ends here, outside of a transaction
  /// with a commit, which can fail.
  ///
  /// The corresponding C function is `sqlite3_reset`.
  public func reset() throws {
    try stop(.ready)
  }

  /// Ends a statement that stands on a row because a transaction begins or ends, or an access of a queue.
  ///
  /// A step would start it again, and write again what it has written: it throws instead.
  func end() throws {
    if progress == .atRow { try stop(.ended) }
  }

  @inline(__always)
  private func stop(_ next: Progress) throws {
    let handle = try unsafe idleHandle()
    guard progress == .atRow else {
      progress = next
      return
    }
    try unsafe leaveRow(for: next, handle)
  }

  private func leaveRow(for next: Progress, _ handle: OpaquePointer) throws {
    // A hook that resets another statement could make SQLite commit in the middle of a commit.
    try state.require(.use)
    leaveRow(for: next)
    let code = unsafe rewind(handle)
    guard code == SQLITE_OK else {
      let error = connection.failure(code, sql: sql)
      connection.noteEnd(after: error)
      state.drainOutside()
      throw error
    }
    state.dropFailure()
    unsafe noteEnd(handle)
    state.drainOutside()
  }
}

extension Statement {
  /// Moves to the next row; false once there is none.
  @usableFromInline
  func advance() throws -> Bool {
    // From one row to the next, this is all that has to be looked at.
    guard isOnReadRow, unsafe holds == 0, !state.hasConditionsBetweenRows else {
      return try start()
    }
    // On a row there is a handle.
    let handle = unsafe handle.unsafelyUnwrapped
    let code = unsafe step(handle)
    guard code == SQLITE_ROW else { return try unsafe finish(code, handle) }
    if state.hasConditionsBetweenRows { try release() }
    return true
  }

  /// Moves to the first row, from wherever it is; false if there is none.
  @usableFromInline
  func startAnew() throws -> Bool {
    // One that is held refuses this, and stays what it is.
    if unsafe progress == .atRow || holds != 0 { try reset() } else { progress = .ready }
    return try start()
  }

  /// Moves to the next row, or to the first, or says why it cannot move.
  private func start() throws -> Bool {
    if state.hasLeftovers { try settleLeftovers() }
    let handle = try unsafe idleHandle()
    let isStart = progress == .ready
    if isStart {
      depth = state.scopeDepth
      guard parameters.isComplete else { throw unbound(parameters.firstUnbound ?? 1) }
    } else if progress != .atRow {
      return try stay()
    }
    if state.calls.word != 0 {
      if !state.isQuiet { try connection.refuseStatements() }
      // What controls transactions, or attaches a database, writes nothing, but has no columns.
      if isWriter || width == 0 {
        if isWriter, state.isReading { throw readOnly }
        try state.requireWriting()
        if !isWriter, state.calls.refuses(.endTransaction), StatementTraits.endsTransaction(sql) {
          try state.require(.endTransaction)
        }
      }
      if isStart, state.followsStatements { return try unsafe startFollowed(handle) }
    }
    return try unsafe goOn(handle, isStart)
  }

  /// Moves to the first row, and notes what the statement reads, writes and undoes.
  @inline(never)
  private func startFollowed(_ handle: OpaquePointer) throws -> Bool {
    if isWriter, state.watchesTransactions { state.transactionWatch?.begin(self) }
    guard let tracker = state.tracker else { return try unsafe goOn(handle, true) }
    return try tracker.run(self) { try unsafe goOn(handle, true) }
  }

  /// Moves to the next row, or to the first, once nothing keeps it from that.
  @inline(__always)
  private func goOn(_ handle: OpaquePointer, _ isStart: Bool) throws -> Bool {
    if isWriter { state.beginWrite() }
    let code =
      traits.contains(.setsCheckpoints) ? unsafe stepOutsideWALHook(handle) : unsafe step(handle)
    if isWriter { state.endWrite() }
    if isStart {
      unsafe columns.refresh(from: handle)
      if width != columns.count { setWidth() }
    }
    guard code == SQLITE_ROW else { return try unsafe finish(code, handle) }
    if isStart {
      if state.hasFailures { try unsafe settleFailure(handle) }
      progress = .atRow
      if isWriter { state.standingWriters += 1 }
    }
    if state.hasReleased { try release() }
    return true
  }

  private var readOnly: SQLiteError {
    SQLiteError(.readOnly, "This access can only read", sql: sql)
  }

  /// What a step does behind the last row: nothing, or to say why it cannot move.
  @inline(never)
  private func stay() throws -> Bool {
    if progress == .done { return false }
    throw SQLiteError(
      .misuse,
      "A transaction that began or ended, or the end of an access, has ended the statement on its row",
      sql: sql)
  }

  /// Takes note of a step that has not come to a row: false at the end.
  private func finish(_ code: Int32, _ handle: OpaquePointer) throws -> Bool {
    guard code == SQLITE_DONE else { throw unsafe failed(code, handle) }
    if state.hasFailures { try unsafe settleFailure(handle) }
    _ = unsafe rewind(handle)
    leaveRow(for: .done)
    unsafe noteEnd(handle)
    if !traits.isDisjoint(with: .hasAftermath) { settleAftermath() }
    state.drainOutside()
    return false
  }

  @inline(never)
  private func failed(_ code: Int32, _ handle: OpaquePointer) -> any Error {
    unsafe failed(connection.failure(code, sql: sql), handle)
  }

  /// Forgets what a step has got over, but for what a hook has refused and the step has done: that is
  /// undone, and thrown.
  @inline(never)
  private func settleFailure(_ handle: OpaquePointer) throws {
    guard state.hasUnheardVeto else { return state.dropFailure() }
    // By itself it would commit here, which the veto does not let happen.
    _ = unsafe rewind(handle)
    throw unsafe failed(connection.undoVetoed(sql: sql), handle)
  }

  private func failed(_ error: any Error, _ handle: OpaquePointer) -> any Error {
    // It repeats the code of the step, which is about to be thrown.
    _ = unsafe rewind(handle)
    leaveRow(for: .ready)
    if isWriter, state.watchesTransactions { state.transactionWatch?.fail(self) }
    connection.noteEnd(after: error)
    state.drainOutside()
    return error
  }

  /// Evicts statements whose names can mean other tables now, or notes a savepoint that has begun or ended.
  @inline(never)
  private func settleAftermath() {
    if isWriter {
      connection.evictStatements()
      state.transactionWatch?.forgetNames()
    } else if let step = SavepointStep(sql: sql) {
      connection.transactionWatch.apply(step)
    }
  }

  @inline(__always)
  func leaveRow(for next: Progress) {
    if isWriter, progress == .atRow { state.standingWriters -= 1 }
    progress = next
  }

  /// Looks whether the transaction still exists in which the statement has ended.
  @inline(__always)
  private func noteEnd(_ handle: OpaquePointer) {
    guard state.scopeDepth > 0,
      unsafe sqlite3_get_autocommit(sqlite3_db_handle(handle)) != 0
    else { return }
    connection.noteEnd()
  }

  /// Releases what came back in a step to a row, and throws if that has moved the statement on.
  @inline(never)
  private func release() throws { try unmoved { state.drainOutside() } }

  /// Finalizes what waits for it, and lets go of observers that have been cancelled, before anything is looked
  /// at: what that lets go of can change it.
  @inline(never)
  private func settleLeftovers() throws {
    try state.refuseStrangers()
    if state.hasOrphans { try unmoved { connection.finalizeOrphans() } }
    if state.cancellations != nil { try unmoved { connection.settleHooks() } }
    if state.watchesTransactions { try unmoved { state.transactionWatch?.tellEnds() } }
  }

  /// Lets go of something, and throws if that has moved the statement.
  private func unmoved(_ letGo: () -> Void) throws {
    let current = unsafe position
    letGo()
    guard unsafe position != current else { return }
    if unsafe handle == nil { throw connection.closed }
    throw SQLiteError(.misuse, "What a statement has let go of has moved this one", sql: sql)
  }

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
        .misuse, "The statement is running: it cannot be used by a function that it calls", sql: sql
      )
    }
    return SQLiteError(.misuse, "Bytes of this statement's row, or its handle, are lent", sql: sql)
  }

  /// Takes a step in SQLite, which may call back into Swift.
  @inline(__always)
  private func step(_ handle: OpaquePointer) -> Int32 { inSQLite { unsafe sqlite3_step(handle) } }

  /// Takes a step in which SQLite may compile the pragma anew that asks or changes its hook.
  @inline(never)
  private func stepOutsideWALHook(_ handle: OpaquePointer) -> Int32 {
    // With a handle of the statement there is one of the connection.
    unsafe connection.lendingWALHook(connection.rawHandle.unsafelyUnwrapped) {
      unsafe step(handle)
    }
  }

  /// Moves the statement by a call of SQLite's, which may call back into Swift.
  ///
  /// What comes back in it is released only when the statement knows what the call has done.
  @inline(__always)
  private func inSQLite(_ move: () -> Int32) -> Int32 {
    unsafe position &+= 1
    unsafe holds = Self.running
    let code = state.calling(move)
    unsafe holds = 0
    return code
  }

  /// What the module above keeps with the statement, and must not refer to it.
  package var clientState: AnyObject? {
    get { unsafe attached }
    set { unsafe attached = newValue }
  }

  /// Whether this is what the module above keeps with the connection.
  package func inherits(_ object: AnyObject?) -> Bool {
    unsafe owner?._withUnsafeGuaranteedRef { unsafe $0.clientState?.object === object } ?? false
  }

  /// Grows with each move, so that a row can tell whether it is still the current one.
  var generation: UInt { unsafe position }

  /// Whether a closure has bytes of the row.
  var isLending: Bool { unsafe holds % Self.running > 0 }

  private func setWidth() {
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

  private var isWriter: Bool { traits.contains(.writes) }

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
    // It forgets the statement, and so cannot tell it any more when it goes.
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
      if state.hasReleased { state.drain() }
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
