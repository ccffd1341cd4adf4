import SluiceCore

/// The work of one connection on the leader of a cluster.
///
/// The local transaction decides: the first statement in it begins a transaction on the leader, and its commit commits
/// there first.
final class ClusterSession: StatementTranslator {
  /// The kind of work of a session.
  enum Access { case reading, writing }

  private unowned let connection: Connection
  let directory: NodeDirectory
  private let database: String
  private let access: Access
  private let options: Cluster.Options
  /// The identity of the session in the table of commits.
  private let client: [UInt8] = (0..<16).map { _ in UInt8.random(in: 0...255) }
  private var node: NodeConnection?
  private var transaction = Transaction.none
  private var savepoints: [Savepoint] = []
  /// The result whose rows are still to come.
  private var pending: ResultRows?
  private var hasCurrentRow = false
  private var prepared: [String: SessionStatement] = [:]
  /// The number of the last transaction that wrote.
  private var number: Int64 = 0
  private var hasPruned = false
  private var repeats = Repeats()
  /// The pragmas that were set for the connection, which each new connection to a node needs.
  private var settings: [String: String] = [:]
  private(set) var changeCounts = (last: 0, total: 0)

  private enum Transaction {
    case none
    case open(hasWritten: Bool)
    /// The leader's transaction has ended before the local one: each statement throws the reason.
    case broken(any Error)
  }

  private struct Savepoint {
    let number: Int
    var isSent = false
  }

  /// The repetitions of a transaction.
  private struct Repeats {
    var since: ContinuousClock.Instant?
    var brokenCount = 0
  }

  init(
    _ connection: Connection, _ directory: NodeDirectory, _ database: String, _ access: Access,
    _ options: Cluster.Options
  ) throws {
    self.connection = connection
    self.directory = directory
    self.database = database
    self.access = access
    self.options = options
    try RemoteTables.add(to: connection, of: self)
    try JSONArray.addFunction(to: connection)
    connection.translator = self
  }
}

/// Statements before they run.
extension ClusterSession {
  func translate(_ sql: String, from start: Int) throws -> TranslatedStatement? {
    let (found, next) = try ClusterStatement.next(in: sql, from: start)
    guard let found else { return nil }
    if found.kind == .local {
      return TranslatedStatement(local: found.text, text: found.original, writes: false, next: next)
    }
    let statement = try prepare(found)
    return TranslatedStatement(
      local: statement.local, text: found.original, writes: found.kind != .read, next: next)
  }

  private func prepare(_ found: ClusterStatement) throws -> SessionStatement {
    if let known = prepared[found.text] { return known }
    if access == .reading, found.kind != .read {
      throw SQLiteError(.readOnly, "This access is read-only", sql: found.text)
    }
    let statement = try SessionStatement(found, columnNames: try columnNames(of: found))
    if prepared.count >= 512 { prepared.removeAll() }
    prepared[found.text] = statement
    return statement
  }

  /// Returns the names of the columns of a statement, for which it asks the leader.
  private func columnNames(of statement: ClusterStatement) throws -> [String] {
    guard let sql = statement.names else { return [] }
    return try answering(statement.text) {
      try request(isHarmless: true) { node, patience in
        let rows = try node.query(sql, [], patience)
        try rows.finish(patience)
        return rows.names
      }
    }
  }

  private func statement(for text: String) throws -> SessionStatement {
    if let known = prepared[text] { return known }
    guard let found = try ClusterStatement.next(in: text, from: 0).0 else {
      throw SQLiteError(.misuse, "The SQL contains no statement", sql: text)
    }
    return try prepare(found)
  }

  /// Forgets the columns of all statements, which a change of the schema may have changed.
  private func forgetColumns() {
    prepared.removeAll()
    connection.dropCachedStatements()
  }
}

/// Running statements.
extension ClusterSession {
  /// The rowid that the local connection reports.
  var lastInsertRowid: Int64 { connection.lastInsertRowid }

  /// Runs a statement without rows, and returns the rowid of the last inserted row.
  func write(_ text: String, _ values: [DatabaseValue]) throws -> Int64 {
    let statement = try statement(for: text)
    defer { if statement.changesSchema { forgetColumns() } }
    return try answering(text) {
      let result = try inTransaction(unless: statement.statement.runsOutsideTransactions) {
        let result = try request(isHarmless: false) { node, patience in
          try node.execute(statement.sent, values, patience)
        }
        noteWrite()
        return result
      }
      if let setting = statement.statement.setting { settings[setting.name] = setting.sql }
      count(result.changes)
      return result.lastInsertRowid == 0 ? lastInsertRowid : result.lastInsertRowid
    }
  }

