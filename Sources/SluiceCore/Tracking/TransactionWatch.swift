import CSluice

/// The closures and followers that wait for the end of a transaction, and the savepoints that can undo parts of
/// it.
///
/// A connection creates its watch when it first needs one. The watch is notified only while there are such closures
/// or followers, or an open savepoint that SQL began. A scope, which is a transaction or savepoint around a Swift
/// closure, is not listed here, because its depth identifies it.
@safe final class TransactionWatch {
  /// The connection, unretained because it outlives this object.
  private let owner: Unmanaged<Connection>
  private let reference: Unmanaged<ConnectionState>
  /// The open savepoints that SQL began, each with the number of scopes around it.
  private var savepoints: [(name: String, scopes: Int)] = []
  private var closures = TransactionLog<(Connection) -> Void>()
  private(set) var followers: [any TransactionFollower] = []
  /// The closures that notify followers that a transaction has ended.
  private var ends: [(Connection) -> Void] = []
  /// The closures of committed transactions that must still run, in order.
  private var due: [(Connection) -> Void] = []
  private var isRunning = false

  init(_ connection: Connection) {
    unsafe owner = Unmanaged.passUnretained(connection)
    unsafe reference = Unmanaged.passUnretained(connection.state)
  }

  private var connection: Connection { unsafe owner.takeUnretainedValue() }
  private var state: ConnectionState { unsafe reference.takeUnretainedValue() }

  /// The current place in the transaction.
  var place: TransactionPlace {
    TransactionPlace(
      scopes: state.scope.depth, savepoints: savepoints.count, calls: state.calls.depth)
  }

  func add(_ closure: @escaping (Connection) -> Void) {
    closures.append(closure, at: place)
    note()
  }

  func add(_ follower: any TransactionFollower) {
    followers.append(follower)
    note()
  }

  /// Removes the followers that have been cancelled.
  func removeCancelled() {
    let gone = followers.filter(\.isCancelled)
    guard !gone.isEmpty else { return }
    followers.removeAll(where: \.isCancelled)
    state.releaseLater(gone)
    note()
  }

  private func note() {
    state.watchesTransactions =
      !savepoints.isEmpty || !closures.isEmpty || !followers.isEmpty || !ends.isEmpty
      || !due.isEmpty
  }
}

// Undone parts of a transaction.
extension TransactionWatch {
  /// Tracks SQL that begins or ends a savepoint.
  func apply(_ step: SavepointStep) {
    switch step {
    case .begin(let name): savepoints.append((name, state.scope.depth))
    case .release(let name):
      guard let index = index(of: name) else { return }
      savepoints.removeSubrange(index...)
      move { $0.savepoints = min($0.savepoints, index) }
    case .rollBack(let name):
      guard let index = index(of: name) else { return }
      savepoints.removeSubrange((index + 1)...)
      undo { $0.savepoints > index }
    }
    note()
  }

  private func index(of name: String) -> Int? { savepoints.lastIndex { $0.name == name } }

  /// Tracks the end of a scope that is a savepoint, with `depth` scopes around it.
  func endScope(_ depth: Int, isRolledBack: Bool) {
    while let last = savepoints.last, last.scopes > depth { savepoints.removeLast() }
    if isRolledBack {
      undo { $0.scopes > depth }
    } else {
      let count = savepoints.count
      move { place in
        place.scopes = min(place.scopes, depth)
        place.savepoints = min(place.savepoints, count)
      }
    }
    note()
  }

  private func undo(where isUndone: (TransactionPlace) -> Bool) {
    state.releaseLater(closures.removeLast(where: isUndone))
    for follower in followers {
      follower.undo(state, where: isUndone)
      // The undone part may contain an ALTER TABLE, so the names may have changed back.
      follower.forgetNames()
    }
  }

  private func move(_ move: (inout TransactionPlace) -> Void) {
    closures.moveLast(move)
    for follower in followers { follower.move(move) }
  }

  func begin(_ statement: Statement) {
    let start = StatementStart(ObjectIdentifier(statement), calls: state.calls.depth)
    closures.begin(start)
    for follower in followers { follower.begin(start) }
  }

