import CSluice
import Synchronization

/// The state of a connection that C callbacks share with it: they retain this object, not the connection.
@safe final class ConnectionState {
  /// The calls under way, and the conditions that a statement looks at.
  private(set) var calls = CallStack()
  /// How many transactions and savepoints are open that closures run in.
  var scopeDepth = 0
  /// How many statements that write stand on a row.
  var standingWriters = 0

  @inline(__always)
  private func has(_ conditions: CallStack.Conditions) -> Bool { calls.has(conditions) }

  @inline(__always)
  private func note(_ condition: CallStack.Conditions, _ isThere: Bool) {
    calls.note(condition, isThere)
  }

  /// Begins a frame, and returns the frames around it for `leave(to:)`.
  @inline(__always)
  func enter(_ frame: CallFrame) -> CallStack.Frames { calls.enter(frame) }

  /// Ends a frame and the frames inside it.
  @inline(__always)
  func leave(to outer: CallStack.Frames) { calls.leave(to: outer) }

  /// Runs `body` in a frame.
  @inline(__always)
  func within<T>(_ frame: CallFrame, _ body: () throws -> T) rethrows -> T {
    let outer = enter(frame)
    defer { leave(to: outer) }
    return try body()
  }

  /// Makes a call of SQLite's that may call back.
  @inline(__always)
  func calling<T>(_ call: () throws -> T) rethrows -> T {
    calls.depth &+= 1
    defer { calls.depth &-= 1 }
    return try call()
  }

  /// Statements and blobs that are still to end, and boxes that are still to be released.
  var deferred = DeferredWork() {
    didSet {
      note(.deferredEnds, deferred.hasEnds)
      note(.released, deferred.hasReleased)
    }
  }
  var hasDeferredEnds: Bool { has(.deferredEnds) }
  @inline(__always)
  var hasReleased: Bool { has(.released) }

  /// Whether `settle` has anything to do.
  @inline(__always)
  var mayHaveToSettle: Bool { calls.has(.toSettle) }

  /// Whether the connection has not gone, so that there is a later time to end and release what waits.
  var isOpen = true

  /// How the transaction stands that closures run in.
  var scopeState = ScopeState.sound {
    didSet { note(.brokenScope, scopeState.refusesStatements) }
  }

  /// Whether the connection may call a file system in Swift.
  var reachesFileSystem: Bool {
    get { has(.fileSystem) }
    set { note(.fileSystem, newValue) }
  }

  /// Whether SQLite is in the middle of calling a file system in Swift.
  ///
  /// It is not known which connection calls: so it is taken to be any that is at work.
  var isInFileSystem: Bool {
    reachesFileSystem && calls.depth > 0 && sluice_is_in_file_system() != 0
  }

  /// The tracker that follows the statements, for observers of the connection.
  var tracker: AccessTracker? {
    didSet {
      note(.tracker, tracker != nil)
      hasCommitted = false
    }
  }

  /// Whether a commit was begun of which observers have not been told.
  var hasCommitted: Bool {
    get { has(.commit) }
    set { note(.commit, newValue) }
  }

  /// Work that waits for the end of a transaction; nil if there has never been any.
  var transactionWatch: TransactionWatch?

  /// Whether such work has to be told of savepoints and of the end of transactions.
  var watchesTransactions: Bool {
    get { has(.transactions) }
    set { note(.transactions, newValue) }
  }

  /// Whether something has to be noted of each statement that starts.
  @inline(__always)
  var followsStatements: Bool { has(.followers) }

  /// The state by which another thread can stop the work of the connection, if a queue owns it.
  var interruptState: InterruptState? {
    didSet {
      note(.interruptState, interruptState != nil)
      mayBeForeign = interruptState != nil || isForked
      unsafe interruptReference = interruptState.map { unsafe Unmanaged.passUnretained($0) }
    }
  }
  /// The same, to be looked at without counting a reference.
  private(set) var interruptReference: Unmanaged<InterruptState>?

  /// Whether nothing at all keeps statements from running.
  @inline(__always)
  var isQuiet: Bool {
    guard !calls.hasAny(but: .quiet) else { return false }
    guard has(.interruptState), let interruptState = unsafe interruptReference else { return true }
    return unsafe interruptState._withUnsafeGuaranteedRef { interruptState in
      interruptState.flags.load(ordering: .acquiring) == 0
        && interruptState.holder.load(ordering: .relaxed) == sluice_current_thread()
    }
  }

  /// Whether the connection belongs to the process that this one was forked from.
  var isForked = false {
    didSet {
      note(.fork, isForked)
      mayBeForeign = interruptState != nil || isForked
    }
  }

  /// Whether another thread or process may have the connection.
  ///
  /// Threads that must not use the connection read only this, `isForked` and `interruptState`, which do not change while a queue
  /// has the connection.
  private(set) var mayBeForeign = false

  /// Tells of forks, as long as this lives.
  var forkWatch: OpaquePointer?

  deinit { unsafe sluice_forget_forks(forkWatch) }

  /// Whether anything may have to end or to be released before a statement starts.
  @inline(__always)
  var hasWorkBeforeStart: Bool { has(.beforeStart) }

  /// Whether anything has to be seen to from one row to the next, where observers are told nothing, none is let
  /// go of, and other threads are not asked: SQLite is.
  @inline(__always)
  var hasConditionsBetweenRows: Bool {
    calls.hasAny(but: .idleBetweenRows)
  }

  /// Whether anything has to be seen to when a scope begins or ends.
  @inline(__always)
  var hasConditionsOfScopes: Bool { calls.hasAny(but: .idleInScopes) || calls.refuses(.write) }

