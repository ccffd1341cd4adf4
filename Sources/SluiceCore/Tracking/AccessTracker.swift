import CSluice

/// A tracker of a connection's reads and writes, on which the connection's observers rely.
///
/// SQLite reports only some of the rows that change. It does not report rows of tables without a rowid, rows that
/// `REPLACE` displaces, or a `DELETE` without `WHERE`. The tracker therefore collects the reads and writes of
/// each statement, which the authorizer reports when SQLite prepares the statement. A statement that has run
/// counts as having performed all of these reads and writes. Statements that were prepared before the tracking
/// began are re-prepared.
@safe final class AccessTracker {
  private let handle: OpaquePointer
  private let state: ConnectionState
  private let number: UInt64
  /// The observers of commits; nil on a connection that only reads.
  var commits: CommitCenter?
  /// The reads and writes of the statement that SQLite is preparing or running.
  private var target: StatementAccess?
  /// The number of tracked statements that are running.
  private var running = 0
  private var pending = PendingChanges()
  /// The region that the current fetch has read so far.
  private var region: ReadRegion?
  /// The savepoint step that a scope is performing; the tracker ignores the authorizer's report of this step.
  private var stepTaken: SavepointStep?
  /// Whether the tracker is running one of its own queries.
  private(set) var isAsking = false
  /// The data version, which shows whether other connections have written; nil if it could not be read.
  private var dataVersion: Int64?

  init(_ handle: OpaquePointer, _ connection: Connection) {
    unsafe self.handle = handle
    state = connection.state
    number = connection.number
  }

  /// Records an access that the authorizer reports.
  func tell(_ access: StatementAccess.Access) {
    if let target { return target.add(access) }
    // The tracker's own queries are prepared and run immediately, and are not observed.
    guard !isAsking else { return }
    switch access {
    case .read, .count, .vacuum: break
    case .step(let step): if step != stepTaken { pending.apply(step) }
    case .write, .update, .alter, .set:
      let access = collected(access)
      pending.add(access)
    }
  }

  private func collected(_ access: StatementAccess.Access) -> TableChangeSummary {
    // Only a query can determine whether an update displaces rows, and no query can run here, so assume that
    // all rows of the table may have changed.
    if case .update(_, let table, _) = access {
      var changes = TableChangeSummary()
      changes.insert(rowsOf: table)
      return changes
    }
    let collector = StatementAccess()
    collector.add(access)
    return collector.writes
  }

  /// Calls `body`, and adds to `access` all accesses that are reported during the call.
  func collecting<T>(for access: StatementAccess?, _ body: () throws -> T) rethrows -> T {
    let outer = target
    target = access
    defer { target = outer }
    return try body()
  }

  /// Calls `body`, which prepares or runs the statement of a scope's savepoint step.
  ///
  /// The authorizer reports the step only when the statement is prepared, and a prepared statement can run many
  /// times. The step is therefore recorded here, each time that the statement runs.
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
    let rollbacks = state.results.lastRollback
    running += 1
    let result = Result { try collecting(for: access, body) }
    running -= 1
    // Running the statement may have released an object whose deinit closed the connection.
    guard state.tracker === self else { return try result.get() }
    if region != nil, !isFailure(result) { complete(access, statement) }
    guard state.tracker === self else { return try result.get() }
    region?.formUnion(access.reads)
    let isDone = if case .success(false) = result { true } else { false }
    for step in access.steps where isDone { pending.apply(step) }
    if !access.writes.isEmpty, state.results.lastRollback == rollbacks || !isFailure(result) {
      let hasChanged = unsafe sqlite3_total_changes64(handle) != changes
      let isOnRow = if case .success(true) = result { true } else { false }
      if isOnRow || hasChanged || access.isSilent {
        note(access, statement.connection)
      }
    }
    if isDone, access.isVacuum {
      pending.add(.everything)
      state.hasCommitted = true
    }
    flush()
    return try result.get()
  }

  private func isFailure(_ result: Result<Bool, any Error>) -> Bool {
    if case .failure = result { true } else { false }
  }

  private func note(_ access: StatementAccess, _ connection: Connection) {
    // If no write transaction is open, and none was committed, the statement has written nothing: for example,
    // a CREATE TABLE IF NOT EXISTS for a table that exists.
    let isWriting = unsafe sqlite3_txn_state(handle, nil) == SQLITE_TXN_WRITE
    guard isWriting || state.hasCommitted else { return }
    widen(access, connection)
    pending.add(access.writes)
  }

  /// Runs code that uses the C handle, so that its statements do not pass through `run(_:_:)`.
  func runUnseen<T>(_ body: () throws -> T) rethrows -> T {
    let access = StatementAccess()
    let changes = unsafe sqlite3_total_changes64(handle)
    defer {
      region?.formUnion(access.reads)
      for step in access.steps { pending.apply(step) }
      // A statement that was prepared before the tracking began has reported no access, so also compare the
      // change count.
      if unsafe !access.writes.isEmpty || sqlite3_total_changes64(handle) != changes {
        pending.add(.everything)
      }
    }
    return try collecting(for: access, body)
  }

  /// Records a write that does not use SQL.
  func note(rowsOf table: String, schema: String) {
    var changes = TableChangeSummary()
    changes.insert(rowsOf: TableKey(database(schema), table))
    pending.add(changes)
  }

  /// Reports that the whole database may have changed.
  func noteEverything() { commits?.tell(.everything) }

  func noteRollback() {
    pending.removeAll()
    state.hasCommitted = false
  }

  /// Reports the changes of a commit, if one has occurred.
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

  /// Returns an identifier of the database `schema`: its file path, or a string that no other connection uses.
  func database(_ schema: String) -> String {
    guard let path = unsafe sqlite3_db_filename(handle, schema), unsafe path[0] != 0 else {
      return "#\(number).\(schema.withoutCase)"
    }
    return unsafe String(cString: path)
  }
}

