import CSQLite
import CSluice
import Synchronization

/// What goes on between SQLite and the closures that a connection has given to it.
@safe final class Callbacks {
  /// How many calls of SQLite's that may call back are under way.
  var callDepth = 0
  /// How many transactions and savepoints are open that closures run in.
  var scopeDepth = 0
  /// How many statements that write stand on a row.
  var standingWriters = 0
  /// What has to be seen to, or refused, before or after a statement moves; 0 if there is nothing.
  ///
  /// It has a bit for each concern, and above them the count of comparisons: one look tells all.
  private(set) var concerns: UInt = 0

  enum Concern {
    static let orphans: UInt = 1
    static let brokenScope: UInt = 2
    static let collationSupply: UInt = 4
    static let released: UInt = 8
    static let planning: UInt = 16
    static let connecting: UInt = 32
    static let fileSystem: UInt = 64
    static let tracker: UInt = 128
    static let commit: UInt = 256
    static let alarm: UInt = 512
    static let owedRollback: UInt = 1024
    static let fork: UInt = 2048
    static let hooks: UInt = 4096
    static let transactions: UInt = 8192
    static let comparison: UInt = 16384
    /// What refuses nothing that is to be done with the connection.
    static let harmless = quiet | brokenScope | owedRollback
    /// What, by itself, keeps no statement from running.
    static let quiet =
      orphans | released | connecting | tracker | commit | alarm | hooks | transactions
  }

  @inline(__always)
  func has(_ concern: UInt) -> Bool { concerns & concern != 0 }

  @inline(__always)
  private func note(_ concern: UInt, _ isThere: Bool) {
    concerns = concerns & ~concern | (isThere ? concern : 0)
  }

  /// Whether there are statements that SQLite could not finalize when they were let go of.
  var hasOrphans: Bool {
    get { has(Concern.orphans) }
    set { note(Concern.orphans, newValue) }
  }

  /// Forgets why the transaction ended, together with the outermost body that ran in it.
  @inline(__always)
  func forgetBrokenScope() {
    guard has(Concern.brokenScope) else { return }
    releaseLater([brokenScope])
    brokenScope = nil
  }

  /// Why the transaction ended before the outermost body that runs in it did.
  var brokenScope: (any Error)? {
    didSet { note(Concern.brokenScope, brokenScope != nil) }
  }

  /// Whether a statement that is being compiled waits for a collation.
  var isSupplyingCollation: Bool {
    get { has(Concern.collationSupply) }
    set { note(Concern.collationSupply, newValue) }
  }

  /// Whether C has let go of anything that is still to be released.
  private(set) var hasReleased: Bool {
    get { has(Concern.released) }
    set { note(Concern.released, newValue) }
  }

  /// Whether a statement that is being compiled waits for the plan of a virtual table.
  var isPlanning: Bool {
    get { has(Concern.planning) }
    set { note(Concern.planning, newValue) }
  }

  /// Whether a statement that is being compiled waits for a virtual table to connect.
  var isConnecting: Bool {
    get { has(Concern.connecting) }
    set { note(Concern.connecting, newValue) }
  }

  /// Whether the connection may call a file system in Swift.
  var reachesFileSystem: Bool {
    get { has(Concern.fileSystem) }
    set { note(Concern.fileSystem, newValue) }
  }

  /// Whether SQLite is in the middle of calling a file system in Swift.
  ///
  /// It is not known which connection calls: so it is taken to be any that is at work.
  private var isInFileSystem: Bool {
    reachesFileSystem && callDepth > 0 && sluice_is_in_file_system() != 0
  }

  /// What follows the statements, for those who observe the connection.
  var tracker: AccessTracker? {
    didSet {
      note(Concern.tracker, tracker != nil)
      hasCommitted = false
    }
  }

  /// Whether a commit was begun of which observers have not been told.
  var hasCommitted: Bool {
    get { has(Concern.commit) }
    set { note(Concern.commit, newValue) }
  }

  /// Work that waits for the end of a transaction; nil if there has never been any.
  var transactionWatch: TransactionWatch?

  /// Whether such work has to be told of savepoints and of the end of transactions.
  var watchesTransactions: Bool {
    get { has(Concern.transactions) }
    set { note(Concern.transactions, newValue) }
  }

  /// Whether something has to be noted of each statement that starts.
  @inline(__always)
  var followsStatements: Bool { has(Concern.tracker | Concern.transactions) }

