import SluiceCluster
import SluiceCore

/// A connection to a node of a ``FakeCluster``, with a connection to its database.
final class FakeClusterSession: FakeSession, @unchecked Sendable {
  /// A failure that is an answer.
  private struct Failure: Error {
    let code: Int
    let message: String
  }

  private struct State {
    var connection: Connection?
    var statements: [UInt32: String] = [:]
    var term = 0
    /// A query has written outside of a transaction, which a real node does not replicate.
    var isPoisoned = false
  }

  private let cluster: FakeClusterState
  private let node: UInt64
  private let number: Int
  // The lock makes the connection safe for the thread of the session, and for the one that changes the leader.
  private let state = Locked(State())

  init(_ cluster: FakeClusterState, node: UInt64, connection: Int) throws {
    self.cluster = cluster
    self.node = node
    number = connection
    cluster.join(self)
  }

  func end() {
    cluster.leave(self)
    state.withLock { $0.connection = nil }
  }

  /// Loses the transaction, and closes the database.
  func rollBack() { state.withLock { $0.connection = nil } }

  func answer(_ request: FakeRequest?) -> FakeReply {
    switch request {
    case nil, .interrupt: return .silence
    case .client: return .welcome
    case .leader:
      let leader = cluster.leader
      let member = cluster.members.first { $0.id == leader }
      return .server(member?.id ?? 0, member?.address ?? "")
    case .members: return .servers(cluster.members)
    case .describe: return .metadata(0, 0)
    case .weight: return .empty
    case .dump(let name):
      return reply { try cluster.dump(name, of: node).map(FakeReply.files) ?? .drop }
    case .open(let name):
      guard !name.isEmpty else { return die("The name of a database is empty") }
      return reply {
        let cluster = cluster
        try state.withLock { state in
          guard state.connection == nil else {
            throw Failure(code: 5, message: "a database for this connection is already open")
          }
          state.connection = try cluster.connection()
          state.term = cluster.term
        }
        return .database
      }
    case .prepare(let sql): return reply { try prepare(sql) }
    case .finalize(let id):
      state.withLock { _ = $0.statements.removeValue(forKey: id) }
      return .empty
    case .execute(let id, let values):
      return reply { try run(try sql(of: id), values, isQuery: false) }
    case .query(let id, let values):
      return reply { try run(try sql(of: id), values, isQuery: true) }
    case .executeSQL(let sql, let values): return reply { try run(sql, values, isQuery: false) }
    case .querySQL(let sql, let values): return reply { try run(sql, values, isQuery: true) }
    case .add(let id, let address):
      return lead { cluster.change(id, to: NodeMember(id: id, address: address, role: .spare)) }
    case .assign(let id, let role):
      guard let role = NodeRole(rawValue: role) else { return die("ASSIGN with the role \(role)") }
      return lead {
        guard let member = cluster.members.first(where: { $0.id == id }) else {
          throw Failure(
            code: 12, message: "no server with the given ID is part of the configuration")
        }
        cluster.change(id, to: NodeMember(id: id, address: member.address, role: role))
      }
    case .remove(let id): return lead { cluster.change(id, to: nil) }
    case .transfer(let id): return lead { cluster.leader = id }
    }
  }

  private func die(_ reason: String?) -> FakeReply {
    cluster.crash(node, reason)
    return .drop
  }

  /// Executes a request that only the leader accepts.
  private func lead(_ body: () throws -> Void) -> FakeReply {
    reply {
      guard cluster.leader == node else { throw Failure(code: 10250, message: "not leader") }
      try body()
      return .empty
    }
  }

  private func reply(_ body: () throws -> FakeReply) -> FakeReply {
    do { return try body() } catch let failure as Failure {
      return .failure(UInt64(failure.code), failure.message)
    } catch let error as SQLiteError {
      return .failure(UInt64(error.code.rawValue), error.message)
    } catch {
      return .failure(1, "\(error)")
    }
  }

  private func sql(of id: UInt32) throws -> String {
    guard let sql = state.withLock({ $0.statements[id] }) else {
      throw Failure(code: 12, message: "no statement with the given id")
    }
    return sql
  }

  private func prepare(_ sql: String) throws -> FakeReply {
    try state.withLock { state in
      guard let connection = state.connection else {
        throw Failure(code: 12, message: "no database opened")
      }
      guard let statement = try connection.compile(sql, from: 0).0 else {
        throw Failure(code: 0, message: "empty statement")
      }
      let id = (0...).first { state.statements[$0] == nil } ?? 0
      state.statements[id] = sql
      return .statement(id, parameters: UInt64(statement.parameterCount))
    }
  }
}

/// Statements.
extension FakeClusterSession {
  private func run(_ sql: String, _ values: [DatabaseValue], isQuery: Bool) throws -> FakeReply {
    let fault = cluster.receive(
      FakeCluster.Statement(
        node: node, connection: number, sql: sql, values: values, isQuery: isQuery))
    switch fault {
    case .dropBefore: return .drop
    case .crash: return die(nil)
    case .silence: return .silence
    case .failure(let code, let message):
      if Self.endsTransaction(code) { rollBack() }
      throw Failure(code: code, message: message)
    case .dropAfter:
      // The connection ends, so an error cannot be reported.
      _ = try? execute(sql, values, isQuery: isQuery)
      return .drop
    case .failureAfter(let code, let message):
      // The planned failure replaces an error.
      _ = try? execute(sql, values, isQuery: isQuery)
      if Self.endsTransaction(code) { rollBack() }
      throw Failure(code: code, message: message)
    case nil: return try execute(sql, values, isQuery: isQuery)
    }
  }