  /// Runs a statement with rows, and returns them.
  ///
  /// Throws ``ResultCode/schema`` unless the rows have the number of columns with which the statement was prepared.
  func rows(of text: String, _ values: [DatabaseValue], width: Int) throws -> ResultRows {
    let statement = try statement(for: text)
    guard statement.columnCount == width else { throw schemaHasChanged(text: text) }
    return try answering(text) {
      guard statement.statement.kind == .returning else {
        return try result(of: statement, values, isHarmless: true)
      }
      return try inTransaction {
        let rows = try result(of: statement, values, isHarmless: false)
        try rows.keep(current: false)
        noteWrite()
        try readCounts()
        return rows
      }
    }
  }

  private func result(
    of statement: SessionStatement, _ values: [DatabaseValue], isHarmless: Bool
  ) throws -> ResultRows {
    let answer = try request(isHarmless: isHarmless) { node, patience in
      try node.query(statement.sent, values, patience)
    }
    let rows = ResultRows(answer, of: self)
    pending = rows
    hasCurrentRow = false
    guard answer.names.count == statement.columnCount else {
      rows.close()
      throw schemaHasChanged(text: statement.statement.text)
    }
    return rows
  }

  private func schemaHasChanged(text: String) -> SQLiteError {
    forgetColumns()
    return SQLiteError(.schema, "The columns of the statement have changed", sql: text)
  }

  private func count(_ changes: Int) {
    changeCounts.last = changes
    changeCounts.total += changes
  }

  /// Reads the counts of a statement that returned rows, whose answer does not contain them.
  private func readCounts() throws {
    let (rowid, changes) = try request(isHarmless: true) { node, patience in
      let rows = try node.query("SELECT last_insert_rowid(), changes()", [], patience)
      var counts: (Int64, Int64) = (0, 0)
      while try rows.next(patience) {
        if case .integer(let rowid) = try rows.value(at: 0),
          case .integer(let changes) = try rows.value(at: 1)
        {
          counts = (rowid, changes)
        }
      }
      return counts
    }
    if rowid != 0 { try connection.setLastInsertRowid(rowid) }
    count(Int(clamping: changes))
  }
}

/// Results whose rows are still to come.
extension ClusterSession {
  /// Reads from the answer of the leader.
  func reading(_ body: (Patience) throws -> Bool) throws -> Bool {
    do {
      let isThere = try body(patience())
      hasCurrentRow = isThere
      return isThere
    } catch { throw failed(error, isHarmless: true) }
  }

  func forget(_ rows: ResultRows) { if pending === rows { pending = nil } }

  /// Ends the reading of an answer; if it is long, the connection ends instead, unless a transaction needs it.
  func discard(_ rows: RemoteRows) {
    do {
      guard case .open = transaction else { return try rows.finish(patience()) }
      // The transaction needs the connection, even if the answer is long.
      while try rows.next(patience()) {}
    } catch {
      if case .open = transaction { transaction = .broken(failed(error, isHarmless: true)) }
    }
  }

  private func keepPending() throws {
    let rows = pending
    pending = nil
    try rows?.keep(current: hasCurrentRow)
  }
}

/// Requests.
extension ClusterSession {
  func patience(_ limit: Duration? = nil) -> Patience {
    Patience(deadline: .now + (limit ?? options.requestTimeout)) { [unowned connection] in
      try connection.throwIfStopped()
    }
  }

  /// Sends a request in the transaction if there is one, and returns the result of `body`.
  ///
  /// Outside a transaction, the request is repeated if the leader has changed; if its connection breaks, only a request
  /// that `isHarmless` is sent again, and only once.
  private func request<T>(
    isHarmless: Bool, _ body: (NodeConnection, Patience) throws -> T
  ) throws -> T {
    try keepPending()
    if !connection.isInAutocommit, case .none = transaction {
      try connection.withoutTranslator { try connection.execute(sql: RemoteTables.join) }
      if case .none = transaction { try start() }
    }
    switch transaction {
    case .broken(let error): throw error
    case .open:
      try sendSavepoints()
      guard let node else { throw ClusterError.interrupted("the connection was lost") }
      do { return try body(node, patience()) } catch { throw failed(error, isHarmless: isHarmless) }
    case .none: return try requestAlone(isHarmless: isHarmless, body)
    }
  }