  /// Runs what SQLite calls when a commit is done, and with it the scope and the writing that it ends.
  func outsideScopes(_ body: () -> Void) {
    let (depth, state, running) = (scopeDepth, scopeState, runningWrites)
    scopeDepth = 0
    scopeState = .sound
    writes &-= running
    defer {
      scopeDepth = depth
      scopeState = state
      writes &+= running
    }
    body()
  }

  /// Runs what has to succeed, past the hooks that could refuse it.
  func cleaningUp<T>(_ body: () throws -> T) rethrows -> T {
    let old = isCleaningUp
    isCleaningUp = true
    if !old { interruptState?.shield() }
    defer {
      isCleaningUp = old
      if !old { interruptState?.unshield(isRunning: calls.depth > 0) }
    }
    return try body()
  }

  /// How many statements there are that users of the connection have prepared.
  var preparedCount = 0
  /// How many blobs, sessions and backups there are.
  var dependentCount = 0
  /// The two counts of writes in one number, as each statement that writes changes both.
  private var writes = 0
  private static var oneWrite: Int { 1 << 20 }

  /// How many statements that write are running.
  var runningWrites: Int { writes & (Self.oneWrite - 1) }
  /// How many times something has begun that can write, as a number that only grows.
  var writeCount: Int { writes >> 20 }

  @inline(__always)
  func beginWrite() { writes &+= Self.oneWrite + 1 }

  @inline(__always)
  func endWrite() { writes &-= 1 }

  /// Takes note of a write that is no statement.
  func noteWrite() { writes &+= Self.oneWrite }
  /// How many things have happened that the answer of a running function may have to be held back
  /// for: rollbacks, and what a function adds to its result.
  private(set) var incidents = 0
  /// The value of `incidents` after the last rollback of any kind.
  private var lastRollback = 0
  /// Grows with each rollback.
  var rollbackCount: Int { lastRollback }
  /// The additions of running functions to their results.
  private var additions: [ResultAddition] = []
  /// The errors that closures threw in calls that have not returned yet.
  var failures = KeptFailures()
  /// Whether there are any: one look tells that there is nothing to do.
  var hasFailures = false
  /// Whether a COMMIT has failed of which nobody knows whether the transaction is on disk.
  var hasUncertainCommit = false
  /// Whether code that has the handle of C runs.
  var lendsHandle = false
  /// Whether only what reads may run.
  var isReading = false
  /// Whether a rollback or the like is under way that has to succeed, whatever hooks say.
  var isCleaningUp = false
  /// Set when an observer is to be let go of; nil if there has never been one.
  var cancellations: CancellationFlag? {
    didSet { note(.hooks, cancellations != nil) }
  }
  /// Called after each rollback.
  var rolledBack: (() -> Void)?
  /// Who is told of rows before they change: SQLite has room for hooks or for sessions, not for both.
  var preUpdateUser: PreUpdateUser?

  enum PreUpdateUser { case hooks, sessions }

  /// How locks are waited for, if it can.
  ///
  /// It is the last property, as the size of an instant is known only at run time: the places of all properties that
  /// came after it would have to be looked up.
  var lockWait = LockWait()

  /// Runs a function that SQL calls, and refuses its result if it has rolled back the writing of the
  /// statement that calls it: SQLite would go on to write, without a transaction.
  @inline(__always)
  func call<T>(_ body: () throws -> T) throws -> T {
    let before = incidents
    let result = try body()
    if incidents != before { try refuseRollback(since: before) }
    return result
  }

  /// Refuses a result if there has been a rollback since `incidents` was what it was `before`.
  @inline(never)
  func refuseRollback(since before: Int) throws {
    guard lastRollback > before, runningWrites > 0 else { return }
    throw SQLiteError(.abortRollback, "An SQL function rolled back the statement that called it")
  }

  /// Changes what the running function that has this context adds to its result.
  func add(to context: OpaquePointer, _ change: (inout ResultAddition) -> Void) {
    var addition = unsafe takeAddition(to: context) ?? ResultAddition(context)
    change(&addition)
    additions.append(addition)
    incidents += 1
  }

  /// Takes out what the function that has this context has added to its result.
  func takeAddition(to context: OpaquePointer?) -> ResultAddition? {
    additions.lastIndex { unsafe $0.context == context }.map { additions.remove(at: $0) }
  }

  /// Runs a transaction that is rolled back although no user has begun it.
  func withoutRollbackObservers<T>(_ body: () throws -> T) rethrows -> T {
    let observers = (rolledBack.take(), watchesTransactions)
    watchesTransactions = false
    defer { (rolledBack, watchesTransactions) = observers }
    return try body()
  }

  private func noteRollback() {
    incidents += 1
    lastRollback = incidents
    tracker?.noteRollback()
    rolledBack?()
    if watchesTransactions { transactionWatch?.rolledBack() }
  }

  /// Counts the rollbacks of a connection, which SQLite tells of.
  func watchRollbacks(of connection: OpaquePointer?) {
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_rollback_hook(
      connection,
      { me in unsafe Unmanaged<ConnectionState>.fromOpaque(me!).takeUnretainedValue().noteRollback()
      }, me
    )
  }

  /// Throws unless each frame allows the operation.
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
    // What went wrong before, and has been got over, is nothing that went wrong now.
    if sluice_is_in_file_system() == 0 { _ = unsafe sluice_take_failure(0) }
  }

  /// Throws if a frame refuses to write.
  ///
  /// The other checks of a statement come before.
  @inline(__always)
  func requireWriting() throws {
    if calls.refuses(.write), let refusal = calls.refusal(of: .write) { throw refusal }
  }
}
