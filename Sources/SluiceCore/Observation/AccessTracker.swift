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
  /// The reads and writes of the statement that SQLite compiles or runs.
  private var target: StatementAccess?
  /// How many statements are running that are followed.
  private var running = 0
  private var pending = PendingChanges()
  /// The region that the current fetch has read so far.
  private var region: ReadRegion?
  /// The step of a scope that is being taken, which is known.
  private var stepTaken: SavepointStep?
  /// Whether this asks the connection something for itself.
  private var isAsking = false
  /// The data version, which tells whether other connections have written; nil if it could not be read.
  private var dataVersion: Int64?

  init(_ handle: OpaquePointer, _ connection: Connection) {
    unsafe self.handle = handle
    state = connection.state
    number = connection.number
  }

  /// Takes down what the authorizer is asked.
  func tell(_ access: StatementAccess.Access) {
    if let target { return target.add(access) }
    // The statements of a question are compiled and run at once, and observe nothing.
    guard !isAsking else { return }
    switch access {
    case .read, .count: break
    case .step(let step): if step != stepTaken { pending.apply(step) }
    case .write, .update, .alter, .set:
      let access = collected(access)
      pending.add(access)
    }
  }

  private func collected(_ access: StatementAccess.Access) -> TableChangeSummary {
    // Which rows an update displaces is found out by asking, which cannot be done here.
    if case .update(_, let table, _) = access {
      var changes = TableChangeSummary()
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
    widen(access, connection)
    pending.add(access.writes)
  }

  /// Runs code that compiles and runs statements of its own.
  func runUnseen<T>(_ body: () throws -> T) rethrows -> T {
    let access = StatementAccess()
    let changes = unsafe sqlite3_total_changes64(handle)
    defer {
      region?.formUnion(access.reads)
      for step in access.steps { pending.apply(step) }
      // A statement that was compiled before the observation has reported no access.
      if unsafe !access.writes.isEmpty || sqlite3_total_changes64(handle) != changes {
        pending.add(.everything)
      }
    }
    return try collecting(for: access, body)
  }

  /// Notes what is written without SQL.
  func note(rowsOf table: String, schema: String) {
    var changes = TableChangeSummary()
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

  /// Returns the identity of the database `schema`, which is unique among all connections.
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

  /// Returns the region that was read since.
  func endReading() -> ReadRegion {
    defer { region = nil }
    return region ?? ReadRegion()
  }

  /// Asks the connection something that is not to be followed.
  private func asking<T>(_ body: () throws -> T) rethrows -> T {
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

extension AccessTracker {
  /// Takes down what the authorizer is asked, as C has it.
  func tell(
    _ code: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ schema: UnsafePointer<CChar>?
  ) {
    func key() -> TableKey { unsafe TableKey(database(text(schema)), text(first)) }
    switch code {
    case SQLITE_READ:
      // Of a table without any of its columns, SQLite tells the name as it stands in the query.
      guard let schema = unsafe schema else { return unsafe tell(.count(text(first).withoutCase)) }
      unsafe tell(
        .read(TableKey(database(text(schema)), text(first)), column: text(second)))
    case SQLITE_INSERT, SQLITE_DELETE: tell(.write(key()))
    case SQLITE_UPDATE:
      unsafe tell(.update(schema: text(schema), key(), column: text(second)))
    case SQLITE_ALTER_TABLE: unsafe tell(.alter(database: database(text(first))))
    case SQLITE_SAVEPOINT:
      if let step = unsafe SavepointStep(text(first), text(second)) { tell(.step(step)) }
    case SQLITE_PRAGMA:
      let schema = unsafe schema.map { unsafe text($0) } ?? "main"
      let pragma = unsafe TableKey(pragma: text(first), of: database(schema))
      // What is set is told as what is asked, but with a value.
      tell(.read(pragma, column: ""))
      if unsafe second != nil, pragma.isHeaderNumber { tell(.set(pragma)) }
    case SQLITE_ANALYZE:
      let database = unsafe database(schema.map { unsafe text($0) } ?? "main")
      for table in ["sqlite_stat1", "sqlite_stat4"] { tell(.set(TableKey(database, table))) }
    default: break
    }
  }

  private func text(_ text: UnsafePointer<CChar>?) -> String {
    unsafe text.map { unsafe String(cString: $0) } ?? ""
  }
}

extension AccessTracker {
  /// Finds out which of the updates of a statement can do more than to change their columns.
  ///
  /// One of a column that is unique can displace rows, with `OR REPLACE`. What is generated from a
  /// column, or what a virtual table makes of it, is not known.
  private func widen(_ access: StatementAccess, _ connection: Connection) {
    guard !access.isRefined else { return }
    access.isRefined = true
    for case (let table, let columns?) in access.writes.columns {
      let schema = access.schemas[table.database] ?? "main"
      guard let special = try? asking({ try specialColumns(of: table.table, schema, connection) })
      else {
        access.widenToAllRows(of: table)
        continue
      }
      // A rowid has three names.
      let isSpecial = columns.contains { special.contains($0.withoutCase) || isRowid($0) }
      if isSpecial || special.contains("") { access.widenToAllRows(of: table) }
    }
  }

  private func isRowid(_ column: String) -> Bool {
    ["rowid", "oid", "_rowid_"].contains(column.withoutCase)
  }

  /// The columns by which a row can displace others; an empty name if all updates are special.
  private func specialColumns(
    of table: String, _ schema: String, _ connection: Connection
  ) throws -> Set<String> {
    let names = try connection.query(
      .column(.optional(.string)),
      sql: """
        SELECT NULL FROM pragma_table_list
        WHERE schema = ?1 COLLATE NOCASE AND name = ?2 COLLATE NOCASE AND type = 'virtual'
        UNION ALL
        SELECT iif(hidden IN (2, 3), NULL, name) FROM pragma_table_xinfo(?2, ?1)
        WHERE pk > 0 OR hidden IN (2, 3)
        UNION ALL
        SELECT iif(list.partial, NULL, info.name)
        FROM pragma_index_list(?2, ?1) AS list, pragma_index_info(list.name, ?1) AS info
        WHERE list."unique"
        """, parameters: schema, table)
    return Set(names.map { $0?.withoutCase ?? "" })
  }
}

extension Connection {
  /// Follows what is read and written from now on, and tells `commits` of what was committed.
  @discardableResult
  func track(telling commits: CommitCenter? = nil) throws -> AccessTracker {
    let hooks = try hooksToChange()
    let tracker: AccessTracker
    if let known = state.tracker {
      tracker = known
    } else {
      let handle = try unsafe handle()
      tracker = unsafe AccessTracker(handle, self)
      state.tracker = tracker
      unsafe hooks.install(handle)
      unsafe hooks.recompileStatements(handle)
      // What was compiled before tells what it does only when it is compiled anew.
      clearStatementCache()
    }
    if let commits, tracker.commits == nil {
      tracker.commits = commits
      commits.begin()
      _ = tracker.othersHaveWritten(self)
    }
    return tracker
  }
}