  private func requestAlone<T>(
    isHarmless: Bool, _ body: (NodeConnection, Patience) throws -> T
  ) throws -> T {
    let limit = ContinuousClock.now + options.failoverTimeout
    var attempt = 0
    var isRepeated = false
    while true {
      do {
        return try body(leader(until: limit), patience())
      } catch let error as WireError {
        drop()
        switch error.effect {
        case .none:
          guard ContinuousClock.now < limit else { throw ClusterError.noLeader("\(error)") }
        case .busy:
          guard ContinuousClock.now < limit else { throw error.sqliteError }
        case .unknown where isHarmless && !isRepeated: isRepeated = true
        case .unknown:
          if !isHarmless { connection.noteUncertainCommit() }
          throw isHarmless
            ? ClusterError.interrupted("\(error)") : ClusterError.outcomeUnknown("\(error)")
        case .statement: throw error.sqliteError
        }
      }
      try pause(attempt)
      attempt += 1
    }
  }

  /// Returns the address of the node that has answered in the transaction, and the nodes that it knows.
  func leaderAndMembers() throws -> (NodeAddress, [NodeMember]) {
    try request(isHarmless: true) { node, patience in (node.address, try node.members(patience)) }
  }

  /// Sends a statement without an effect, which fails if the node has lost its leadership.
  func touch() throws {
    try request(isHarmless: true) { node, patience in
      try node.query("SELECT 1", [], patience).finish(patience)
    }
  }

  /// Returns the connection to the leader, which is established if it does not exist.
  private func leader(until limit: ContinuousClock.Instant) throws -> NodeConnection {
    if let node, node.isOpen { return node }
    var attempt = 0
    while true {
      do {
        let node = try directory.connect(to: database, patience())
        for setting in settings.values { _ = try node.execute(setting, [], patience()) }
        self.node = node
        return node
      } catch is WireError {
        try pause(attempt)
        attempt += 1
      } catch let error as ClusterError {
        guard ContinuousClock.now < limit else { throw error }
        try pause(attempt)
        attempt += 1
      }
    }
  }

  private func drop() {
    if let node { directory.forget(leader: node.address) }
    node?.close()
    node = nil
  }

  /// Waits before the next attempt, for a random time that grows with each attempt.
  private func pause(_ attempt: Int) throws {
    let longest = 1 << min(attempt, 6)
    try patience().sleep(for: .milliseconds(Int.random(in: (longest + 1) / 2...longest)))
  }

  /// Records the failure of a request in a transaction, and returns the error to throw.
  private func failed(_ error: any Error, isHarmless: Bool) -> any Error {
    guard let failure = error as? WireError else {
      // The work was stopped while an answer was outstanding.
      if node?.isOpen != true, case .open = transaction { transaction = .broken(error) }
      return error
    }
    guard case .statement = failure.effect else {
      if case .busy = failure.effect, node?.isOpen == true { return failure.sqliteError }
      let reason = ClusterError.interrupted("\(failure)")
      if case .broken = failure { repeats.brokenCount += 1 }
      drop()
      if case .open = transaction { transaction = .broken(reason) }
      return reason
    }
    let reason = failure.sqliteError
    if case .open = transaction, !transactionExists() { transaction = .broken(reason) }
    return reason
  }

  /// Returns whether the leader's transaction still exists: some errors roll it back.
  private func transactionExists() -> Bool {
    guard let node, node.isOpen else { return false }
    do {
      _ = try node.execute("BEGIN", [], patience())
      _ = try? node.execute("ROLLBACK", [], patience())
      return false
    } catch WireError.failure(_, let message) {
      return message.contains("within a transaction")
    } catch { return false }
  }

  /// Adds the SQL to an error of SQLite.
  private func answering<T>(_ text: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SQLiteError where error.sql == nil {
      if error.message.hasPrefix("table sluice_typed has ") { throw schemaHasChanged(text: text) }
      throw SQLiteError(error.code, error.message, sql: text)
    }
  }
}

/// Transactions.
extension ClusterSession {
  /// Called when the local transaction, or a statement outside a transaction, first writes to a table.
  func begin() throws {
    guard !connection.isInAutocommit, case .none = transaction else { return }
    try start()
  }

  private func noteWrite() {
    if case .open = transaction { transaction = .open(hasWritten: true) }
  }

