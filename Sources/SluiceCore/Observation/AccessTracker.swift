import CSluice

/// Follows what a connection reads and writes, for those who observe it.
///
/// SQLite tells of rows only in part: not of tables without a rowid, not of those that `REPLACE` displaces
/// or a `DELETE` without `WHERE` sweeps away. So the statements are asked what they do, which
/// the authorizer tells when they are compiled, and what has run is taken to have done it. What was
/// compiled before is compiled anew.
@safe final class AccessTracker {
  private let handle: OpaquePointer
  private let state: ConnectionState
  private let number: UInt64
  /// Who hears of commits; nil on a connection that only reads.
  var commits: CommitCenter?
  /// What is being collected about the statement that SQLite compiles or runs.
  private var target: StatementAccess?
  /// How many statements are running that are followed.
  private var running = 0
  private var pending = PendingChanges()
  /// What the fetch that is under way has read so far.
  private var region: ReadRegion?
  /// The step of a scope that is being taken, which is known.
  private var stepTaken: SavepointStep?
  /// Whether this asks the connection something for itself.
  private var isAsking = false
  /// What tells whether other connections have written; nil if it could not be asked.
  private var dataVersion: Int64?

  init(_ handle: OpaquePointer, _ connection: Connection) {
    unsafe self.handle = handle
    state = connection.state
    number = connection.number
  }

  /// Takes down what the authorizer is asked.
  func tell(_ access: StatementAccess.Access) {
    if let target { return target.add(access) }
    // It is compiled by SQLite itself, and runs at once.
    guard !isAsking else { return }
    switch access {
    case .read, .count: break
    case .step(let step): if step != stepTaken { pending.apply(step) }
    case .write, .update, .alter, .set:
      let access = collected(access)
      pending.add(access)
    }
  }

  private func collected(_ access: StatementAccess.Access) -> ChangeSet {
    // Which rows an update displaces is found out by asking, which cannot be done here.
    if case .update(_, let table, _) = access {
      var changes = ChangeSet()
      changes.insert(rowsOf: table)
      return changes
    }
    let collector = StatementAccess()
    collector.add(access)
    return collector.writes
  }

  /// Collects what is told while `body` compiles a statement, or runs what is none of ours.
  func collecting<T>(for access: StatementAccess?, _ body: () throws -> T) rethrows -> T {
    let outer = target
    target = access
    defer { target = outer }
    return try body()
  }

  /// Takes a step of a scope, which is told only when it is compiled.
  func taking(_ step: SavepointStep?, isRunning: Bool, _ body: () throws -> Void) rethrows {
    let outer = stepTaken
    stepTaken = step
    defer { stepTaken = outer }
    if isRunning, let step { pending.apply(step) }
    try collecting(for: nil, body)
  }

  /// Runs a statement from its start to its first row or its end.
  func run(_ statement: Statement, _ body: () throws -> Bool) throws -> Bool {
    guard !isAsking else { return try body() }
    let access = statement.access ?? StatementAccess()
    statement.access = access
    let changes = unsafe sqlite3_total_changes64(handle)
    let rollbacks = state.rollbackCount
    running += 1
    let result = Result { try collecting(for: access, body) }
    running -= 1
    // What was let go of meanwhile may have closed the connection.
    guard state.tracker === self else { return try result.get() }
    region?.formUnion(access.reads)
    let isDone = if case .success(false) = result { true } else { false }
    for step in access.steps where isDone { pending.apply(step) }
    if !access.writes.isEmpty, state.rollbackCount == rollbacks || !isFailure(result) {
      let hasChanged = unsafe sqlite3_total_changes64(handle) != changes
      let isOnRow = if case .success(true) = result { true } else { false }
      if isOnRow || hasChanged || access.isSilent {
        note(access, statement.connection)
      }
    }
    flush()
    return try result.get()
  }

  private func isFailure(_ result: Result<Bool, any Error>) -> Bool {
    if case .failure = result { true } else { false }
  }

  private func note(_ access: StatementAccess, _ connection: Connection) {
    // A CREATE TABLE IF NOT EXISTS may have found that there was nothing to do.
    let isWriting = unsafe sqlite3_txn_state(handle, nil) == SQLITE_TXN_WRITE
    guard isWriting || state.hasCommitted else { return }
    refine(access, connection)
    pending.add(access.writes)
  }

  /// Runs code that compiles and runs statements of its own.
  func runUnseen<T>(_ body: () throws -> T) rethrows -> T {
    let access = StatementAccess()
    let changes = unsafe sqlite3_total_changes64(handle)
    defer {
      region?.formUnion(access.reads)
      for step in access.steps { pending.apply(step) }
      // One that was compiled before has told nothing.
      if unsafe !access.writes.isEmpty || sqlite3_total_changes64(handle) != changes {
        pending.add(.everything)
      }
    }
    return try collecting(for: access, body)
  }

  /// Notes what is written without SQL.
  func note(rowsOf table: String, schema: String) {
    var changes = ChangeSet()
    changes.insert(rowsOf: TableKey(database(schema), table))
    pending.add(changes)
  }

  /// Tells that the whole database is another one.
  func noteEverything() { commits?.tell(.everything) }

  func noteRollback() {
    pending.removeAll()
    state.hasCommitted = false
  }

  /// Tells of what has been committed, if it has.
  func flush() {
    guard running == 0, !isAsking, state.hasCommitted,
      unsafe sqlite3_get_autocommit(handle) != 0
    else {
      return
    }
    state.hasCommitted = false
    let changes = pending.takeAll()
    if !changes.isEmpty { commits?.tell(changes) }
  }

  /// What tells the database `schema` from all others, be it of another connection.
  func database(_ schema: String) -> String {
    guard let path = unsafe sqlite3_db_filename(handle, schema), unsafe path[0] != 0 else {
      return "#\(number).\(schema.withoutCase)"
    }
    return unsafe String(cString: path)
  }
}

extension AccessTracker {
  /// From now on, what is read is taken down.
  func beginReading() { region = ReadRegion() }

  /// What was read since.
  func endReading() -> ReadRegion {
    defer { region = nil }
    return region ?? ReadRegion()
  }

  /// Asks the connection something that is not to be followed.
  func asking<T>(_ body: () throws -> T) rethrows -> T {
    let (outer, target) = (isAsking, self.target)
    isAsking = true
    self.target = nil
    defer {
      isAsking = outer
      self.target = target
    }
    return try body()
  }

  /// Whether other connections have written since it was asked last, or may have.
  func othersHaveWritten(_ connection: Connection) -> Bool {
    // A version that cannot be asked now, because the database is locked, is asked again.
    let version = try? asking {
      try connection.first(.column(.int64), sql: "PRAGMA main.data_version")
    }
    defer { dataVersion = version }
    return version == nil || version != dataVersion
  }
}
