extension Connection {
  /// The hooks of the open connection, to add to.
  func hooksToChange() throws -> Hooks {
    _ = try unsafe handle()
    try state.require(.use)
    settleHooks()
    let hooks = self.hooks ?? Hooks(self)
    self.hooks = hooks
    return hooks
  }

  /// Adds an observer to those of a hook.
  func observe<Event: ~Copyable, Answer>(
    _ observers: ReferenceWritableKeyPath<Hooks, Observers<Event, Answer>>, wish: Int = 0,
    _ body: @escaping (borrowing Event) throws -> Answer
  ) throws -> HookToken {
    let hooks = try hooksToChange()
    let observer = hooks.observer(wish: wish, body)
    hooks[keyPath: observers].add(observer)
    try unsafe hooks.install(handle())
    return observer.token
  }

  /// Lets go of the observers that have been cancelled.
  @inline(__always)
  func settleHooks() {
    guard let hooks, let handle = unsafe rawHandle else { return }
    unsafe hooks.settle(handle)
  }

  /// Ends what waits for the end of a transaction, as the connection has closed.
  func dropTransactionWatch() {
    state.watchesTransactions = false
    state.transactionWatch.take()?.closed()
  }

  /// Lets go of all observers, after SQLite has closed.
  func dropHooks() {
    let old = hooks
    hooks = nil
    state.rolledBack = nil
    dropTransactionWatch()
    // Those who observe fetch once more, and hear that the connection is closed.
    state.tracker?.commits?.end()
    state.tracker = nil
    state.cancellations = nil
    state.preUpdateUser = nil
    // What is released only here may come back to the property.
    withExtendedLifetime(old) {}
  }
}
