import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.statements)) struct `statement metadata` {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name VARCHAR(10) NOT NULL, "free", "o'd" my Type);
        CREATE VIEW v AS SELECT name AS called, id + 1 AS next FROM t;
        INSERT INTO t VALUES (1, 'Ada', NULL, NULL), (2, 'Alan', NULL, NULL)
        """)
  }

  @Test func `a result column reports the exact type that its table declares`() throws {
    let statement = try db.prepare(sql: #"SELECT name, id, "free", "o'd", id + 1, ?, * FROM t"#)
    #expect(
      try statement.declaredTypes == [
        "VARCHAR(10)", "INTEGER", nil, "my Type", nil, nil, "INTEGER", "VARCHAR(10)", nil,
        "my Type",
      ])
    #expect(try statement.declaredType(at: 0) == "VARCHAR(10)")
    #expect(try statement.declaredType(at: 4) == nil)
  }

  @Test func `a column of a view or subquery reports the declared type of its table column`() throws
  {
    #expect(try db.prepare(sql: "SELECT * FROM v").declaredTypes == ["VARCHAR(10)", nil])
    let statement = try db.prepare(sql: "SELECT a FROM (SELECT id AS a FROM t)")
    #expect(try statement.declaredTypes == ["INTEGER"])
  }

  @Test func `a statement without result columns has no declared types`() throws {
    #expect(try db.prepare(sql: "DELETE FROM t").declaredTypes == [])
    #expect(
      try db.prepare(sql: "DELETE FROM t RETURNING name").declaredTypes.count == 1)
  }

  @Test(arguments: impossibleIndexes + [2])
  func `reading the declared type of a column out of range throws`(_ index: Int) throws {
    let statement = try db.prepare(sql: "SELECT id, name FROM t")
    let error = failure { try statement.declaredType(at: index) }
    #expect(error?.code == .range)
    #expect(error?.message == "There is no column at index \(index); the row has 2 columns")
    #expect(error?.sql == statement.sql)
  }

  @Test func `declared types reflect a schema change after the next run`() throws {
    let statement = try db.prepare(sql: "SELECT * FROM t")
    try db.execute(sql: "ALTER TABLE t ADD COLUMN more TEXT")
    try statement.execute()
    #expect(try statement.declaredTypes.last == "TEXT")
    #expect(try statement.declaredTypes.count == 5)
  }

  @Test(arguments: [
    ("SELECT 1", true), ("BEGIN", true), ("COMMIT", true), ("ATTACH ':memory:' AS a", true),
    ("BEGIN IMMEDIATE", false), ("INSERT INTO t(name) VALUES ('x')", false),
    ("DELETE FROM t WHERE 0", false), ("CREATE TABLE IF NOT EXISTS t(a)", false),
    ("EXPLAIN DELETE FROM t", false), ("EXPLAIN SELECT 1", true),
  ])
  func `a statement reports whether it is read-only`(sql: String, isReadOnly: Bool) throws {
    #expect(try db.prepare(sql: sql).isReadOnly == isReadOnly)
  }

  @Test(arguments: [
    ("SELECT 1", Statement.ExplainMode.none), ("EXPLAIN SELECT 1", .explain),
    ("EXPLAIN QUERY PLAN SELECT 1", .queryPlan), ("/* EXPLAIN */ SELECT 1", .none),
  ])
  func `a statement reports its explain mode`(sql: String, mode: Statement.ExplainMode) throws {
    #expect(try db.prepare(sql: sql).explainMode == mode)
  }

  @Test func `a statement is busy from its first row until it finishes or is reset`() throws {
    let statement = try db.prepare(sql: "SELECT id FROM t")
    #expect(try !statement.isBusy)
    for _ in 1...2 {
      let hasRow = try statement.step() != nil
      #expect(hasRow)
      #expect(try statement.isBusy)
    }
    let hasRow = try statement.step() != nil
    #expect(!hasRow)
    #expect(try !statement.isBusy)
    _ = try statement.step()
    try statement.reset()
    _ = try statement.step()
    try statement.reset()
    #expect(try !statement.isBusy)
  }

  @Test func `an SQL function can read the metadata of the statement that calls it`() throws {
    weak var running: Statement?
    var answers: [Bool] = []
    try db.addFunction("ask") { () throws -> Int in
      guard let running else { return 0 }
      answers = try [
        running.isBusy, running.isReadOnly, running.explainMode == .none,
        running.declaredTypes == [nil, "INTEGER"], running.expandedSQL.contains("'x'"),
        running.memoryUsed > 0, running.count(of: .runs) == 1,
      ]
      return 1
    }
    let statement = try db.prepare(sql: "SELECT ask(), id FROM t WHERE ? = 'x'")
    running = statement
    try statement.bind("x").execute()
    #expect(answers == Array(repeating: true, count: 7))
  }

  @Test func `expanded SQL contains the bound values in place of the parameters`() throws {
    let statement = try db.prepare(sql: "SELECT ?, :a, ?5, '?', $b -- ?")
    try statement.bind(1, toParameter: 1).bind("it's", toParameter: "a")
    try statement.bind(.value(.blob([0, 255])), toParameter: 5)
    #expect(try statement.expandedSQL == "SELECT 1, 'it''s', x'00ff', '?', NULL -- ?")
    try statement.clearBindings()
    #expect(try statement.expandedSQL == "SELECT NULL, NULL, NULL, '?', NULL -- ?")
    #expect(statement.sql == "SELECT ?, :a, ?5, '?', $b -- ?")
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `expanded SQL contains text up to a NUL in every database encoding`(name: String) throws {
    let db = try Connection()
    try db.execute(sql: "PRAGMA encoding = '\(name)'; CREATE TABLE t(a)")
    let statement = try db.prepare(sql: "SELECT ?, ?")
    try statement.bind("é😀", "a\0b")
    #expect(try statement.expandedSQL == "SELECT 'é😀', 'a'")
  }

  @Test func `expanded SQL above the length limit throws, and the statement can still run`() throws
  {
    let handle = try unsafe openedByC()
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1000)
    let db = unsafe Connection(adopting: handle)
    let statement = try db.prepare(sql: "SELECT ?1, ?1")
    try statement.bind(.string(String(repeating: "x", count: 600)))
    let error = failure { try statement.expandedSQL }
    #expect(error?.code == .tooBig)
    #expect(error?.sql == "SELECT ?1, ?1")
    #expect(try statement.rows().count == 1)
  }

  @Test func `reading statement metadata throws misuse after the connection closes`() throws {
    let statement = try db.prepare(sql: "SELECT id FROM t")
    try db.close()
    let codes = [
      failure { try statement.declaredType(at: 0) }, failure { try statement.declaredType(at: 9) },
      failure { try statement.declaredTypes }, failure { try statement.isReadOnly },
      failure { try statement.isBusy }, failure { try statement.explainMode },
      failure { try statement.expandedSQL },
    ].map { $0?.code }
    #expect(codes == codes.map { _ in .misuse })
  }
}