  /// Discards the entries of a failed statement, unless its conflict clause is FAIL.
  func fail(_ statement: Statement) {
    // If no write transaction is open, the statement's transaction has ended, and the hooks have reported its
    // end.
    guard let handle = unsafe connection.rawHandle,
      unsafe sqlite3_txn_state(handle, nil) == SQLITE_TXN_WRITE
    else { return }
    // If SQLite has undone the statement, its change count is 0.
    guard unsafe sqlite3_changes64(handle) == 0 || !statement.countsChanges else { return }
    let identifier = ObjectIdentifier(statement)
    state.releaseLater(closures.undo(identifier).map(\.entry))
    for follower in followers {
      follower.undo(state, identifier) { connection.mayKeepChanges(of: statement) }
    }
    note()
  }

  /// Reports that the content of a database has been replaced without a commit.
  func replaceContent(of schema: String) {
    for follower in followers { follower.contentWasReplaced(in: schema) }
  }

  func forgetNames() { for follower in followers { follower.forgetNames() } }
}

// The end of a transaction.
extension TransactionWatch {
  /// Called in the commit hook, in the middle of an SQLite call.
  func prepareCommit() throws {
    for follower in followers where !follower.isCancelled { try follower.prepareCommit() }
  }

  /// Called in the rollback hook, in the middle of an SQLite call.
  func rolledBack() {
    savepoints = []
    state.releaseLater(closures.takeAll())
    for follower in followers {
      follower.removeAll(state)
      follower.forgetNames()
      if !follower.isCancelled, let closure = follower.rolledBack() { ends.append(closure) }
    }
    note()
  }

  /// Called after a commit; schedules the closures of the transaction to run.
  func committed() {
    savepoints = []
    for follower in followers {
      if !follower.isCancelled, let closure = follower.committed() { ends.append(closure) }
      follower.removeAll(state)
      follower.forgetNames()
    }
    due += closures.takeAll()
  }

  /// Called after each statement and scope; runs the closures that are due, if the connection can be used.
  func settle() {
    guard let handle = unsafe connection.rawHandle, !state.isForked, connection.isInAutocommit
    else { return }
    // In autocommit mode, an open write transaction belongs to a statement that is still writing, so it is not
    // committed yet.
    if unsafe sqlite3_txn_state(handle, nil) != SQLITE_TXN_WRITE { committed() }
    runDue()
    note()
  }

  /// Notifies followers of transactions that have ended, before the next transaction begins.
  func tellEnds() {
    while !ends.isEmpty, canRun { ends.removeFirst()(connection) }
  }

  private func runDue() {
    tellEnds()
    guard !isRunning else { return }
    isRunning = true
    defer { isRunning = false }
    while !due.isEmpty, canRun { due.removeFirst()(connection) }
  }

  private var canRun: Bool {
    state.calls.depth == 0 && state.scope.depth == 0 && !state.calls.isCleaningUp && !state.isMidway
      && connection.isOpen && connection.isInAutocommit
  }

  /// Called after the connection has closed.
  func closed() {
    for follower in followers { follower.closed() }
    followers = []
    ends = []
    due = []
    _ = closures.takeAll()
    note()
  }
}

extension Statement {
  /// Whether SQLite can count the rows that the statement changes: whether its first word is that of a statement that
  /// changes rows.
  fileprivate var countsChanges: Bool {
    let first = SQLToken.tokens(of: sql).first
    return ["insert", "update", "delete", "replace", "with"].contains { first?.is($0) == true }
  }
}

extension Connection {
  /// Returns whether a failed statement may keep its changes.
  ///
  /// This is possible only if the word FAIL is in the SQL of the statement or in the schema.
  fileprivate func mayKeepChanges(of statement: Statement) -> Bool {
    guard !statement.sql.withoutCase.contains("fail") else { return true }
    do {
      for database in try askSchema("PRAGMA database_list", column: 1) {
        let sql = "SELECT sql FROM \(try quoted(identifier: database)).sqlite_schema"
        if try askSchema(sql, column: 0).contains(where: { $0.withoutCase.contains("fail") }) {
          return true
        }
      }
      return false
    } catch {
      return true
    }
  }

  private func askSchema(_ sql: String, column: Int32) throws -> [String] {
    var values: [String] = []
    try state.cleaningUp {
      try unsafe RawQuery.run(sql, on: handle()) { row in
        values.append(unsafe RawQuery.text(row, column))
      }
    }
    return values
  }
}

extension Connection {
  /// The transaction watch, created on first use.
  var transactionWatch: TransactionWatch {
    if let watch = state.watchers.transactions { return watch }
    let watch = TransactionWatch(self)
    state.watchers.transactions = watch
    return watch
  }
}
