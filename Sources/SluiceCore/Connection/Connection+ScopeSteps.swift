import CSluice

extension Connection {
  /// Sees to it that a step that undoes something is there when it is needed, whatever hooks say.
  @inline(__always)
  func prepareStep(_ step: ScopeStep) throws {
    if !scopeStatements.has(step) { try compileAhead(step) }
  }

  @inline(never)
  private func compileAhead(_ step: ScopeStep) throws {
    try cleaningUp {
      try following(step, isRunning: false) { unsafe keep(try compile(step), for: step) }
    }
  }

  /// Begins or ends a scope, past the watch that is kept on statements.
  func take(_ step: ScopeStep) throws {
    guard state.hasConditionsOfScopes else { return try run(step) }
    // One that writes would become a part of the transaction, or keep it from ending.
    finalizeOrphans()
    if state.watchesTransactions { state.transactionWatch?.tellEnds() }
    try state.requireWriting()
    try following(step) { try run(step) }
    if state.watchesTransactions, let (depth, isRolledBack) = step.savepointEnd {
      state.transactionWatch?.endScope(depth, isRolledBack: isRolledBack)
    }
  }

  /// Runs SQL that begins a scope inside of another.
  func takeOnce(_ sql: String) throws {
    // It is not a part of a statement that calls a function that does this.
    try following(nil) {
      try unsafe callSQLite(sql: sql) { handle in unsafe sqlite3_exec(handle, sql, nil, nil, nil) }
    }
  }

  private func following(
    _ step: ScopeStep?, isRunning: Bool = true, _ body: () throws -> Void
  ) rethrows {
    guard let tracker = state.tracker else { return try body() }
    try tracker.taking(step?.savepointStep, isRunning: isRunning, body)
  }

  private func run(_ step: ScopeStep) throws {
    let statement = try unsafe takeStatement(for: step) ?? compile(step)
    do {
      try unsafe callSQLite(sql: step.sql) { _ in
        let code = unsafe sqlite3_step(statement)
        let end = unsafe sqlite3_reset(statement)
        return code == SQLITE_DONE ? end : code
      }
    } catch {
      // Which databases can be written was looked up when it was compiled.
      if step.beginsTransaction {
        unsafe sqlite3_finalize(statement)
      } else {
        unsafe keep(statement, for: step)
      }
      throw step.explained(error)
    }
    unsafe keep(statement, for: step)
  }

  @inline(__always)
  private func takeStatement(for step: ScopeStep) throws -> OpaquePointer? {
    // An authorizer is asked each time.
    if let hooks, !hooks.authorizer.isEmpty, !state.isCleaningUp { return nil }
    guard let statement = unsafe scopeStatements.take(step) else { return nil }
    guard step.locksDatabases, try unsafe !scopeStatements.knowsDatabases(of: handle(), for: step)
    else { return unsafe statement }
    unsafe sqlite3_finalize(statement)
    return nil
  }

  @inline(never)
  private func compile(_ step: ScopeStep) throws -> OpaquePointer {
    let sql = step.sql
    var statement: OpaquePointer?
    try unsafe callSQLite(sql: sql) { handle in
      if step.locksDatabases { unsafe scopeStatements.noteDatabases(of: handle, for: step) }
      return unsafe sqlite3_prepare_v3(
        handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    }
    guard let statement = unsafe statement else {
      throw SQLiteError(.noMemory, "No memory", sql: sql)
    }
    return unsafe statement
  }

  @inline(__always)
  private func keep(_ statement: OpaquePointer, for step: ScopeStep) {
    if unsafe !scopeStatements.put(statement, for: step) { unsafe sqlite3_finalize(statement) }
  }
}
