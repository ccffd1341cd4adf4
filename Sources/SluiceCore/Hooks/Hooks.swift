import CSluice
import Synchronization

/// The observers of a connection, and the hooks that are installed in SQLite on their behalf.
///
/// SQLite has one slot for each kind of hook. The first observer installs the hook on behalf of all observers, and
/// the hook is uninstalled after the last observer has been removed.
@safe final class Hooks {
  let state: ConnectionState
  private let flag = CancellationFlag()
  /// The connection, which retains this object, and uninstalls the hooks before the connection is deallocated.
  private let owner: Unmanaged<Connection>

  var commit = Observers<Observer<Void, Void>>()
  var rollback = Observers<Observer<Void, Void>>()
  var update = Observers<Observer<RowChange, Void>>()
  var preUpdate = Observers<Observer<PendingRowChange, Void>>()
  var walCommit = Observers<WALObserver>()
  var progress = Observers<ProgressObserver>()
  var trace = Observers<TraceObserver>()
  var authorizer = Observers<Observer<AuthorizationRequest, Authorization>>()
  var busy: Observer<Int, Bool>?
  var autovacuum: Observer<Autovacuum, Int>?

  /// The number of WAL frames at which SQLite's automatic checkpoint runs; 0 for none.
  var checkpointFrames: Int32 = 0
  private var installed: Set<Kind> = []
  private var progressInterval = 0
  private var traceEvents = 0

  private enum Kind { case commit, update, preUpdate, walCommit, authorizer }

  init(_ connection: Connection) {
    state = connection.state
    unsafe owner = Unmanaged.passUnretained(connection)
    state.cancellations = flag
  }

  var connection: Connection { unsafe owner.takeUnretainedValue() }

  /// The context that SQLite passes to each hook, and that `at(_:)` accepts.
  var pointer: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  static func at(_ pointer: UnsafeMutableRawPointer?) -> Hooks {
    unsafe Unmanaged<Hooks>.fromOpaque(pointer!).takeUnretainedValue()
  }

  func observer<Event: ~Copyable, Answer>(
    _ body: @escaping (borrowing Event) throws -> Answer
  ) -> Observer<Event, Answer> {
    Observer(state, newToken(), body)
  }

  fileprivate func newToken() -> HookToken { HookToken(flag) }

  /// Removes and releases the observers that have been cancelled.
  func settle(_ handle: OpaquePointer) {
    guard flag.isSet.load(ordering: .relaxed), !state.isMidway else { return }
    _ = flag.isSet.exchange(false, ordering: .acquiringAndReleasing)
    let authorizers = authorizer.removeCancelled()
    let gone =
      commit.removeCancelled() + rollback.removeCancelled() + update.removeCancelled()
      + preUpdate.removeCancelled() + walCommit.removeCancelled() + progress.removeCancelled()
      + trace.removeCancelled() + authorizers
    unsafe install(handle)
    // Statements contain the decisions of the authorizers that existed when they were prepared.
    if !authorizers.isEmpty { unsafe recompileStatements(handle) }
    state.watchers.transactions?.removeCancelled()
    for observer in gone { state.release(observer) }
    state.settle()
  }

  /// Installs the hooks that have observers, and uninstalls those that no longer have any.
  func install(_ handle: OpaquePointer) {
    let isVetoing = !update.isEmpty || !preUpdate.isEmpty
    let isTracking = state.tracker != nil
    set(.commit, !commit.isEmpty || isVetoing || isTracking) {
      unsafe installCommitHook(handle, $0)
    }
    set(.update, !update.isEmpty) { unsafe installUpdateHook(handle, $0) }
    set(.preUpdate, !preUpdate.isEmpty) { unsafe installPreUpdateHook(handle, $0) }
    set(.walCommit, !walCommit.isEmpty) { unsafe installWALHook(handle, $0) }
    set(.authorizer, !authorizer.isEmpty || isTracking) { unsafe installAuthorizer(handle, $0) }
    state.watchers.rolledBack = rollback.isEmpty ? nil : { [unowned self] in tellRollback() }
    let interval = progress.all.map(\.interval).min() ?? 0
    if interval != progressInterval { unsafe installProgressHandler(handle, interval) }
    progressInterval = interval
    let events = trace.all.reduce(0) { $0 | $1.events }
    if events != traceEvents { unsafe installTrace(handle, events) }
    traceEvents = events
  }

  private func set(_ kind: Kind, _ isWanted: Bool, _ install: (Bool) -> Void) {
    guard installed.contains(kind) != isWanted else { return }
    if isWanted { installed.insert(kind) } else { installed.remove(kind) }
    install(isWanted)
  }

  /// The number of SQLite instructions between two calls of the progress handler.
  var interval: Int { progressInterval }

  /// Uninstalls the hooks that could use a connection that is being deallocated.
  ///
  /// Commits, row changes, and the closing of the connection are still reported.
  func retire(_ handle: OpaquePointer) {
    progress = Observers()
    authorizer = Observers()
    walCommit = Observers()
    busy = nil
    state.tracker = nil
    unsafe install(handle)
    unsafe sqlite3_busy_handler(handle, nil, nil)
  }

  /// Uninstalls all hooks from a connection that is being deallocated, but that SQLite could not close.
  func uninstall(_ handle: OpaquePointer) {
    commit = Observers()
    rollback = Observers()
    update = Observers()
    preUpdate = Observers()
    trace = Observers()
    unsafe retire(handle)
    unsafe sqlite3_autovacuum_pages(handle, nil, nil, nil)
  }
}

extension Connection {
  /// Returns the hooks of the open connection, to which observers can be added.
  func hooksToChange() throws -> Hooks {
    try requireLocal(.hooks)
    _ = try unsafe handle()
    try state.require(.use)
    settleHooks()
    let hooks = self.hooks ?? Hooks(self)
    self.hooks = hooks
    return hooks
  }

  /// Adds an observer to a hook.
  func observe<Event: ~Copyable, Answer>(
    _ observers: ReferenceWritableKeyPath<Hooks, Observers<Observer<Event, Answer>>>,
    _ body: @escaping (borrowing Event) throws -> Answer
  ) throws -> HookToken {
    try observe(observers) { Observer($0, $1, body) }
  }

  /// Adds to a hook the observer that `make` returns.
  func observe<Member: AnyObserver>(
    _ observers: ReferenceWritableKeyPath<Hooks, Observers<Member>>,
    _ make: (ConnectionState, HookToken) -> Member
  ) throws -> HookToken {
    let hooks = try hooksToChange()
    let observer = make(state, hooks.newToken())
    hooks[keyPath: observers].add(observer)
    try unsafe hooks.install(handle())
    return observer.token
  }

  /// Removes and releases the observers that have been cancelled.
  @inline(__always)
  func settleHooks() {
    guard let hooks, let handle = unsafe rawHandle else { return }
    unsafe hooks.settle(handle)
  }

  /// Ends all work that waits for the end of a transaction, because the connection has closed.
  func dropTransactionWatch() {
    state.watchesTransactions = false
    state.watchers.transactions.take()?.closed()
  }

  /// Releases all observers, after SQLite has closed the connection.
  func dropHooks() {
    let old = hooks
    hooks = nil
    state.watchers.rolledBack = nil
    dropTransactionWatch()
    // This makes query observations fetch once more, and the fetch throws because the connection is closed.
    state.tracker?.commits?.end()
    state.tracker = nil
    state.cancellations = nil
    state.watchers.preUpdates.user = nil
    // The old hooks are released last, because their deinits may access the property `hooks` again.
    withExtendedLifetime(old) {}
  }
}
