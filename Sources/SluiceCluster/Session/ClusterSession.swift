import SluiceCore

/// The work of one connection on the leader of a cluster.
///
/// The local transaction decides: the first statement in it begins a transaction on the leader, and its commit commits
/// there first.
final class ClusterSession: StatementTranslator {
  /// The kind of work of a session.
  enum Access { case reading, writing }

  let noun = "cluster"
  private unowned let connection: Connection
  private let access: Access
  private let link: LeaderLink
  private let transaction: LeaderTransaction
  private let reader: AnswerReader
  private var prepared: [String: SessionStatement] = [:]
  /// The statements as the program wrote them, by their local forms.
  private var texts: [String: String] = [:]
  /// The version of the schema of which the statements in `prepared` have the columns; nil if it was not asked for.
  private var schemaVersion: Int64?
  /// The values of the pragmas that the options of the connection have set.
  private var pragmaOptions: [String: Bool] = [:]
  private(set) var changeCounts = (last: 0, total: 0)

  init(
    _ connection: Connection, _ directory: NodeDirectory, _ database: String, _ access: Access,
    _ options: Cluster.Options
  ) throws {
    self.connection = connection
    self.access = access
    link = LeaderLink(of: connection, to: database, in: directory, options)
    transaction = LeaderTransaction(link)
    reader = AnswerReader(link, transaction)
    try inMonitor {
      try RemoteTables.add(to: connection, of: self)
      try JSONArray.addFunction(to: connection)
      try ParameterPack.addFunction(to: connection)
    }
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
    if texts.count >= 512 { texts.removeAll() }
    texts[statement.local] = found.original
    return TranslatedStatement(
      local: statement.local, text: found.original, writes: found.kind != .read, next: next)
  }

  func text(ofLocal sql: String) -> String? { texts[sql] }

  private func prepare(_ found: ClusterStatement) throws -> SessionStatement {
    if let known = prepared[found.text] { return known }
    if access == .reading, found.kind != .read {
      throw SQLiteError(.readOnly, "This access is read-only", sql: found.text)
    }
    if found.dependsOnSchema { try checkSchema(for: found.text) }
    let statement = try SessionStatement(found, columnNames: try columnNames(of: found))
    if prepared.count >= 512 { prepared.removeAll() }
    prepared[found.text] = statement
    return statement
  }

  /// Returns the names of the columns of a statement, for which it asks the leader.
  private func columnNames(of statement: ClusterStatement) throws -> [String] {
    guard let sql = statement.names else { return [] }
    return try answering(statement.text) {
      do {
        return try request(isHarmless: true) { node, patience in
          let rows = try node.query(sql, [], patience)
          try rows.finish(patience)
          return rows.names
        }
      } catch let error as SQLiteError where error.code == .error && sql != statement.text {
        // The message may be about SQL that the caller did not write.
        try request(isHarmless: true) { node, patience in
          try node.check(statement.text, patience)
        }
        throw error
      }
    }
  }

  private func statement(for text: String) throws -> SessionStatement {
    if prepared[text]?.statement.dependsOnSchema == true { try checkSchema(for: text) }
    if let known = prepared[text] { return known }
    guard let found = try ClusterStatement.next(in: text, from: 0).0 else {
      throw SQLiteError(.misuse, "The SQL contains no statement", sql: text)
    }
    return try prepare(found)
  }

  /// Forgets the columns of all statements if another client has changed the schema, once in each transaction.
  private func checkSchema(for text: String) throws {
    guard !(transaction.isOpen && transaction.isSchemaKnown) else { return }
    let version = try answering(text) {
      try request(isHarmless: true) { node, patience in
        // By reading a table, the node finds that its connection has compiled statements for an old schema, whose names
        // the next answer would contain.
        let sql = """
          SELECT schema_version, (SELECT 1 FROM sqlite_schema LIMIT 1) FROM pragma_schema_version
          """
        let rows = try node.query(sql, [], patience)
        var version: Int64?
        while try rows.next(patience) {
          if case .integer(let found) = try rows.value(at: 0) { version = found }
        }
        return version
      }
    }
    if schemaVersion != nil, schemaVersion != version { forgetColumns() }
    schemaVersion = version
    transaction.isSchemaKnown = true
  }