  /// Begins a transaction on the leader.
  private func start() throws {
    let limit = ContinuousClock.now + options.failoverTimeout
    let busyLimit = ContinuousClock.now + options.busyTimeout
    var attempt = 0
    while true {
      do {
        let node = try leader(until: limit)
        let sql = access == .writing ? "BEGIN IMMEDIATE" : "BEGIN"
        _ = try node.execute(sql, [], patience())
        transaction = .open(hasWritten: false)
        return
      } catch let error as WireError {
        if case .busy = error.effect {
          guard ContinuousClock.now < busyLimit else { throw error.sqliteError }
        } else {
          // Nothing was written, so the transaction can begin elsewhere, whatever has happened to this request.
          drop()
          guard ContinuousClock.now < limit else { throw ClusterError.noLeader("\(error)") }
        }
      }
      try pause(attempt)
      attempt += 1
    }
  }

  /// Runs `body` in the transaction if there is one, or else in a transaction of its own.
  private func inTransaction<T>(
    unless runsAlone: Bool = false, _ body: () throws -> T
  ) throws -> T {
    guard connection.isInAutocommit, !runsAlone else { return try body() }
    var attempt = 0
    while true {
      do {
        try keepPending()
        try start()
        let value = try body()
        try commit()
        return value
      } catch {
        rollback()
        guard canRepeat(after: error) else { throw error }
        try pause(attempt)
        attempt += 1
      }
    }
  }

  /// Commits the leader's transaction; called before the local transaction is committed.
  func commit() throws {
    switch transaction {
    case .none: return
    case .broken(let error): throw error
    case .open(let hasWritten):
      try keepPending()
      savepoints.removeAll()
      guard hasWritten else { return end() }
      number += 1
      do {
        try record(number)
        try sendCommit()
      } catch let error as WireError {
        if case .statement = error.effect { throw error.sqliteError }
        if case .busy = error.effect { throw error.sqliteError }
        drop()
        transaction = .broken(ClusterError.interrupted("\(error)"))
        throw ClusterError.interrupted("\(error)")
      }
      transaction = .none
      repeats = Repeats()
    }
  }

  /// Ends a transaction that has written nothing.
  private func end() {
    transaction = .none
    repeats = Repeats()
    do { _ = try node?.execute("COMMIT", [], patience(.seconds(1))) } catch { drop() }
  }

  /// Stores the number of the transaction in the transaction itself.
  private func record(_ number: Int64) throws {
    guard let node else { throw WireError.broken("the connection was lost") }
    let values: [DatabaseValue] = [.blob(client), .integer(number)]
    do { _ = try node.execute(CommitRecord.write, values, patience()) } catch WireError.failure(
      _, CommitRecord.isMissing)
    {
      _ = try node.execute(CommitRecord.create, [], patience())
      _ = try node.execute(CommitRecord.write, values, patience())
    }
    guard !hasPruned else { return }
    hasPruned = true
    _ = try node.execute(CommitRecord.prune, [], patience())
  }

  /// Sends COMMIT, and finds out whether the transaction was committed if the answer does not say so.
  private func sendCommit() throws {
    guard let node else { throw WireError.broken("the connection was lost") }
    var attempt = 0
    let limit = ContinuousClock.now + options.busyTimeout
    while true {
      do {
        _ = try node.execute("COMMIT", [], unhurried)
        return
      } catch WireError.failure(let code, let message) where WireError.isBusy(code, message) {
        // The transaction is still open.
        guard ContinuousClock.now < limit else {
          throw WireError.failure(code: code, message: message)
        }
        try pause(attempt)
        attempt += 1
      } catch let error as WireError {
        if case .statement = error.effect { throw error }
        return try settle(number, after: error)
      } catch {
        return try settle(number, after: error)
      }
    }
  }

  /// Patience that is not cut short at once: the fate of a commit is worth a second.
  private var unhurried: Patience {
    var stopped: ContinuousClock.Instant?
    return Patience(deadline: .now + options.requestTimeout) { [unowned connection] in
      do { try connection.throwIfStopped() } catch {
        let since = stopped ?? .now
        stopped = since
        if ContinuousClock.now - since > .seconds(1) { throw error }
      }
    }
  }

