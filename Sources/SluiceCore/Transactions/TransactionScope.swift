import CSluice

// SQLite can roll back automatically, for example when the disk is full. If the body of a transaction continued,
// each further statement that writes would commit immediately. Therefore, if a transaction ends before its body has
// returned, every further statement of the body throws.

/// The state of the transaction in which closures run.
enum ScopeState {
  /// Statements can run.
  case sound
  /// The transaction ended before its outermost closure returned: each statement throws the reason.
  case broken(any Error)
  /// The closure has ended, but the transaction could not be rolled back.
  ///
  /// The rollback is retried before the next statement.
  case owesRollback

  var refusesStatements: Bool { if case .sound = self { false } else { true } }
}

/// A transaction or savepoint in which a closure runs.
@usableFromInline struct TransactionScope: Sendable {
  /// The number of the connection that began the scope.
  fileprivate let connection: UInt64
  /// The number of scopes that enclose a savepoint, which determines the savepoint's name; nil for a transaction.
  fileprivate let savepoint: Int?
  /// The connection's count of writes when the scope began.
  fileprivate let writes: Int
}

extension Connection {
  /// Begins a transaction, or a savepoint if a transaction is open.
  ///
  /// A scope outside a transaction is never a savepoint, because SQLite commits a savepoint that is rolled back and
  /// released, and calls the commit hook. With a `name`, the scope also contains a savepoint of that name.
  @usableFromInline
  func begin(_ kind: TransactionKind, name: String? = nil) throws -> TransactionScope {
    try refuseStatements()
    try endImplicitTransaction()
    if state.scope.depth == 0 { state.scope.hasUncertainCommit = false }
    // The rollback is compiled before the scope begins, because memory may run out later.
    try prepareStep(.rollback)
    let depth = isInAutocommit ? nil : state.scope.depth
    if let depth {
      try prepareStep(.rollBackTo(depth))
      try prepareStep(.release(depth))
      try perform(.savepoint(depth))
    } else {
      // SQLite would go on writing to a deleted file, whose content is lost when it is closed.
      if let refusal = state.writes.policy.movedFile, try hasFileMoved() { throw refusal }
      try perform(.begin(kind))
    }
    let scope = TransactionScope(connection: number, savepoint: depth, writes: state.writes.begun)
    state.scope.depth += 1
    guard let name else { return scope }
    do { try performOnce("SAVEPOINT \(quoted(identifier: name))") } catch {
      abandon(scope)
      throw error
    }
    transactionWatch.apply(.begin(name.withoutCase))
    return scope
  }

  /// Ends the statements that are writing outside a transaction, which commits their changes.
  ///
  /// Otherwise, the transaction that is about to begin would include these changes, and a rollback would undo them.
  func endImplicitTransaction() throws {
    guard isInAutocommit else { return }
    guard state.writes.running == 0 else {
      throw SQLiteError(
        .misuse, "A transaction cannot begin in a callback of a statement that writes or commits")
    }
    if state.live.standingWriters > 0 { try endWriters() }
  }

  @inline(never)
  private func endWriters(from depth: Int = 0) throws {
    for statement in writers where statement.depth >= depth { try statement.end() }
  }

  /// Ends a scope as `command` specifies; if this throws, the caller must still abandon the scope.
  @usableFromInline
  func end(_ scope: TransactionScope, _ command: TransactionCommand) throws {
    do { try endOnce(scope, command) } catch {
      // If the work is stopped only after the outermost body has returned, and there is nothing to commit, the scope
      // still ends, so that the values that the body has read are not discarded.
      guard case SQLiteError.interrupt = error, state.isStopped, state.scope.depth == 1,
        number == scope.connection, command == .rollback || scope.writes == state.writes.begun
      else { throw error }
      try cleaningUp {
        forgetInterruption()
        try endOnce(scope, command)
      }
      // The closures that wait for the commit run now, because they must not run during the cleanup.
      state.settle()
    }
  }

