import SluiceCore
import TestSupport
import Testing

/// Statements and connections that are released or closed while SQLite still works on them.
@Suite(.tags(.reliability), .timeLimit(.minutes(10))) struct `callbacks while a statement ends` {
  /// An aggregate that runs a closure at its end, which may also be the end of its statement.
  private final class Last: SQLAggregateWindowFunction {
    private let act: () -> Void
    init(_ act: @escaping () -> Void) { self.act = act }
    func step(_ values: borrowing SQLFunctionArguments) {}
    func inverse(_ values: borrowing SQLFunctionArguments) {}
    func value() -> DatabaseValue { 0 }
    func final() -> DatabaseValue {
      act()
      return 0
    }
  }

  private final class Holder {
    var statement: Statement?
    var outcomes: [ResultCode?] = []
  }

  let connection: Connection
  private let holder = Holder()

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3), (4)")
  }

  /// Stores a statement in the holder, stepped to a row within an open group; `act` runs at the end
  /// of that group.
  private func prepare(
    _ sql: String =
      "SELECT last(a) OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM t",
    _ act: @escaping () -> Void
  ) throws {
    let isArmed = Tally()
    try connection.addAggregateFunction("last", arity: 1) {
      Last { if isArmed.count > 0 { act() } }
    }
    holder.statement = try connection.prepare(sql: sql)
    #expect(try holder.statement?.step() != nil)
    isArmed.count = 1
  }

  @Test func `an aggregate's final can release its statement while the connection closes`() throws {
    try prepare { [holder] in holder.statement = nil }
    try connection.close()
    #expect(holder.statement == nil)
    #expect(!connection.isOpen)
  }

  @Test func `an aggregate's final can release its statement while the statement is reset`() throws
  {
    try prepare { [holder] in holder.statement = nil }
    try holder.statement?.reset()
    #expect(holder.statement == nil)
    #expect(try connection.value("SELECT count(*) FROM t") == 4)
    try connection.close()
  }

  @Test func `an aggregate's final cannot close or reset while the connection closes`() throws {
    try prepare { [holder, unowned connection] in
      holder.outcomes = [
        failure { try connection.close() }?.code, failure { try holder.statement?.reset() }?.code,
      ]
      _ = failure { try connection.value("SELECT count(*) FROM t") }
      _ = failure { try connection.execute(sql: "INSERT INTO t VALUES (5)") }
    }
    try connection.close()
    #expect(holder.outcomes == [.misuse, .misuse])
    #expect(!connection.isOpen)
    #expect(failure { try holder.statement?.reset() }?.code == .misuse)
  }

  @Test func `an aggregate's final cannot close the connection as its statement is released`()
    throws
  {
    try prepare { [holder, unowned connection] in
      holder.outcomes = [failure { try connection.close() }?.code]
      _ = failure { try connection.value("SELECT count(*) FROM t") }
    }
    holder.statement = nil
    #expect(holder.outcomes == [.misuse])
    #expect(try connection.value("SELECT count(*) FROM t") == 4)
    try connection.close()
  }

  @Test func `an aggregate's final cannot run a statement that a transaction ends`()
    throws
  {
    try prepare(
      """
      INSERT INTO t
      SELECT last(a) OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM t RETURNING a
      """
    ) { [holder] in holder.outcomes.append(failure { try holder.statement?.execute() }?.code) }
    try connection.transaction { _, _ in }
    #expect(Set(holder.outcomes) == [.misuse])
    #expect(failure { try holder.statement?.step() != nil }?.code == .misuse)
    #expect(try connection.value("SELECT count(*) FROM t") == 8)
    try connection.close()
  }

  @Test func `a function can release its running statement, which then completes`() throws {
    try connection.addFunction("let_go", arity: 1) { [holder] values in
      holder.statement = nil
      return try values[0]
    }
    holder.statement = try connection.prepare(sql: "SELECT let_go(a) FROM t")
    #expect(try holder.statement?.query(.column(.int)) == [1, 2, 3, 4])
    try connection.close()
  }

  @Test func `a collation cannot close the connection while closing runs PRAGMA optimize`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    let tally = Tally()
    try connection.addCollation("c") { [weak connection] (a: String, b: String) in
      tally.count += 1
      if let connection, tally.count < 1000 {
        holder.outcomes.append(failure { try connection.close() }?.code)
      }
      return SQLOrder(a, b)
    }
    try connection.execute(
      sql: """
        CREATE TABLE t(a TEXT COLLATE c, b);
        CREATE INDEX i ON t(a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
        INSERT INTO t SELECT 'x' || i % 7, i FROM n;
        ANALYZE
        """)
    holder.outcomes = []
    tally.count = 0
    // PRAGMA optimize runs ANALYZE again once a table has ten times as many rows as analyzed.
    try connection.execute(
      sql: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO t SELECT 'x' || i % 7, i FROM n
        """)
    _ = try connection.value("SELECT count(*) FROM t WHERE a = 'x1'")
    holder.outcomes = []
    tally.count = 0
    try connection.close()
    #expect(tally.count > 0)
    #expect(Set(holder.outcomes) == [.misuse])
    #expect(!connection.isOpen)
  }
}