  /// What can stop the work of the connection from another thread, if a queue owns it.
  var alarm: Alarm? {
    didSet {
      note(Concern.alarm, alarm != nil)
      unsafe alarmReference = alarm.map { unsafe Unmanaged.passUnretained($0) }
    }
  }
  /// The same, to be looked at without counting a reference.
  private(set) var alarmReference: Unmanaged<Alarm>?

  /// Whether nothing at all keeps statements from running.
  @inline(__always)
  var isQuiet: Bool {
    guard !has(~Concern.quiet) else { return false }
    guard has(Concern.alarm), let alarm = unsafe alarmReference else { return true }
    return unsafe alarm._withUnsafeGuaranteedRef { alarm in
      alarm.signs.load(ordering: .acquiring) == 0
        && alarm.holder.load(ordering: .relaxed) == sluice_current_thread()
    }
  }

  /// Whether a transaction is open that could not be rolled back where that was due.
  var owesRollback: Bool {
    get { has(Concern.owedRollback) }
    set { note(Concern.owedRollback, newValue) }
  }

  /// Whether the connection belongs to the process that this one was forked from.
  var isForked: Bool {
    get { has(Concern.fork) }
    set { note(Concern.fork, newValue) }
  }

  /// Tells of forks, as long as this lives.
  var forkWatch: OpaquePointer?

  deinit { unsafe sluice_forget_forks(forkWatch) }

  /// Whether anything may wait to be let go of before a statement starts.
  @inline(__always)
  var hasLeftovers: Bool { has(Concern.orphans | Concern.hooks) }

  /// Whether anything has to be seen to from one row to the next, where observers are told nothing, none is let
  /// go of, and an alarm is not asked: SQLite is.
  @inline(__always)
  var hasConcernsBetweenRows: Bool {
    has(~(Concern.tracker | Concern.alarm | Concern.hooks | Concern.transactions))
  }

  /// Whether anything has to be seen to when a scope begins or ends.
  @inline(__always)
  var hasConcernsOfScopes: Bool { has(~(Concern.alarm | Concern.hooks)) }

  /// How many statements are being compiled, and virtual tables made, which keep modules from changes.
  var compilations = 0

  /// Whether a collation compares, or a hook is running.
  private var isComparing: Bool { concerns >= Concern.comparison }

  @inline(__always)
  func beginComparison() { concerns &+= Concern.comparison }

  @inline(__always)
  func endComparison() { concerns &-= Concern.comparison }

  /// How many hooks are running in which SQLite can do nothing else.
  private var hookDepth = 0

  /// Runs what SQLite has called in the middle of its work; nothing else can be done meanwhile.
  func inHook<T>(_ body: () -> T) -> T {
    beginComparison()
    hookDepth += 1
    defer {
      hookDepth -= 1
      endComparison()
    }
    return body()
  }

  /// Why nothing can be done with the connection for a while, although it runs nothing.
  var suspension: Suspension? {
    didSet {
      if oldValue != nil { endComparison() }
      if suspension != nil { beginComparison() }
    }
  }

  enum Suspension: String {
    case takesBackup = "A backup is written into this connection"
    case isLent = "Bytes of a database of this connection are lent"
  }

  /// Runs what SQLite calls when a commit is done, and with it the scope and the writing that it ends.
  func outsideScopes(_ body: () -> Void) {
    let (depth, failure, running) = (scopeDepth, brokenScope, runningWrites)
    scopeDepth = 0
    brokenScope = nil
    writes &-= running
    defer {
      scopeDepth = depth
      brokenScope = failure
      writes &+= running
    }
    body()
  }