extension AccessTracker {
  /// Starts recording reads.
  func beginReading() { region = ReadRegion() }

  /// Stops recording reads, and returns the region that was read.
  func endReading() -> ReadRegion {
    defer { region = nil }
    return region ?? ReadRegion()
  }

  /// Runs one of the tracker's own queries, which is not tracked.
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

  /// Returns whether other connections have written, or may have written, since the last call.
  func othersHaveWritten(_ connection: Connection) -> Bool {
    // If the version cannot be read because the database is locked, the next call of this method reads it again.
    let version = try? asking {
      try connection.first(.column(.int64), sql: "PRAGMA main.data_version")
    }
    defer { dataVersion = version }
    return version == nil || version != dataVersion
  }
}

extension AccessTracker {
  /// Records an access that the authorizer reports, with the arguments of the C callback.
  func tell(
    _ code: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ schema: UnsafePointer<CChar>?, _ source: UnsafePointer<CChar>?
  ) {
    if unsafe source != nil { target?.readsView = true }
    func key() -> TableKey { unsafe TableKey(database(text(schema)), text(first)) }
    switch code {
    case SQLITE_READ:
      // If a query reads no column of a table, SQLite reports the names of the table and its database as the
      // query spells them. If the query does not name the database, that name is missing.
      guard let schema = unsafe schema else { return unsafe tell(.count(text(first).withoutCase)) }
      unsafe tell(
        .read(TableKey(database(text(schema)), text(first)), column: text(second)))
    case SQLITE_INSERT, SQLITE_DELETE:
      let name = unsafe text(schema)
      if name.isNameOfVacuum, database(name).first == "#" { tell(.vacuum) }
      tell(.write(key()))
    case SQLITE_UPDATE:
      unsafe tell(.update(schema: text(schema), key(), column: text(second)))
    case SQLITE_ALTER_TABLE: unsafe tell(.alter(database: database(text(first))))
    // A new index can return rows in another order, or with other equal keys, than the damaged or outdated one.
    case SQLITE_REINDEX: unsafe tell(.alter(database: database(text(schema))))
    case SQLITE_SELECT: target?.isComplete = false
    case SQLITE_SAVEPOINT:
      if let step = unsafe SavepointStep(text(first), text(second)) { tell(.step(step)) }
    case SQLITE_PRAGMA:
      let schema = unsafe schema.map { unsafe text($0) } ?? "main"
      let pragma = unsafe TableKey(pragma: text(first), of: database(schema))
      // SQLite reports setting a pragma in the same way as querying it, but with a value.
      tell(.read(pragma, column: ""))
      if unsafe second != nil && pragma.isHeaderNumber || pragma.removesPages {
        tell(.set(pragma))
      }
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
  /// Marks all rows of a table as changed if an update can affect more than the updated columns.
  ///
  /// With `OR REPLACE`, an update of a unique column can displace rows. The effects of an update on generated
  /// columns, or in a virtual table, are unknown.
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
      // An update of the rowid, under any of its three names, can also displace rows.
      let isSpecial = columns.lazy.map(\.withoutCase).contains {
        special.contains($0) || rowidNames.contains($0)
      }
      if isSpecial || special.contains("") { access.widenToAllRows(of: table) }
    }
  }

  /// Returns the columns whose update can displace other rows; an empty name stands for every column.
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

extension AccessTracker {
  /// Adds the reads of a query that SQLite does not report.
  private func complete(_ access: StatementAccess, _ statement: Statement) {
    guard !access.isComplete else { return }
    do {
      let columns = try asking {
        try JoinedTables(statement.connection, access.readsView ? access.reads : nil, database)
          .columns(of: statement.sql)
      }
      for (table, column) in columns { access.add(.read(table, column: column)) }
      access.isComplete = true
    } catch { region?.insertEverything() }
  }
}

extension Connection {
  /// Starts tracking reads and writes, and reports commits to `commits`.
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
      // Statements that were prepared earlier report their accesses only when they are re-prepared.
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

extension String {
  /// Whether `VACUUM` gives this name to the database that it fills.
  ///
  /// Since SQLite 3.53, the name ends with a random number.
  fileprivate var isNameOfVacuum: Bool {
    self == "vacuum_db"
      || hasPrefix("vacuum_") && utf8.count == 23 && dropFirst(7).allSatisfy(\.isHexDigit)
  }
}
