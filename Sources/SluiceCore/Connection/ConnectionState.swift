import CSluice
import Synchronization

/// The state that a connection shares with C callbacks, which retain this object instead of the connection.
///
/// Most of it is in parts. `exclusivity(unchecked)` is safe for them, because no operation on a part calls other code: it
/// loads or stores a value, and releases the old one afterwards.
@safe final class ConnectionState {
  /// The calls in progress, and the conditions that a statement checks.
  private(set) var calls = CallStack()
  /// The transactions and savepoints in which closures run.
  @safe @exclusivity(unchecked) var scope = ScopeStatus()
  /// State that a higher-level module of Sluice stores with the connection.
  @safe @exclusivity(unchecked) var clientState: ClientState?
  /// The objects that users hold, and those that can keep a transaction from ending.
  @safe @exclusivity(unchecked) var live = LiveObjects()

  @inline(__always)
  private func has(_ conditions: CallStack.Conditions) -> Bool { calls.has(conditions) }

  @inline(__always)
  private func note(_ condition: CallStack.Conditions, _ isThere: Bool) {
    calls.note(condition, isThere)
  }

  /// Enters a frame, and returns the enclosing frames, which must be passed to `leave(to:)`.
  @inline(__always)
  func enter(_ frame: CallFrame) -> CallStack.Frames { calls.enter(frame) }

  /// Leaves a frame and the frames inside it.
  @inline(__always)
  func leave(to outer: CallStack.Frames) { calls.leave(to: outer) }

  /// Runs `body` inside a frame.
  @inline(__always)
  func within<T>(_ frame: CallFrame, _ body: () throws -> T) rethrows -> T {
    let outer = enter(frame)
    defer { leave(to: outer) }
    return try body()
  }

  /// Runs `body`, which borrows the C handle, in place of an SQLite call.
  func lendingHandle<T>(_ body: () throws -> T) rethrows -> T {
    let outer = calls.lendsHandle
    calls.lendsHandle = true
    defer { calls.lendsHandle = outer }
    return try calling(body)
  }

  /// Performs an SQLite call that may call back into Swift.
  @inline(__always)
  func calling<T>(_ call: () throws -> T) rethrows -> T {
    calls.depth &+= 1
    defer { calls.depth &-= 1 }
    return try call()
  }

  /// The statements and blobs that have yet to end, and the boxes that have yet to be released.
  var deferred = DeferredWork() {
    didSet {
      note(.deferredEnds, deferred.hasEnds)
      note(.released, deferred.hasReleased)
    }
  }
  var hasDeferredEnds: Bool { has(.deferredEnds) }
  @inline(__always)
  var hasReleased: Bool { has(.released) }

  /// Whether `settle` may have work to do.
  @inline(__always)
  var mayHaveToSettle: Bool { calls.has(.toSettle) }

  /// Notifies observers of a commit, and releases the deferred objects if no SQLite call is in progress.
  @inline(__always)
  func settle() {
    if mayHaveToSettle { settleNow() }
  }

  @inline(never)
  private func settleNow() {
    if hasCommitted { tracker?.flush() }
    if watchesTransactions { watchers.transactions?.settle() }
    if calls.depth == 0 { releaseDeferred() }
  }

  /// Whether the connection still exists.
  var isOpen: Bool { deferred.isOpen }

  /// The state of the transaction in which closures run.
  var scopeState: ScopeState {
    get { scope.state }
    set {
      scope.state = newValue
      note(.brokenScope, newValue.refusesStatements)
    }
  }

  /// Whether the connection may call a file system in Swift.
  var reachesFileSystem: Bool {
    get { has(.fileSystem) }
    set { note(.fileSystem, newValue) }
  }

  /// Whether SQLite is calling a file system in Swift.
  ///
  /// The calling connection is unknown, so the value is true for every connection that may call such a file system
  /// and has an SQLite call in progress.
  var isInFileSystem: Bool {
    reachesFileSystem && calls.depth > 0 && sluice_is_in_file_system() != 0
  }

  /// The objects that hear of statements, commits and rollbacks.
  @safe @exclusivity(unchecked) var watchers = Watchers()

  /// The tracker that records the accesses of statements on behalf of observers.
  var tracker: AccessTracker? {
    get { watchers.tracker }
    set {
      watchers.tracker = newValue
      note(.tracker, newValue != nil)
      hasCommitted = false
    }
  }

  /// Whether a commit has begun, and observers have not been notified of it yet.
  var hasCommitted: Bool {
    get { has(.commit) }
    set { note(.commit, newValue) }
  }

  /// Whether the transaction watch must be notified of savepoints and of the end of transactions.
  var watchesTransactions: Bool {
    get { has(.transactions) }
    set { note(.transactions, newValue) }
  }

  /// Whether each statement that starts must be tracked.
  @inline(__always)
  var followsStatements: Bool { has(.followers) }

  /// The queue and the process that own the connection.
  @safe @exclusivity(unchecked) var ownership = Ownership()

  /// The state through which another thread can stop the connection's work; nil if no queue owns the connection.
  var interruptState: InterruptState? {
    get { ownership.interruptState }
    set {
      ownership.interruptState = newValue
      note(.interruptState, newValue != nil)
      if ownership.mayBeForeign { uses.areExclusive = false }
    }
  }

  /// Whether statements can run without further checks.
  @inline(__always)
  var isQuiet: Bool {
    guard !calls.hasAny(but: .quiet) else { return false }
    guard has(.interruptState), let interruptState = unsafe ownership.interruptReference else {
      return true
    }
    return unsafe interruptState._withUnsafeGuaranteedRef { interruptState in
      interruptState.flags.load(ordering: .acquiring) == 0
        && interruptState.holder.load(ordering: .relaxed) == sluice_current_thread()
    }
  }

