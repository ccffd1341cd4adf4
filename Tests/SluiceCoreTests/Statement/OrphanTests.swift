import SluiceCore
import TestSupport
import Testing

/// A statement that is dropped while SQLite compares waits until it can be finalized.
///
/// What it lets go of then can do anything.
@Suite(.tags(.reliability), .timeLimit(.minutes(10))) struct `statements dropped by a comparison` {
  /// Acts at its end.
  private final class Last {
    private let act: () -> Void
    init(_ act: @escaping () -> Void) { self.act = act }
    deinit { act() }
  }

  private final class Holder {
    var statements: [Statement] = []
    var outcomes: [ResultCode?] = []
  }

  let connection: Connection
  private let holder = Holder()

  init() throws {
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    try connection.addCollation("drop_all") { [holder] (a: String, b: String) in
      holder.statements = []
      return SQLOrder(a, b)
    }
  }

  /// Lets a comparison drop what the holder has.
  private func dropAll() throws {
    try connection.execute(sql: "SELECT 1 WHERE 'x' > 'y' COLLATE drop_all")
    #expect(holder.statements.isEmpty)
  }

  /// Lets a comparison drop `count` statements that stand on a row, and keep until their end what
  /// acts.
  private func drop(_ count: Int = 1, thatAct act: @escaping () -> Void) throws {
    try connection.addFunction("carry", arity: 0) { values in
      try values.setResultObject(Last(act))
      return .null
    }
    for _ in 0..<count {
      let statement = try connection.prepare(sql: "SELECT carry(), ? FROM t")
      try statement.bind(.string("short"))
      let isOnRow = try statement.step() != nil
      #expect(isOnRow)
      holder.statements.append(statement)
    }
    try dropAll()
  }

  private func dropClosers(_ count: Int = 1) throws {
    try drop(count) { [connection, holder] in
      holder.outcomes.append(failure { try connection.close() }?.code)
    }
  }

  @Test func `one whose end closes the connection lets no other start`() throws {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    try dropClosers()
    #expect(failure { try statement.execute() }?.code == .misuse)
    #expect(holder.outcomes == [nil])
    #expect(!connection.isOpen)
  }

  @Test func `one whose end closes the connection lets the one that compared go no further`() throws
  {
    let comparing = try connection.prepare(sql: "SELECT b < 'y' COLLATE drop_all FROM t")
    try connection.addFunction("carry", arity: 0) { [connection] values in
      try values.setResultObject(Last { try? connection.close() })
      return .null
    }
    holder.statements = [try connection.prepare(sql: "SELECT carry() FROM t")]
    let isOnRow = try holder.statements[0].step() != nil
    #expect(isOnRow)
    #expect(failure { try comparing.execute() }?.code == .misuse)
    #expect(!connection.isOpen)
  }

  @Test func `one whose end closes the connection lets none be compiled`() throws {
    try dropClosers()
    #expect(failure { _ = try connection.prepare(sql: "SELECT a FROM t") }?.code == .misuse)
    #expect(holder.outcomes == [nil])
    #expect(!connection.isOpen)
  }

  @Test func `several of which the first closes the connection do not keep it open`() throws {
    try dropClosers(3)
    #expect(failure { _ = try connection.prepare(sql: "SELECT a FROM t") }?.code == .misuse)
    #expect(holder.outcomes == [nil, nil, nil])
    #expect(!connection.isOpen)
  }

  @Test func `one whose end moves the statement that starts is found out`() throws {
    let statement = try connection.prepare(sql: "INSERT INTO t VALUES (3, 'z') RETURNING a")
    try drop { _ = try? statement.step() != nil }
    #expect(failure { try statement.execute() }?.code == .misuse)
    try statement.reset()
    #expect(try connection.value("SELECT count(*) FROM t") == 3)
    try connection.close()
  }

  @Test func `one whose end takes the values of the statement that starts is found out`() throws {
    let statement = try connection.prepare(sql: "INSERT INTO t VALUES (?, 'z')")
    try statement.bind(3)
    try drop { try? statement.clearBindings() }
    #expect(failure { try statement.execute() }?.code == .range)
    #expect(try connection.value("SELECT count(*) FROM t") == 2)
    try connection.close()
  }

  /// Lets a comparison drop a statement that writes two rows, and stands on the first.
  private func dropWriter() throws {
    holder.statements = [
      try connection.prepare(sql: "INSERT INTO t VALUES (3, 'z'), (4, 'z') RETURNING a")
    ]
    let isOnRow = try holder.statements[0].step() != nil
    #expect(isOnRow)
    try dropAll()
  }

  @Test(arguments: [TransactionCommand.commit, .rollback])
  func `one that writes is no part of the transaction that begins`(_ end: TransactionCommand) throws
  {
    try dropWriter()
    #expect(failure { try connection.transaction { _, command in command = end } } == nil)
    #expect(try connection.value("SELECT count(*) FROM t") == 4)
  }

  @Test(arguments: [TransactionCommand.commit, .rollback])
  func `one that writes does not keep its transaction from ending`(_ end: TransactionCommand) throws
  {
    let error = failure {
      try connection.transaction { _, command in
        command = end
        try connection.savepoint { _, _ in try dropWriter() }
        try dropWriter()
      }
    }
    #expect(error == nil)
    #expect(try connection.value("SELECT count(*) FROM t") == (end == .commit ? 6 : 2))
  }
}