  /// Runs what has to succeed, past the hooks that could refuse it.
  func cleaningUp<T>(_ body: () throws -> T) rethrows -> T {
    let old = isCleaningUp
    isCleaningUp = true
    if !old { alarm?.shield() }
    defer {
      isCleaningUp = old
      if !old { alarm?.unshield(isRunning: callDepth > 0) }
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
  /// What `incidents` was after the last rollback, by whatever way.
  private var lastRollback = 0
  /// Grows with each rollback.
  var rollbackCount: Int { lastRollback }
  /// What functions that are running have added to their results.
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
    didSet { note(Concern.hooks, cancellations != nil) }
  }
  /// Called after each rollback.
  var rolledBack: (() -> Void)?
  /// Who is told of rows before they change: SQLite has room for hooks or for sessions, not for both.
  var preUpdateUser: PreUpdateUser?

  enum PreUpdateUser { case hooks, sessions }

  /// What C has let go of, until the call in which it did so has returned.
  ///
  /// SQLite lets go of a closure in the middle of its work on what the closure is for. Were it
  /// released there and then, the deinit of what it has captured could call that very thing.
  private var released: [AnyBox] = []
  /// Whether the connection is there that they belong to.
  private(set) var isOpen = true

  func release(_ box: AnyBox) {
    guard isOpen else { return }
    released.append(box)
    hasReleased = true
  }

  /// Lets go of what C has let go of, and of what that lets go of in turn.
  func drain() {
    while hasReleased {
      let boxes = released
      released = []
      hasReleased = false
      withExtendedLifetime(boxes) {}
    }
  }

  /// Drains for the last time: from now on, all is released at once.
  func close() {
    isOpen = false
    drain()
  }

  /// How many tokenizers are running, of which one calls the other.
  private(set) var tokenizerDepth = 0

  /// How locks are waited for, if it can.
  ///
  /// It is the last property, as the size of an instant is known only at run time: the places of all properties that
  /// came after it would have to be looked up.
  var lockWait = LockWait()

  /// Runs a tokenizer; nothing else can be done with the connection meanwhile.
  func inTokenizer<T>(_ body: () throws -> T) rethrows -> T {
    beginComparison()
    tokenizerDepth += 1
    defer {
      tokenizerDepth -= 1
      endComparison()
    }
    return try body()
  }

  /// Lets go of what C has let go of, unless a call of SQLite's is under way, and tells observers of a
  /// commit.
  @inline(__always)
  func drainOutside() {
    if has(Concern.released | Concern.commit | Concern.transactions) { settle() }
  }

  @inline(never)
  private func settle() {
    if hasCommitted { tracker?.flush() }
    if watchesTransactions { transactionWatch?.settle() }
    if callDepth == 0 { drain() }
  }

  /// Whether SQLite is in the middle of something that stands no change.
  ///
  /// What belongs to another process stands none either.
  var isMidway: Bool {
    isComparing || isSupplyingCollation || isPlanning || isInFileSystem || isForked
  }

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
    throw SQLiteError(.abortRollback, "A function has rolled back the statement that calls it")
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
      { me in unsafe Unmanaged<Callbacks>.fromOpaque(me!).takeUnretainedValue().noteRollback() }, me
    )
  }

  /// Refuses what would pull the ground from SQLite in the middle of its work: it stands neither
  /// statements nor new functions while it compares or calls a hook, nor while it compiles what refers
  /// to old ones.
  @inline(__always)
  func refuseChanges(addingCollation: Bool = false) throws {
    guard has(~Concern.harmless) else { return }
    try refuseChangesNow(addingCollation: addingCollation)
  }

  @inline(never)
  private func refuseChangesNow(addingCollation: Bool) throws {
    try refuseStrangers()
    if let suspension {
      throw SQLiteError(.misuse, "\(suspension.rawValue): nothing else can be done now")
    }
    if tokenizerDepth > 0 {
      throw SQLiteError(.misuse, "A tokenizer is running: nothing else can be done now")
    }
    if isComparing {
      let what = hookDepth > 0 ? "A hook is running" : "A collation compares"
      throw SQLiteError(.misuse, "\(what): nothing else can be done now")
    }
    if isSupplyingCollation && !addingCollation {
      throw SQLiteError(.misuse, "A collation is needed: nothing but adding it can be done now")
    }
    if reachesFileSystem {
      if isInFileSystem {
        throw SQLiteError(.misuse, "A file system is at work: its connection cannot be used now")
      }
      // What went wrong before, and has been got over, is nothing that went wrong now.
      if sluice_is_in_file_system() == 0 { _ = unsafe sluice_take_failure(0) }
    }
    if isPlanning {
      throw SQLiteError(.misuse, "A virtual table makes a plan: nothing else can be done now")
    }
  }

  /// Refuses what a virtual table cannot do while it connects: the statement that is being compiled
  /// stands no change of the schema, and no end of a transaction.
  func refuseWrites() throws {
    guard isConnecting else { return }
    throw SQLiteError(.misuse, "A virtual table connects: nothing but reading can be done now")
  }
}