  /// Whether this process is a fork of the process that owns the connection.
  var isForked: Bool {
    get { ownership.isForked }
    set {
      ownership.isForked = newValue
      note(.fork, newValue)
      if ownership.mayBeForeign { uses.areExclusive = false }
    }
  }

  /// The uses of a connection that no queue owns.
  let uses = ThreadUses()

  deinit { unsafe sluice_forget_forks(ownership.forkWatch) }

  /// Whether any objects may have to end or be released before a statement starts.
  @inline(__always)
  var hasWorkBeforeStart: Bool { has(.beforeStart) }

  /// Whether there is work to do between rows.
  ///
  /// Observers and interrupts do not count: between rows, observers are neither notified nor released, and SQLite
  /// itself checks for interrupts.
  @inline(__always)
  var hasConditionsBetweenRows: Bool {
    calls.hasAny(but: .idleBetweenRows)
  }

  /// Whether there is work to do when a scope begins or ends.
  @inline(__always)
  var hasConditionsOfScopes: Bool { calls.hasAny(but: .idleInScopes) || calls.refuses(.write) }

  /// Runs a callback that SQLite makes after a commit, as if the committed scope and writes had already ended.
  func outsideScopes(_ body: () -> Void) {
    let (outer, running) = (scope, writes.leaveOutRunning())
    scope.depth = 0
    scopeState = .sound
    defer {
      scope.depth = outer.depth
      scopeState = outer.state
      writes.restore(running: running)
    }
    body()
  }

  /// Runs cleanup work, which must succeed: no hook can refuse it, and no other thread can interrupt it.
  func cleaningUp<T>(_ body: () throws -> T) rethrows -> T {
    let old = calls.isCleaningUp
    calls.isCleaningUp = true
    if !old { interruptState?.shield() }
    defer {
      calls.isCleaningUp = old
      if !old { interruptState?.unshield(isRunning: calls.depth > 0) }
    }
    return try body()
  }

  /// The operations that can write.
  @safe @exclusivity(unchecked) var writes = Writes()
  /// The additions of running functions to their results, and the rollbacks so far.
  @safe @exclusivity(unchecked) var results = FunctionResults()
  /// The errors that closures threw in calls that have not returned yet.
  @safe @exclusivity(unchecked) var failures = KeptFailures()
  /// The flag that is set when an observer is cancelled; nil until there is an observer.
  var cancellations: CancellationFlag? {
    get { watchers.cancellations }
    set {
      watchers.cancellations = newValue
      note(.hooks, newValue != nil)
    }
  }
  /// The wait for locks that other connections hold; used only if a queue owns this connection.
  ///
  /// This is the last property, because it contains an instant, whose size is known only at run time. The offset of
  /// any property after this one would have to be looked up.
  var lockWait = LockWait()

  /// Runs an SQL function, and throws if the function has rolled back the statement that called it.
  ///
  /// Without the error, SQLite would continue to write outside of a transaction.
  @inline(__always)
  func call<T>(_ body: () throws -> T) throws -> T {
    let before = results.incidents
    let result = try body()
    if results.incidents != before { try refuseRollback(since: before) }
    return result
  }

  /// Throws if a statement is writing and a rollback has occurred since `incidents` was `before`.
  @inline(never)
  func refuseRollback(since before: Int) throws {
    guard results.lastRollback > before, writes.running > 0 else { return }
    throw SQLiteError(.abortRollback, "An SQL function rolled back the statement that called it")
  }

  /// Changes the subtype or object that the running function with this context adds to its result.
  func add(to context: OpaquePointer, _ change: (inout ResultAddition) -> Void) {
    // The change can release an object, whose deinit may run any code, so it changes a copy.
    var addition = unsafe results.takeAddition(to: context) ?? ResultAddition(context)
    change(&addition)
    results.add(addition)
  }

  /// Runs an internal transaction, whose rollback is not reported to observers.
  func withoutRollbackObservers<T>(_ body: () throws -> T) rethrows -> T {
    let observers = (watchers.rolledBack.take(), watchesTransactions)
    watchesTransactions = false
    defer { (watchers.rolledBack, watchesTransactions) = observers }
    return try body()
  }

  private func noteRollback() {
    results.noteRollback()
    tracker?.noteRollback()
    watchers.rolledBack?()
    if watchesTransactions { watchers.transactions?.rolledBack() }
  }

  /// Installs the rollback hook that counts the rollbacks of a connection.
  func watchRollbacks(of connection: OpaquePointer?) {
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_rollback_hook(
      connection,
      { me in unsafe Unmanaged<ConnectionState>.fromOpaque(me!).takeUnretainedValue().noteRollback()
      }, me
    )
  }

  /// Throws if a frame refuses the operation.
  @inline(__always)
  func require(_ operation: Operations) throws {
    guard calls.hasAny(but: .harmless) || calls.refuses(operation) else { return }
    try requireNow(operation)
  }

  @inline(never)
  private func requireNow(_ operation: Operations) throws {
    try refuseStrangers()
    if let refusal = calls.refusal(of: operation) { throw refusal }
    guard reachesFileSystem else { return }
    if isInFileSystem, let refusal = CallFrame.fileSystem.refusal { throw refusal }
    // Discard a failure that a file system recorded earlier, and from which SQLite has recovered. Otherwise, a later
    // error would give that failure as its reason.
    if sluice_is_in_file_system() == 0 { _ = unsafe sluice_take_failure(0) }
  }

  /// Throws if a frame refuses writes.
  ///
  /// The other checks of a statement run before this one.
  @inline(__always)
  func requireWriting() throws {
    if calls.refuses(.write), let refusal = calls.refusal(of: .write) { throw refusal }
  }
}