  private func endOnce(_ scope: TransactionScope, _ command: TransactionCommand) throws {
    guard number == scope.connection else {
      throw SQLiteError(.misuse, "The closure replaced its connection with another one")
    }
    _ = try unsafe handle()
    try refuseStatements()
    // Only the writing statements and blobs that were started in the scope end here. One that was
    // started outside the scope keeps the scope from ending, which SQLite reports as an error.
    if state.live.standingWriters > 0 { try endWriters(from: state.scope.depth) }
    switch (scope.savepoint, command) {
    case (nil, .commit): try commit(by: .commit)
    case (nil, .rollback): try perform(.rollback)
    case (let depth?, .commit): try commit(by: .release(depth))
    case (let depth?, .rollback):
      try perform(.rollBackTo(depth))
      try perform(.release(depth))
    }
    leave()
  }

  /// Undoes the changes of a scope, after a failure that the caller reports.
  @usableFromInline
  func abandon(_ scope: TransactionScope) {
    guard number == scope.connection else { return }
    defer { leave() }
    guard isOpen, !isInAutocommit else { return }
    cleaningUp { undo(scope) }
  }

  private func undo(_ scope: TransactionScope) {
    // A writer's error is ignored, because it is part of the failure that the caller reports.
    for statement in writers { try? statement.end() }
    guard let depth = scope.savepoint else { return rollBackAll() }
    do {
      try perform(.rollBackTo(depth))
      try perform(.release(depth))
    } catch {
      // The savepoint no longer exists, so only the whole transaction can be rolled back.
      if case .sound = state.scopeState { state.scopeState = .broken(error) }
      if state.scope.depth == 1 { rollBackAll() }
    }
  }

  /// Rolls back the transaction.
  ///
  /// If the rollback fails, no statement runs in the transaction before `rollBackOwed()` succeeds.
  private func rollBackAll() {
    do { try perform(.rollback) } catch  where !isInAutocommit {
      forgetBrokenScope()
      state.scopeState = .owesRollback
    } catch {
      // SQLite has ended the transaction despite the error.
    }
  }

  /// Rolls back the open transaction; if this fails, the rollback is retried before the next statement.
  func rollBackOwed() throws {
    if !isInAutocommit {
      state.scopeState = .owesRollback
      try cleaningUp { try perform(.rollback) }
    }
    state.scopeState = .sound
    state.settle()
  }

  /// Commits, and records whether the outcome is unknown.
  ///
  /// The outcome is unknown if SQLite reports a failure although the transaction has ended. A translator, whose tables
  /// commit first, knows the outcome itself.
  private func commit(by step: ScopeStep) throws {
    do { try perform(step) } catch {
      if isInAutocommit, translator == nil { state.scope.hasUncertainCommit = true }
      throw error
    }
  }

  private func leave() {
    state.scope.depth -= 1
    scopeStatements.leave(state.scope.depth)
    if state.scope.depth == 0 { forgetBrokenScope() }
    // Objects whose release was deferred while SQLite committed or rolled back can then be released.
    defer { state.settle() }
    // SQL in the body may also have ended the transaction that encloses this scope.
    noteEnd()
  }

  /// Discards the reason why the transaction ended early, once its outermost body has ended.
  @inline(__always)
  private func forgetBrokenScope() {
    guard case .broken(let error) = state.scopeState else { return }
    state.releaseLater([error])
    state.scopeState = .sound
  }

  /// Throws an error with the reason if statements cannot run now.
  ///
  /// The transaction may have ended before its body has returned, or an SQLite call in progress may permit no
  /// statements.
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

  /// Checks, after a statement has ended, whether its transaction still exists, and records if it does not.
  ///
  /// The check is necessary after each statement, because error codes do not reveal which errors roll back.
  func noteEnd(after error: (any Error)? = nil) {
    guard state.scope.depth > 0, case .sound = state.scopeState, isInAutocommit else { return }
    state.scopeState = .broken(
      error
        ?? SQLiteError(
          .misuse, "The transaction was ended inside its body by COMMIT or ROLLBACK"))
  }
}
