import CSluice

/// A connection's cache of the prepared statements that begin and end scopes.
///
/// A running statement is not in the cache, because code that SQLite calls during a commit can run its own
/// transaction, and must not use the running statement for that transaction.
@safe struct ScopeStatements {
  /// The statements, indexed by `ScopeStep.place`.
  private var statements: [OpaquePointer?] = unsafe []
  /// The number of databases when each locking `BEGIN` statement was compiled; 0 if the number is unknown.
  private var databaseCounts: (immediate: Int32, exclusive: Int32) = (0, 0)

  func has(_ step: ScopeStep) -> Bool {
    unsafe step.place < statements.count && statements[step.place] != nil
  }

  /// Removes and returns the statement for a step, or returns nil if there is none.
  @inline(__always)
  mutating func take(_ step: ScopeStep) -> OpaquePointer? {
    guard unsafe step.place < statements.count, let statement = unsafe statements[step.place] else {
      return nil
    }
    unsafe statements[step.place] = nil
    return unsafe statement
  }

  /// Stores a statement for a step, and returns whether it was stored; false if there already is a statement.
  @inline(__always)
  mutating func put(_ statement: OpaquePointer, for step: ScopeStep) -> Bool {
    if unsafe step.place >= statements.count { makePlace(for: step) }
    guard unsafe statements[step.place] == nil else { return false }
    unsafe statements[step.place] = statement
    return true
  }

  @inline(never)
  private mutating func makePlace(for step: ScopeStep) {
    while unsafe statements.count <= step.place { unsafe statements.append(nil) }
  }

  /// Finalizes the statements of a deeply nested scope, because the cache would otherwise grow without limit.
  @inline(__always)
  mutating func leave(_ depth: Int) {
    if depth >= 8 { removeAll(from: ScopeStep.savepoint(depth).place) }
  }

  mutating func removeAll() { removeAll(from: 0) }

  @inline(never)
  private mutating func removeAll(from place: Int) {
    while unsafe statements.count > place { unsafe sqlite3_finalize(statements.removeLast()) }
  }
}

extension ScopeStatements {
  /// Records how many databases there are when a statement is compiled.
  fileprivate mutating func noteDatabases(of connection: OpaquePointer, for step: ScopeStep) {
    var count: Int32 = 0
    while unsafe sluice_db_name(connection, count) != nil { count += 1 }
    if step == .begin(.immediate) {
      databaseCounts.immediate = count
    } else {
      databaseCounts.exclusive = count
    }
  }

  /// Returns whether the number of databases is the same as when the statement was compiled.
  ///
  /// SQLite automatically recompiles all statements when a database is detached, but not when one is attached.
  /// If the number is unknown, the statement is compiled each time.
  fileprivate func knowsDatabases(of connection: OpaquePointer, for step: ScopeStep) -> Bool {
    let count = step == .begin(.immediate) ? databaseCounts.immediate : databaseCounts.exclusive
    return unsafe count > 0 && sluice_db_name(connection, count - 1) != nil
      && sluice_db_name(connection, count) == nil
  }
}

/// A statement that begins or ends a transaction or savepoint for a closure.
struct ScopeStep: Equatable {
  /// The index in `ScopeStatements`: the first five indexes are for transactions, and the next ones for savepoints,
  /// three for each depth.
  let place: Int

  static func begin(_ kind: TransactionKind) -> ScopeStep {
    switch kind {
    case .deferred: ScopeStep(place: 0)
    case .immediate: ScopeStep(place: 1)
    case .exclusive: ScopeStep(place: 2)
    }
  }

  static var commit: ScopeStep { ScopeStep(place: 3) }
  static var rollback: ScopeStep { ScopeStep(place: 4) }

  /// Returns the step that begins a savepoint; `depth` is the number of scopes that enclose the savepoint.
  static func savepoint(_ depth: Int) -> ScopeStep { ScopeStep(place: 5 + 3 * depth) }
  static func release(_ depth: Int) -> ScopeStep { ScopeStep(place: 6 + 3 * depth) }
  static func rollBackTo(_ depth: Int) -> ScopeStep { ScopeStep(place: 7 + 3 * depth) }

  fileprivate var beginsTransaction: Bool { place < 3 }

  /// Whether the statement locks only the databases that were attached when the statement was compiled.
  fileprivate var locksDatabases: Bool { place == 1 || place == 2 }

  var sql: String {
    switch place {
    case 0: "BEGIN DEFERRED"
    case 1: "BEGIN IMMEDIATE"
    case 2: "BEGIN EXCLUSIVE"
    case 3: "COMMIT"
    case 4: "ROLLBACK"
    // Only the library uses this name, so SQL in the body that uses the user's name for the savepoint cannot end the
    // scope.
    default: ["SAVEPOINT", "RELEASE", "ROLLBACK TO"][(place - 5) % 3] + " \"\(name)\""
    }
  }

  /// The operation on a savepoint that observers see; nil for a transaction.
  fileprivate var savepointStep: SavepointStep? {
    guard place >= 5 else { return nil }
    return switch (place - 5) % 3 {
    case 0: .begin(name)
    case 1: .release(name)
    default: .rollBack(name)
    }
  }

  /// The depth of the savepoint that the step releases or rolls back, and whether it rolls back; otherwise nil.
  fileprivate var savepointEnd: (depth: Int, isRolledBack: Bool)? {
    guard place >= 5, (place - 5) % 3 > 0 else { return nil }
    return ((place - 5) / 3, (place - 5) % 3 == 2)
  }

  /// The name of the savepoint.
  private var name: String { "sluice \((place - 5) / 3)" }

  /// Returns the error to throw for the step, without the savepoint name that only the library uses.
  fileprivate func explained(_ error: any Error) -> any Error {
    guard let error = error as? SQLiteError, error.message.hasPrefix("no such savepoint: ") else {
      return error
    }
    return SQLiteError(
      .misuse,
      "The savepoint was ended inside its body by SQL that released or rolled back an outer one")
  }
}

extension Connection {
  /// Compiles a step in advance, so that hooks cannot refuse the step when it must undo changes.
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

  /// Begins or ends a scope, without the tracking that applies to other statements.
  func perform(_ step: ScopeStep) throws {
    guard state.hasConditionsOfScopes else { return try run(step) }
    // A writing statement or blob whose end was deferred would become part of a transaction that begins, or keep a
    // transaction from ending.
    finishDeferred()
    if state.watchesTransactions { state.watchers.transactions?.tellEnds() }
    try state.requireWriting()
    try following(step) { try run(step) }
    if state.watchesTransactions, let (depth, isRolledBack) = step.savepointEnd {
      state.watchers.transactions?.endScope(depth, isRolledBack: isRolledBack)
    }
  }

  /// Executes SQL for a savepoint, without caching the statement.
  func performOnce(_ sql: String) throws {
    // If an SQL function runs the scope, the scope's SQL is not part of the statement that calls the function.
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
      // SQLite determines the writable databases when it compiles a `BEGIN` statement, so the next attempt must
      // compile a new one.
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
    // SQLite calls the authorizer only when it compiles a statement, so a cached statement cannot be used.
    if let hooks, !hooks.authorizer.isEmpty, !state.calls.isCleaningUp { return nil }
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
      throw SQLiteError(.noMemory, "Out of memory", sql: sql)
    }
    return unsafe statement
  }

  @inline(__always)
  private func keep(_ statement: OpaquePointer, for step: ScopeStep) {
    if unsafe !scopeStatements.put(statement, for: step) { unsafe sqlite3_finalize(statement) }
  }
}
