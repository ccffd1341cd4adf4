import SluiceCore
import TestSupport
import Testing

@Suite struct QueryTests {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL)")
  }

  @Test func `each overload of query returns the same rows`() throws {
    let all = [2, 3]
    #expect(try db.query(.column(.int), sql: "SELECT a FROM t WHERE a > ?", parameters: 1) == all)
    #expect(try db.query(.column(.int), sql: "SELECT a FROM t WHERE a > ?", parameters: [1]) == all)
    #expect(
      try db.query(.column(.int), sql: "SELECT a FROM t WHERE a > :m", parameters: [":m": 1]) == all
    )
    #expect(try db.query(.column(.int), sql: "SELECT a FROM t WHERE a > 1") == all)
  }

  @Test func `each overload of first returns the first row`() throws {
    #expect(try db.first(.column(.int), sql: "SELECT a FROM t WHERE a > ?", parameters: 1) == 2)
    #expect(try db.first(.column(.int), sql: "SELECT a FROM t WHERE a > ?", parameters: [1]) == 2)
    #expect(
      try db.first(.column(.int), sql: "SELECT a FROM t WHERE a > @m", parameters: ["m": 1]) == 2)
    #expect(try db.first(.column(.int), sql: "SELECT a FROM t") == 1)
    #expect(try db.first(.column(.int), sql: "SELECT a FROM t WHERE a > 9") == nil)
  }

  @Test func `each overload of execute passes the same rows to its closure`() throws {
    var lent: [[DatabaseValue]] = []
    try db.execute(sql: "SELECT a FROM t WHERE a = 2") { lent.append([try $0.value(at: 0)]) }
    try db.execute(sql: "SELECT a FROM t WHERE a = ?", parameters: 2) {
      lent.append([try $0.value(at: 0)])
    }
    try db.execute(sql: "SELECT a FROM t WHERE a = ?", parameters: [2]) {
      lent.append([try $0.value(at: 0)])
    }
    try db.execute(sql: "SELECT a FROM t WHERE a = $a", parameters: ["a": 2]) {
      lent.append([try $0.value(at: 0)])
    }
    #expect(lent == [[2], [2], [2], [2]])
  }

  @Test func `a query that fails at its second row throws`() throws {
    let sql = "SELECT abs(a) FROM (SELECT 1 AS a UNION ALL SELECT -9223372036854775808)"
    #expect(failure { try db.execute(sql: sql) }?.message == "integer overflow")
    #expect(failure { try db.execute(sql: sql) { _ in } }?.message == "integer overflow")
    #expect(failure { try db.execute(sql: sql, parameters: []) }?.message == "integer overflow")
    #expect(failure { try db.query(.values, sql: sql) }?.message == "integer overflow")
    #expect(try db.first(.column(.int), sql: sql) == 1)
  }

  @Test func `a query rethrows an error of its row converter`() throws {
    let bad = RowConverter<Int> { _ in throw ForeignError() }
    #expect(throws: ForeignError()) { try db.query(bad, sql: "SELECT a FROM t") }
    #expect(throws: ForeignError()) { try db.first(bad, sql: "SELECT a FROM t") }
    try db.execute(sql: "DROP TABLE t")
  }

  @Test func `missing, excess or unknown parameters of a query throw`() throws {
    #expect(failure { try db.query(.values, sql: "SELECT ?") }?.code == .range)
    #expect(failure { try db.query(.values, sql: "SELECT ?", parameters: 1, 2) }?.code == .range)
    #expect(
      failure { try db.query(.values, sql: "SELECT :a", parameters: ["b": 1]) }?.code == .range)
    #expect(failure { try db.first(.values, sql: "SELECT ?", parameters: []) }?.code == .range)
    #expect(failure { try db.first(.values, sql: "SELECT 1", parameters: 1) }?.code == .range)
  }

  @Test func `a connection reports the number of changes and the last inserted rowid`() throws {
    try db.execute(sql: "UPDATE t SET b = 'z' WHERE a < 3")
    #expect(db.changes == 2)
    #expect(db.totalChanges == 5)
    try db.execute(sql: "INSERT INTO t(rowid) VALUES (5000000000)")
    #expect(db.lastInsertRowid == 5_000_000_000)
    #expect(db.changes == 1)
  }
}
