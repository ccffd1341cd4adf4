import SluiceCore
import TestSupport
import Testing

@Suite struct ReturningTests {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
  }

  @Test func `INSERT, UPDATE and DELETE with RETURNING yield rows`() throws {
    let sql = "INSERT INTO t(b) VALUES ('x'), ('y') RETURNING a, b"
    #expect(try db.query(.values, sql: sql).map(\.values) == [[1, "x"], [2, "y"]])
    #expect(
      try db.query(.column(.int), sql: "UPDATE t SET a = a + 10 RETURNING a") == [11, 12])
    #expect(try db.query(.column(.string), sql: "DELETE FROM t RETURNING b") == ["x", "y"])
  }

  @Test func `resetting a RETURNING statement after its first row commits every row`() throws {
    let statement = try db.prepare(sql: "INSERT INTO t(b) VALUES (1), (2), (3) RETURNING a")
    #expect(try statement.step()?.value(at: 0) == 1)
    try statement.reset()
    #expect(db.isInAutocommit)
    #expect(try db.transactionState() == .none)
    #expect(try db.value("SELECT count(*) FROM t") == 3)
  }

  @Test func `calling first on a RETURNING statement commits every row, and it can run again`()
    throws
  {
    let statement = try db.prepare(sql: "INSERT INTO t(b) VALUES (?1), (?1) RETURNING a")
    #expect(try statement.bind("x").first(.column(.int)) == 1)
    #expect(try statement.bind("y").first(.column(.int)) == 3)
    #expect(try db.query(.column(.string), sql: "SELECT b FROM t") == ["x", "x", "y", "y"])
    #expect(try db.transactionState() == .none)
  }

  @Test func `a RETURNING statement writes its rows even if no result is read`() throws {
    try db.execute(sql: "INSERT INTO t(b) VALUES (1), (2) RETURNING a", parameters: [])
    try db.execute(sql: "INSERT INTO t(b) VALUES (3), (4) RETURNING a")
    #expect(try db.value("SELECT count(*) FROM t") == 4)
  }

  @Test func `releasing a RETURNING statement after its first row commits every row`() throws {
    do { _ = try db.prepare(sql: "INSERT INTO t(b) VALUES (1), (2) RETURNING a").step() }
    #expect(try db.value("SELECT count(*) FROM t") == 2)
    #expect(try db.transactionState() == .none)
  }

  @Test func `a row closure of a RETURNING statement that throws leaves no transaction open`()
    throws
  {
    #expect(throws: ForeignError()) {
      try db.execute(sql: "INSERT INTO t(b) VALUES (1), (2) RETURNING a") { _ in
        throw ForeignError()
      }
    }
    #expect(try db.transactionState() == .none)
    try db.execute(sql: "DROP TABLE t")
  }
}
