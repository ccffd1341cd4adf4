import CSluice

// SQLite can roll back by itself, for example when the disk is full. If the body of a transaction went
// on after that, what it writes next would be committed at once, statement by statement. So once a
// transaction has ended before its body has, every further statement of the body throws.

/// How the transaction stands that closures run in.
enum ScopeState {
  /// Statements run.
  case sound
  /// It has ended before the outermost closure that runs in it has: each statement throws the reason.
  case broken(any Error)
  /// It could not be rolled back after its closure: the next statement does that first.
  case owesRollback

  var refusesStatements: Bool { if case .sound = self { false } else { true } }
}

/// One transaction or savepoint that a closure runs in.
@usableFromInline struct TransactionScope: Sendable {
  /// The number of the connection that began it.
  fileprivate let connection: UInt64
  /// How many scopes are around it, by which its savepoint is named; nil for a transaction.
  fileprivate let savepoint: Int?
  /// The connection's count of writes when it began.
  fileprivate let writes: Int
}

extension Connection {
  /// Begins a transaction, or a savepoint if that is asked for or there is a transaction.
  @usableFromInline
  func begin(
    _ kind: TransactionKind, isSavepoint: Bool = false, name: String? = nil
  ) throws -> TransactionScope {
    try refuseStatements()
    try endImplicitTransaction()
    if state.scopeDepth == 0 { state.hasUncertainCommit = false }
    // What undoes the scope is there before it begins: later there may be no memory for it.
    try prepareStep(.rollback)
    if !isSavepoint && isInAutocommit {
      try take(.begin(kind))
      state.scopeDepth += 1
      return TransactionScope(connection: number, savepoint: nil, writes: state.writeCount)
    }
    let depth = state.scopeDepth
    try prepareStep(.rollBackTo(depth))
    try prepareStep(.release(depth))
    try take(.savepoint(depth))
    let scope = TransactionScope(connection: number, savepoint: depth, writes: state.writeCount)
    state.scopeDepth += 1
    guard let name else { return scope }
    do { try takeOnce("SAVEPOINT \(quoted(identifier: name))") } catch {
      abandon(scope)
      throw error
    }
    transactionWatch.apply(.begin(name.withoutCase))
    return scope
  }

  /// Commits what statements that were left half way have written by themselves: the transaction
  /// that begins would take it in, and with it undo what was done before.
  func endImplicitTransaction() throws {
    guard isInAutocommit else { return }
    guard state.runningWrites == 0 else {
      throw SQLiteError(
        .misuse, "A transaction cannot begin in a callback of a statement that writes or commits")
    }
    if state.standingWriters > 0 { try endWriters() }
  }

  @inline(never)
  private func endWriters(from depth: Int = 0) throws {
    for statement in writers where statement.depth >= depth { try statement.end() }
  }

  /// Ends a scope as its body has decided; if this throws, the scope is still to be abandoned.
  @usableFromInline
  func end(_ scope: TransactionScope, _ command: TransactionCommand) throws {
    do { try endOnce(scope, command) } catch {
      // A stop that comes after the outermost body has returned does not discard what it has read.
      guard case SQLiteError.interrupt = error, state.isStopped, state.scopeDepth == 1,
        number == scope.connection, command == .rollback || scope.writes == state.writeCount
      else { throw error }
      try cleaningUp {
        forgetInterruption()
        try endOnce(scope, command)
      }
      // Closures that wait for the commit do not run while this cleans up.
      state.settle()
    }
  }

  private func endOnce(_ scope: TransactionScope, _ command: TransactionCommand) throws {
    guard number == scope.connection else {
      throw SQLiteError(.misuse, "The body replaced its connection with another one")
    }
    _ = try unsafe handle()
    try refuseStatements()
    // A writer that was started outside keeps the scope from ending, which SQLite reports.
    if state.standingWriters > 0 { try endWriters(from: state.scopeDepth) }
    switch (scope.savepoint, command) {
    case (nil, .commit): try commit(by: .commit)
    case (nil, .rollback): try take(.rollback)
    case (let depth?, .commit): try commit(by: .release(depth))
    case (let depth?, .rollback):
      try take(.rollBackTo(depth))
      try take(.release(depth))
    }
    leave()
  }

  /// Undoes what a scope did, after a failure that the caller reports.
  @usableFromInline
  func abandon(_ scope: TransactionScope) {
    guard number == scope.connection else { return }
    defer { leave() }
    guard isOpen, !isInAutocommit else { return }
    cleaningUp { undo(scope) }
  }

  private func undo(_ scope: TransactionScope) {
    // What fails here has failed together with the scope.
    for statement in writers { try? statement.end() }
    guard let depth = scope.savepoint else { return rollBackAll() }
    do {
      try take(.rollBackTo(depth))
      try take(.release(depth))
    } catch {
      // The savepoint is gone, and with it the way to undo its part alone: undo all.
      if case .sound = state.scopeState { state.scopeState = .broken(error) }
      if state.scopeDepth == 1 { rollBackAll() }
    }
  }

  /// Rolls back the transaction; if even this fails, nothing else is done in it: see `rollBackOwed()`.
  private func rollBackAll() {
    do { try take(.rollback) } catch  where !isInAutocommit {
      forgetBrokenScope()
      state.scopeState = .owesRollback
    } catch {
      // SQLite has ended the transaction despite the error.
    }
  }

  /// Rolls back the transaction that is open, or leaves that to the next statement.
  func rollBackOwed() throws {
    if !isInAutocommit {
      state.scopeState = .owesRollback
      try cleaningUp { try take(.rollback) }
    }
    state.scopeState = .sound
    state.settle()
  }

  /// Commits, and takes note if nobody knows what has become of it: the transaction has gone, and
  /// SQLite says that it failed.
  private func commit(by step: ScopeStep) throws {
    do { try take(step) } catch {
      if isInAutocommit { state.hasUncertainCommit = true }
      throw error
    }
  }

  private func leave() {
    state.scopeDepth -= 1
    scopeStatements.leave(state.scopeDepth)
    if state.scopeDepth == 0 { forgetBrokenScope() }
    // What has come back while SQLite committed or rolled back.
    defer { state.settle() }
    // What the body did by SQL may have ended the transaction around this scope as well.
    noteEnd()
  }

  /// Forgets why the transaction ended, together with the outermost body that ran in it.
  @inline(__always)
  private func forgetBrokenScope() {
    guard case .broken(let error) = state.scopeState else { return }
    state.releaseLater([error])
    state.scopeState = .sound
  }

  /// Throws what keeps statements from running: that the transaction has ended before the body
  /// that runs in it, or that SQLite is in the middle of something.
  @inline(__always)
  func refuseStatements() throws {
    if !state.isQuiet { try refuseStatementsNow() }
  }

  @inline(never)
  private func refuseStatementsNow() throws {
    try state.refuseStrangers()
    switch state.scopeState {
    case .sound: break
    case .broken(let error): throw error
    case .owesRollback: try rollBackOwed()
    }
    if state.interruptState != nil { try state.refuseStopped() }
    try state.require(.use)
  }

  /// Looks, after a statement has ended, whether the transaction that it ran in still exists.
  ///
  /// It has to be asked after each: which errors roll back is not to be told from their codes.
  func noteEnd(after error: (any Error)? = nil) {
    guard state.scopeDepth > 0, case .sound = state.scopeState, isInAutocommit else { return }
    state.scopeState = .broken(
      error
        ?? SQLiteError(
          .misuse, "The transaction was ended inside its body by COMMIT or ROLLBACK"))
  }
}
