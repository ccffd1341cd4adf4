import SluiceCore
import TestSupport
import Testing

/// A statement that is released during a comparison is finalized later.
///
/// Finalizing the statement can run any user code, such as a deinit that closes the connection.
@Suite(.tags(.reliability), .timeLimit(.minutes(10)))
struct `statements released during a comparison` {
  /// Calls a closure when it is deinitialized.
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

  /// Releases the statements of the holder during a comparison.
  private func dropAll() throws {
    try connection.execute(sql: "SELECT 1 WHERE 'x' > 'y' COLLATE drop_all")
    #expect(holder.statements.isEmpty)
  }

  /// Releases `count` busy statements during a comparison.
  ///
  /// The finalization of each statement calls `act`.
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

  @Test func `a finalization that closes the connection makes the next execution throw`() throws {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    try dropClosers()
    #expect(failure { try statement.execute() }?.code == .misuse)
    #expect(holder.outcomes == [nil])
    #expect(!connection.isOpen)
  }

  @Test func `a finalization that closes the connection stops the comparing statement`() throws {
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

  @Test func `a finalization that closes the connection makes the next prepare throw`() throws {
    try dropClosers()
    #expect(failure { _ = try connection.prepare(sql: "SELECT a FROM t") }?.code == .misuse)
    #expect(holder.outcomes == [nil])
    #expect(!connection.isOpen)
  }

  @Test func `several finalizations in a row can each close the connection without an error`()
    throws
  {
    try dropClosers(3)
    #expect(failure { _ = try connection.prepare(sql: "SELECT a FROM t") }?.code == .misuse)
    #expect(holder.outcomes == [nil, nil, nil])
    #expect(!connection.isOpen)
  }

  @Test func `a statement throws misuse if a finalization steps it while it starts`() throws {
    let statement = try connection.prepare(sql: "INSERT INTO t VALUES (3, 'z') RETURNING a")
    try drop { _ = try? statement.step() != nil }
    #expect(failure { try statement.execute() }?.code == .misuse)
    try statement.reset()
    #expect(try connection.value("SELECT count(*) FROM t") == 3)
    try connection.close()
  }

  @Test func `a statement throws if a finalization clears its bindings while it starts`()
    throws
  {
    let statement = try connection.prepare(sql: "INSERT INTO t VALUES (?, 'z')")
    try statement.bind(3)
    try drop { try? statement.clearBindings() }
    #expect(failure { try statement.execute() }?.code == .range)
    #expect(try connection.value("SELECT count(*) FROM t") == 2)
    try connection.close()
  }

  /// Releases, during a comparison, a statement that writes two rows and has returned the first.
  private func dropWriter() throws {
    holder.statements = [
      try connection.prepare(sql: "INSERT INTO t VALUES (3, 'z'), (4, 'z') RETURNING a")
    ]
    let isOnRow = try holder.statements[0].step() != nil
    #expect(isOnRow)
    try dropAll()
  }

  @Test(arguments: [TransactionCommand.commit, .rollback])
  func `a released writing statement is not part of the next transaction`(_ end: TransactionCommand)
    throws
  {
    try dropWriter()
    #expect(failure { try connection.transaction { _, command in command = end } } == nil)
    #expect(try connection.value("SELECT count(*) FROM t") == 4)
  }

  @Test(arguments: [TransactionCommand.commit, .rollback])
  func `a released writing statement does not prevent its transaction from ending`(
    _ end: TransactionCommand
  ) throws {
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