  /// Forgets the columns of all statements, which a change of the schema may have changed.
  private func forgetColumns() {
    schemaVersion = nil
    transaction.isSchemaKnown = false
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
        try request(isHarmless: false) { node, patience in
          // A statement that fails can have written, as with INSERT OR FAIL.
          transaction.noteWrite()
          return try node.execute(statement.sent, values, patience)
        }
      }
      // In a transaction, this pragma has no effect.
      if let setting = statement.statement.setting,
        connection.isInAutocommit || setting.name != "foreign_keys"
      {
        link.settings[setting.name] = setting.sql
        pragmaOptions[setting.name] = nil
      }
      // After any other statement, the answer counts the changes of an earlier one.
      guard statement.changesRows else { return lastInsertRowid }
      count(result.changes)
      return result.lastInsertRowid == 0 ? lastInsertRowid : result.lastInsertRowid
    }
  }

  /// Runs a statement with rows, and returns them.
  ///
  /// Throws ``ResultCode/schema`` unless the columns are those with which the local statement was compiled.
  func rows(of text: String, _ values: [DatabaseValue], columns: Int) throws -> ResultRows {
    let statement = try statement(for: text)
    guard statement.columns == columns else { throw schemaHasChanged(text: text) }
    return try answering(text) {
      guard statement.statement.kind == .returning else {
        return try result(of: statement, values, isHarmless: true)
      }
      return try inTransaction {
        let rows = try result(of: statement, values, isHarmless: false)
        try rows.keep(current: false)
        try readCounts()
        return rows
      }
    }
  }

  private func result(
    of statement: SessionStatement, _ values: [DatabaseValue], isHarmless: Bool
  ) throws -> ResultRows {
    let answer = try request(isHarmless: isHarmless) { node, patience in
      if !isHarmless { transaction.noteWrite() }
      return try node.query(statement.sent, values, patience)
    }
    let rows = reader.begin(answer)
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

/// Options of the connection.
extension ClusterSession {
  func option(_ pragma: String) -> Bool? { pragmaOptions[pragma] }

  func setOption(_ pragma: String, _ isOn: Bool) throws {
    guard connection.isInAutocommit, transaction.isNone else {
      throw SQLiteError(
        .misuse, "An option of a connection of a cluster cannot change in a transaction")
    }
    link.settings[pragma] = "PRAGMA \(pragma) = \(isOn ? 1 : 0)"
    pragmaOptions[pragma] = isOn
    // The next connection to a node begins with the settings. Rows that could not be kept throw when they are read.
    try? reader.keepPending()
    link.close()
  }
}

/// Requests.
extension ClusterSession {
  /// Sends a request in the transaction if there is one, and returns the result of `body`.
  ///
  /// Outside a transaction, the request is repeated if the leader has changed; if its connection breaks, only a request
  /// that `isHarmless` is sent again, and only once.
  private func request<T>(
    isHarmless: Bool, _ body: (NodeConnection, Patience) throws -> T
  ) throws -> T {
    try reader.keepPending()
    if !connection.isInAutocommit, transaction.isNone {
      try inMonitor {
        try connection.withoutTranslator { try connection.execute(sql: RemoteTables.join) }
      }
      try begin()
    }
    guard transaction.isNone else { return try transaction.send(body) }
    return try requestAlone(isHarmless: isHarmless, body)
  }

  private func requestAlone<T>(
    isHarmless: Bool, _ body: (NodeConnection, Patience) throws -> T
  ) throws -> T {
    let limit = ContinuousClock.now + link.options.failoverTimeout
    var attempt = 0
    var isRepeated = false
    while true {
      do {
        return try link.whileBusy { try body(link.established(until: limit), link.patience()) }
      } catch let error as WireError {
        if error.isRejection { throw error.sqliteError }
        link.drop()
        if case .unknown = error.effect {
          guard isHarmless else {
            connection.noteUncertainCommit()
            throw ClusterError.outcomeUnknown("\(error)")
          }
          guard !isRepeated else { throw BrokenTwice(reason: "\(error)") }
          isRepeated = true
        }
        guard ContinuousClock.now < limit else { throw ClusterError.noLeader("\(error)") }
      }
      try link.pause(attempt)
      attempt += 1
    }
  }

  /// The connection has ended twice during a request outside a transaction.
  private struct BrokenTwice: Error { let reason: String }

  /// Adds the SQL to an error of SQLite, and to the error of a statement that may end nodes.
  private func answering<T>(_ text: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as BrokenTwice {
      throw ClusterError.interrupted(error.reason, by: text)
    } catch ClusterError.interrupted(let reason) where transaction.hasBrokenTwice {
      throw ClusterError.interrupted(reason, by: text)
    } catch let error as SQLiteError where error.sql == nil {
      if error.message.hasPrefix("table sluice_typed has ") { throw schemaHasChanged(text: text) }
      throw SQLiteError(error.code, error.message, sql: text)
    }
  }
}

/// Transactions, which the local tables report.
extension ClusterSession {
  /// Called when the local transaction, or a statement outside a transaction, first writes to a table.
  func begin() throws {
    if !connection.isInAutocommit, transaction.isNone { try transaction.begin(beginning) }
  }

  private var beginning: String { access == .writing ? "BEGIN IMMEDIATE" : "BEGIN" }

  /// Runs `body` in the transaction if there is one, or else in a transaction of its own.
  private func inTransaction<T>(
    unless runsAlone: Bool = false, _ body: () throws -> T
  ) throws -> T {
    guard connection.isInAutocommit, !runsAlone else { return try body() }
    var attempt = 0
    while true {
      do {
        try reader.keepPending()
        try transaction.begin(beginning)
        let value = try body()
        try commit()
        return value
      } catch {
        rollback()
        guard transaction.canRepeat(after: error) else { throw error }
        try link.pause(attempt)
        attempt += 1
      }
    }
  }

  /// Commits the leader's transaction; called before the local transaction is committed.
  func commit() throws {
    try reader.keepPending()
    do { try transaction.commit() } catch ClusterError.outcomeUnknown(let reason) {
      connection.noteUncertainCommit()
      throw ClusterError.outcomeUnknown(reason)
    }
  }

  /// Rolls the leader's transaction back; called when the local transaction is rolled back.
  func rollback() {
    // A loop over rows can go on. Rows that could not be kept throw when they are read.
    if transaction.isOpen { try? reader.keepPending() }
    if transaction.rollBack() { forgetColumns() }
  }

  func canRepeat(after error: any Error) -> Bool { transaction.canRepeat(after: error) }

  func savepoint(_ number: Int) { transaction.addSavepoint(number) }

  func release(_ number: Int) throws {
    try reader.keepPending()
    try transaction.release(number)
  }

  func rollback(to number: Int) throws {
    // If the whole transaction is undone, rows that cannot be kept throw when they are read.
    do { try reader.keepPending() } catch  where number < 0 {}
    if try transaction.rollBack(to: number) { forgetColumns() }
  }
}

/// The proof that a read was not stale.
extension ClusterSession {
  /// Throws unless the node that has answered was the leader while it answered.
  ///
  /// More than half of the voters must name it as the leader after the read. It must not have lost its leadership in the
  /// meantime, which would have ended the transaction.
  func confirm() throws {
    let (address, members) = try request(isHarmless: true) { node, patience in
      (node.address, try node.members(patience))
    }
    let voters = members.filter { $0.role == .voter }.compactMap {
      NodeAddress($0.address, likewise: address)
    }
    var count = voters.contains(address) ? 1 : 0
    for voter in voters where voter != address && count * 2 <= voters.count {
      if try link.leader(accordingTo: voter) == address { count += 1 }
    }
    guard count * 2 > voters.count else {
      throw ClusterError.interrupted(
        "\(count) of \(voters.count) voters have named \(address) as the leader")
    }
    try request(isHarmless: true) { node, patience in
      try node.query("SELECT 1", [], patience).finish(patience)
    }
  }
}
