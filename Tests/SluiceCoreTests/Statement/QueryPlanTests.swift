import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.statements)) struct `query plans` {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE t(a, b);
        CREATE TABLE u(c TEXT COLLATE NOCASE, d);
        CREATE INDEX i ON u(c);
        INSERT INTO t VALUES (1, 2)
        """)
  }

  @Test func `a query plan is a tree of nodes`() throws {
    let plan = try db.queryPlan(
      sql: "SELECT count(*) FROM t WHERE a IN (SELECT a FROM t WHERE a IN (SELECT d FROM u))")
    #expect(plan.nodes.map(\.detail) == ["SCAN t", "LIST SUBQUERY 2"])
    let subquery = try #require(plan.nodes.last)
    // Newer versions of SQLite add a Bloom filter next to the list.
    let children = subquery.children.filter { $0.detail != "CREATE BLOOM FILTER" }
    #expect(children.map(\.detail) == ["SCAN t", "LIST SUBQUERY 1"])
    let innermost = children.last?.children.filter { $0.detail != "CREATE BLOOM FILTER" }
    #expect(innermost?.map(\.detail) == ["SCAN u"])
    #expect(plan.nodes.first?.children == [])
    #expect(Set(plan.nodes.map(\.id) + children.map(\.id)).count == 4)
  }

  @Test(arguments: [
    ("SELECT * FROM t", ["SCAN t"]),
    ("SELECT * FROM t AS \"x y\" LEFT JOIN u ON d = a", ["SCAN x y"]),
    ("SELECT c FROM u", ["SCAN u USING COVERING INDEX i"]),
    ("SELECT * FROM u WHERE c = 'x'", []),
    ("SELECT * FROM t WHERE a IN (SELECT b FROM t WHERE rowid = 1)", ["SCAN t"]),
    ("SELECT * FROM v", ["SCAN t"]),
    ("WITH m AS MATERIALIZED (SELECT * FROM t WHERE rowid = 1) SELECT 1 FROM m", []),
    ("WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 5) SELECT * FROM r", []),
    ("SELECT * FROM (SELECT DISTINCT a FROM t LIMIT 3)", ["SCAN t"]),
    ("SELECT * FROM (VALUES (1), (2))", []),
    ("SELECT * FROM json_each('[]')", []),
    ("SELECT 1", []),
    ("DELETE FROM t WHERE a = 1", ["SCAN t"]),
  ]) func `the full scans of a plan include only scans of tables and indexes`(
    sql: String, scans: [String]
  ) throws {
    try db.execute(sql: "CREATE VIEW v AS SELECT DISTINCT a FROM t LIMIT 9")
    #expect(try db.queryPlan(sql: sql).fullScans.map(\.detail) == scans)
  }

  @Test func `the description of a plan has the format of the command-line tool`() throws {
    let sql = """
      SELECT a FROM t, u WHERE c = a UNION SELECT d FROM u WHERE d = (SELECT a FROM t) ORDER BY 1
      """
    #expect(
      try db.queryPlan(sql: sql).description == """
        QUERY PLAN
        `--MERGE (UNION)
           |--LEFT
           |  |--SCAN t
           |  |--SEARCH u USING COVERING INDEX i (c=?)
           |  `--USE TEMP B-TREE FOR ORDER BY
           `--RIGHT
              |--SCAN u
              `--SCALAR SUBQUERY 2
                 `--SCAN t
        """)
  }

  @Test func `the action of a foreign key is a trigger without a name`() throws {
    let db = try Connection()
    try db.setOption(.triggerQueryPlans, true)
    try db.execute(
      sql: """
        CREATE TABLE t(a INTEGER PRIMARY KEY);
        CREATE TABLE u(t REFERENCES t ON DELETE CASCADE);
        """)
    let plan = try db.queryPlan(sql: "DELETE FROM t WHERE a = 1")
    #expect(plan.description.contains("\nTRIGGER of a foreign key\n`--SCAN u"))
  }

  @Test func `each trigger has a separate tree in a plan`() throws {
    let db = try Connection()
    try db.setOption(.triggerQueryPlans, true)
    try db.execute(
      sql: """
        CREATE TABLE t(a);
        CREATE TABLE u(c, d);
        CREATE TRIGGER r AFTER INSERT ON t BEGIN
          DELETE FROM u WHERE c = 1;
          UPDATE t SET a = 1;
        END;
        CREATE TRIGGER s AFTER DELETE ON u BEGIN SELECT * FROM t; END
        """)
    let plan = try db.queryPlan(sql: "INSERT INTO t SELECT d FROM u")
    #expect(plan.nodes.map(\.detail) == ["SCAN u", "-- TRIGGER r", "-- TRIGGER s"])
    #expect(
      plan.description == """
        QUERY PLAN
        `--SCAN u
        TRIGGER r
        |--SCAN u
        `--SCAN t
        TRIGGER s
        `--SCAN t
        """)
    #expect(
      try db.queryPlan(sql: "INSERT INTO t VALUES (1)").description.hasPrefix(
        "TRIGGER r\n|--SCAN u"))
  }

  @Test func `a statement that searches no table has an empty plan`() throws {
    for sql in ["BEGIN", "INSERT INTO t VALUES (1, 2)"] {
      let plan = try db.queryPlan(sql: sql)
      #expect(plan.nodes.isEmpty)
      #expect(plan.description == "")
    }
  }

  @Test func `the plan of a statement equals the plan of its SQL`() throws {
    let statement = try db.prepare(sql: "SELECT d FROM u WHERE c = :c")
    let plan = try statement.queryPlan()
    #expect(plan.nodes.map(\.detail) == ["SEARCH u USING INDEX i (c=?)"])
    #expect(try plan == db.queryPlan(sql: statement.sql))
    try db.execute(sql: "DROP INDEX i")
    #expect(try statement.queryPlan().nodes.map(\.detail) == ["SCAN u"])
  }

  @Test func `a busy statement returns its plan without losing its position`() throws {
    try db.execute(sql: "INSERT INTO t VALUES (3, 4)")
    let statement = try db.prepare(sql: "SELECT a FROM t WHERE a <> ?")
    try statement.bind(0)
    var values: [DatabaseValue] = []
    while let row = try statement.step() {
      #expect(try statement.queryPlan().nodes.map(\.detail) == ["SCAN t"])
      values.append(try row.value(at: 0))
    }
    #expect(values == [1, 3])
  }

  @Test func `computing a plan does not run the statement`() throws {
    var calls = 0
    try db.addFunction("called") { () -> Int in
      calls += 1
      return calls
    }
    _ = try db.queryPlan(sql: "SELECT called() FROM t")
    _ = try db.queryPlan(sql: "DELETE FROM t WHERE a = called()")
    _ = try db.prepare(sql: "UPDATE t SET a = called()").queryPlan()
    #expect(calls == 0)
    #expect(try db.value("SELECT a FROM t") == 1)
    #expect(db.isInAutocommit)
  }

  @Test func `a query plan requires no values for parameters of any form or number`() throws {
    for sql in ["= ?", "= :c", "= ?32766", "IN (?3, $x)"].map({ "SELECT * FROM u WHERE c " + $0 }) {
      #expect(try db.queryPlan(sql: sql).nodes.map(\.detail) == ["SEARCH u USING INDEX i (c=?)"])
    }
  }

  @Test func `a bound value can change the query plan`() throws {
    let sql = "SELECT * FROM u WHERE c LIKE :pattern AND d = ?2"
    let search = ["SEARCH u USING INDEX i (c>? AND c<?)"]
    #expect(try db.queryPlan(sql: sql).nodes.map(\.detail) == ["SCAN u"])
    #expect(try db.queryPlan(sql: sql, parameters: "a%").nodes.map(\.detail) == search)
    #expect(try db.queryPlan(sql: sql, parameters: ["a%"]).nodes.map(\.detail) == search)
    #expect(
      try db.queryPlan(sql: sql, parameters: [":pattern": "a%"]).nodes.map(\.detail) == search)
    let pattern = "a%"
    #expect(
      try db.queryPlan("SELECT * FROM u WHERE c LIKE \(pattern) AND d = \(1)").nodes.map(\.detail)
        == search)
    #expect(try db.queryPlan(sql: sql, parameters: "%a", 1).nodes.map(\.detail) == ["SCAN u"])
  }

  @Test func `invalid SQL or parameters throw instead of returning a plan`() throws {
    let misspelt = failure { try db.queryPlan(sql: "SELECT nobody FROM t") }
    #expect(misspelt?.message == "no such column: nobody")
    #expect(misspelt?.sql == "EXPLAIN QUERY PLAN SELECT nobody FROM t")
    #expect(misspelt?.offset == 26)
    #expect(failure { try db.queryPlan(sql: "") }?.code == .error)
    #expect(failure { try db.queryPlan(sql: "SELECT 1; SELECT 2") }?.code == .misuse)
    #expect(failure { try db.queryPlan(sql: "SELECT 1\0") }?.code == .misuse)
    #expect(failure { try db.queryPlan(sql: "EXPLAIN SELECT 1") }?.code == .error)
    #expect(failure { try db.queryPlan(sql: "SELECT ?", parameters: 1, 2) }?.code == .range)
    #expect(failure { try db.queryPlan(sql: "SELECT ?", parameters: ["a": 1]) }?.code == .range)
  }

  @Test func `requesting a plan throws misuse after the connection closes`() throws {
    let statement = try db.prepare(sql: "SELECT 1")
    try db.close()
    #expect(failure { try statement.queryPlan() }?.code == .misuse)
    #expect(failure { try db.queryPlan(sql: "SELECT 1") }?.code == .misuse)
  }
}