  /// Whether the node has lost the leadership, and with it the transaction.
  private static func endsTransaction(_ code: Int) -> Bool { [10250, 10506, 12].contains(code) }

  private func execute(
    _ sql: String, _ values: [DatabaseValue], isQuery: Bool
  ) throws -> FakeReply {
    guard cluster.leader == node else { throw Failure(code: 10250, message: "not leader") }
    do {
      return try state.withLock { state in
        guard let connection = state.connection, state.term == cluster.term else {
          throw Failure(code: 12, message: "no database opened")
        }
        return isQuery
          ? try Self.query(sql, values, connection, &state.isPoisoned)
          : try Self.execute(sql, values, connection, state.isPoisoned)
      }
    } catch let death as Death {
      return die(death.reason)
    }
  }

  /// A statement that would end a real node.
  private struct Death: Error { let reason: String }

  private static func execute(
    _ sql: String, _ values: [DatabaseValue], _ connection: Connection, _ isPoisoned: Bool
  ) throws -> FakeReply {
    var (start, values) = (0, values)
    while start < sql.utf8.count {
      // A node reports no results after a semicolon with white space, or for comments.
      guard let statement = try next(in: sql, &start, connection) else { return .result(0, 0) }
      try bind(values, to: statement)
      values = []
      let isReading = try statement.isReadOnly
      if isPoisoned, !isReading { throw Death(reason: "A write after a query that wrote: \(sql)") }
      if statement.columnCount > 0, !isReading {
        throw Death(reason: "Rows of a write that was executed: \(sql)")
      }
      try statement.forEachRow { _ in throw Failure(code: 100, message: "another row available") }
    }
    return .result(connection.lastInsertRowid, UInt64(connection.changes))
  }

  private static func query(
    _ sql: String, _ values: [DatabaseValue], _ connection: Connection, _ isPoisoned: inout Bool
  ) throws -> FakeReply {
    var start = 0
    guard let statement = try next(in: sql, &start, connection) else {
      throw Failure(code: 0, message: "empty statement")
    }
    try bind(values, to: statement)
    guard statement.columnCount > 0 else { throw Failure(code: 1, message: "not an error") }
    if try !statement.isReadOnly {
      if isPoisoned { throw Death(reason: "A write after a query that wrote: \(sql)") }
      isPoisoned = connection.isInAutocommit
    }
    let names = FakeBody.names(statement.columnNames)
    let types = try statement.declaredTypes.map { $0?.uppercased() ?? "" }
    var parts: [[UInt8]] = []
    var rows: [UInt8] = []
    do {
      // Without room for a row, a real node would send batches without rows for ever.
      if names.count >= 4096 {
        let part = FakeReply.message(7, names + [UInt8](repeating: 0xee, count: 8)).bytes
        return FakeReply([[UInt8]](repeating: part, count: 1000), ending: .closed)
      }
      try statement.forEachRow { row in
        if names.count + rows.count >= 4096 {
          parts.append(
            FakeReply.message(7, names + rows + [UInt8](repeating: 0xee, count: 8)).bytes)
          rows = []
        }
        var fields: [FakeValue] = []
        for index in types.indices {
          fields.append(try field(try row.value(at: index), types[index], sql))
        }
        rows += FakeBody.row(fields)
      }
    } catch let error as SQLiteError {
      let failure = FakeReply.failure(
        UInt64(error.code.rawValue), error.message, behind: names + rows)
      return FakeReply(parts + failure.parts)
    }
    parts.append(FakeReply.message(7, names + rows + [UInt8](repeating: 0xff, count: 8)).bytes)
    return FakeReply(parts)
  }

  /// Returns the value as a node sends it from a column with this declared type.
  private static func field(
    _ value: DatabaseValue, _ type: String, _ sql: String
  ) throws -> FakeValue {
    switch (type, value) {
    case ("DATETIME", .integer(let value)), ("DATE", .integer(let value)),
      ("TIMESTAMP", .integer(let value)):
      return .unixTime(value)
    case ("DATETIME", .text(let value)), ("DATE", .text(let value)),
      ("TIMESTAMP", .text(let value)):
      return .isoTime(value)
    case ("DATETIME", .null), ("DATE", .null), ("TIMESTAMP", .null): return .isoTime("")
    case ("BOOLEAN", .integer(let value)): return .boolean(value == 0 ? 0 : 1)
    case ("BOOLEAN", .null): return .boolean(0)
    case ("DATETIME", _), ("DATE", _), ("TIMESTAMP", _), ("BOOLEAN", _):
      throw Death(reason: "A column that is declared \(type) contains \(value): \(sql)")
    default: return .plain(value)
    }
  }

  private static func next(
    in sql: String, _ start: inout Int, _ connection: Connection
  ) throws -> Statement? {
    let (statement, next) = try connection.compile(sql, from: start)
    start = next
    if let statement, let reason = deadly(statement.sql) { throw Death(reason: reason) }
    return statement
  }

  /// The reason why a statement would end a real node; nil for other statements.
  private static func deadly(_ sql: String) -> String? {
    let text = sql.lowercased()
    guard text.contains("pragma"), text.contains("="),
      text.contains("journal_mode") || text.contains("page_size")
    else { return nil }
    return "A pragma: \(sql)"
  }

  /// Binds the values, and NULL to the other parameters, as a node does.
  private static func bind(_ values: [DatabaseValue], to statement: Statement) throws {
    guard values.count <= statement.parameterCount else {
      throw Failure(code: 25, message: "column index out of range")
    }
    for index in 0..<statement.parameterCount {
      try statement.bind(index < values.count ? values[index] : .null, toParameter: index + 1)
    }
  }
}