  /// Finds out whether the transaction with this number was committed; throws if it was not, or if that is unknown.
  ///
  /// The question is asked in a transaction that writes itself. Its commit proves that the node that answered was the
  /// leader, and that the lost transaction can no longer be committed.
  private func settle(_ number: Int64, after error: any Error) throws {
    let limit = ContinuousClock.now + options.failoverTimeout
    let patience = unhurried
    var last = error
    var barriers: Set<Int64> = []
    drop()
    while ContinuousClock.now < limit {
      do {
        let node = try directory.connect(to: database, patience)
        _ = try node.execute("BEGIN IMMEDIATE", [], patience)
        let found = try recordedNumber(node, patience)
        if found == number || barriers.contains(found) {
          _ = try node.execute("ROLLBACK", [], patience)
          self.node = node
          if found == number { return }
          throw notCommitted(error)
        }
        self.number += 1
        barriers.insert(self.number)
        self.node = node
        try record(self.number)
        _ = try node.execute("COMMIT", [], patience)
        throw notCommitted(error)
      } catch let error as WireError {
        last = error
        drop()
      } catch ClusterError.noLeader(let reason) {
        last = ClusterError.noLeader(reason)
      } catch let error as ClusterError { throw error } catch {
        last = error
        break
      }
      do { try patience.sleep(for: .milliseconds(Int.random(in: 5...30))) } catch { break }
    }
    drop()
    transaction = .none
    connection.noteUncertainCommit()
    throw ClusterError.outcomeUnknown("\(last)")
  }

  private func notCommitted(_ error: any Error) -> ClusterError {
    transaction = .none
    return .interrupted("\(error)")
  }

  private func recordedNumber(_ node: NodeConnection, _ patience: Patience) throws -> Int64 {
    do {
      let rows = try node.query(CommitRecord.read, [.blob(client)], patience)
      var found: Int64 = 0
      while try rows.next(patience) {
        if case .integer(let number) = try rows.value(at: 0) { found = number }
      }
      return found
    } catch WireError.failure(_, CommitRecord.isMissing) { return 0 }
  }

  /// Rolls the leader's transaction back; called when the local transaction is rolled back.
  func rollback() {
    defer {
      transaction = .none
      savepoints.removeAll()
    }
    guard case .open(let hasWritten) = transaction else { return }
    pending?.close()
    if hasWritten { forgetColumns() }
    guard let node, node.isOpen else { return }
    let patience = Patience(deadline: .now + .seconds(1)) {}
    do { _ = try node.execute("ROLLBACK", [], patience) } catch { drop() }
  }

  /// Returns whether the body of a transaction may run again.
  ///
  /// A body during which the connection broke runs again only once, because a statement can be the reason why a node
  /// fails.
  func canRepeat(after error: any Error) -> Bool {
    switch error {
    case ClusterError.interrupted: break
    case SQLiteError.schema, SQLiteError.busySnapshot: break
    default:
      repeats = Repeats()
      return false
    }
    let since = repeats.since ?? .now
    repeats.since = since
    guard ContinuousClock.now - since < options.failoverTimeout, repeats.brokenCount < 2 else {
      repeats = Repeats()
      return false
    }
    return true
  }
}

/// Savepoints, which are sent to the leader only when a statement follows.
extension ClusterSession {
  func savepoint(_ number: Int) {
    guard savepoints.last.map({ $0.number < number }) ?? true else { return }
    savepoints.append(Savepoint(number: number))
  }

  private func sendSavepoints() throws {
    for index in savepoints.indices where !savepoints[index].isSent {
      try control("SAVEPOINT sluice_\(savepoints[index].number)")
      savepoints[index].isSent = true
    }
  }

  func release(_ number: Int) throws {
    guard let first = savepoints.firstIndex(where: { $0.number >= number }) else { return }
    let savepoint = savepoints[first]
    savepoints.removeSubrange(first...)
    if savepoint.isSent { try control("RELEASE sluice_\(savepoint.number)") }
  }

  func rollback(to number: Int) throws {
    guard let first = savepoints.firstIndex(where: { $0.number >= number }) else { return }
    savepoints.removeSubrange((first + 1)...)
    guard savepoints[first].isSent else { return }
    try control("ROLLBACK TO sluice_\(savepoints[first].number)")
    forgetColumns()
  }

  private func control(_ sql: String) throws {
    if case .broken(let error) = transaction { throw error }
    guard let node else { return }
    try keepPending()
    do { _ = try node.execute(sql, [], patience()) } catch {
      throw failed(error, isHarmless: false)
    }
  }
}
