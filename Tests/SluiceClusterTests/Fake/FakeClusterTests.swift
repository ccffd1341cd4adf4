import SluiceCluster
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections)) struct `Nodes for tests` {
  @Test func `a node executes SQL, and answers with rows in batches`() throws {
    let cluster = try FakeCluster()
    let connection = try NodeConnection(opening: cluster.addresses[0])
    try connection.run("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)")
    let result = try connection.execute("INSERT INTO t VALUES (7, ?)", ["seven"], patience)
    #expect(result == (7, 1))
    try connection.run(
      """
      WITH RECURSIVE n(x) AS (VALUES (8) UNION ALL SELECT x + 1 FROM n WHERE x < 2000)
      INSERT INTO t SELECT x, 'row ' || x FROM n
      """)
    let rows = try connection.rows("SELECT a, b FROM t ORDER BY a")
    #expect(rows.count == 1994)
    #expect(rows.last == [2000, "row 2000"])
    #expect(cluster.statements.count == 4)
    #expect(cluster.deaths.isEmpty)
  }

  @Test func `the end of a connection rolls its transaction back`() throws {
    let cluster = try FakeCluster()
    let connection = try NodeConnection(opening: cluster.addresses[0])
    try connection.run("CREATE TABLE t(a)")
    try connection.run("BEGIN IMMEDIATE")
    try connection.run("INSERT INTO t VALUES (1)")
    let other = try NodeConnection(opening: cluster.addresses[0])
    #expect(
      wireFailure { try other.run("INSERT INTO t VALUES (2)") }
        == .failure(code: 5, message: "database is locked"))
    connection.close()
    while wireFailure({ try other.run("INSERT INTO t VALUES (2)") }) != nil {}
    #expect(try other.rows("SELECT a FROM t") == [[2]])
  }

  @Test func `a planned fault meets the statements that match`() throws {
    let cluster = try FakeCluster()
    var connection = try NodeConnection(opening: cluster.addresses[0])
    try connection.run("CREATE TABLE t(a)")
    cluster.plan(.dropBefore, after: 1) { $0.sql.hasPrefix("INSERT") }
    try connection.run("INSERT INTO t VALUES (1)")
    #expect(wireFailure { try connection.run("INSERT INTO t VALUES (2)") }?.isBroken == true)
    connection = try NodeConnection(opening: cluster.addresses[0])
    cluster.plan(.dropAfter)
    #expect(wireFailure { try connection.run("INSERT INTO t VALUES (3)") }?.isBroken == true)
    connection = try NodeConnection(opening: cluster.addresses[0])
    cluster.plan(.failure(10250, "not leader"))
    #expect(
      wireFailure { try connection.run("INSERT INTO t VALUES (4)") }
        == .failure(code: 10250, message: "not leader"))
    #expect(
      wireFailure { try connection.rows("SELECT a FROM t") }
        == .failure(code: 12, message: "no database opened"))
    try connection.open("main", patience)
    cluster.plan(.leadershipLost)
    #expect(
      wireFailure { try connection.run("INSERT INTO t VALUES (5)") }
        == .failure(code: 10506, message: "leadership lost"))
    try connection.open("main", patience)
    #expect(try connection.rows("SELECT a FROM t ORDER BY a") == [[1], [3], [5]])
  }

  @Test func `another leader ends the transactions of the previous one`() throws {
    let cluster = try FakeCluster(nodes: 3)
    let connection = try NodeConnection(opening: cluster.addresses[0])
    #expect(try connection.leader(patience)?.id == 1)
    try connection.run("CREATE TABLE t(a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    try connection.transfer(to: 2, patience)
    #expect(
      wireFailure { try connection.run("COMMIT") } == .failure(code: 10250, message: "not leader"))
    let leader = try #require(try connection.leader(patience))
    #expect(leader.address == cluster.addresses[1].description)
    let other = try NodeConnection(opening: cluster.addresses[1])
    try other.run("INSERT INTO t VALUES (2)")
    #expect(try other.rows("SELECT a FROM t") == [[2]])
    cluster.stop(2)
    #expect(try connection.leader(patience) == nil)
    #expect(wireFailure { try other.rows("SELECT a FROM t") }?.isUnreachable == true)
    #expect(
      wireFailure { try NodeConnection(to: cluster.addresses[1], patience) }?.isUnreachable == true)
    try cluster.start(2)
    cluster.leader = 2
    #expect(
      try NodeConnection(opening: cluster.addresses[1]).rows("SELECT a FROM t") == [[2]])
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (1) RETURNING a", "PRAGMA journal_mode = DELETE",
  ])
  func `SQL that ends a real node ends this one`(sql: String) throws {
    let cluster = try FakeCluster()
    let connection = try NodeConnection(opening: cluster.addresses[0])
    try connection.run("CREATE TABLE t(a)")
    #expect(wireFailure { try connection.run(sql) }?.isBroken == true)
    #expect(cluster.deaths.count == 1)
    #expect(
      wireFailure { try NodeConnection(to: cluster.addresses[0], patience) }?.isUnreachable == true)
  }

  @Test func `a declared type changes the values that a node sends`() throws {
    let cluster = try FakeCluster()
    let connection = try NodeConnection(opening: cluster.addresses[0])
    try connection.run("CREATE TABLE t(a DATETIME, b BOOLEAN, c REAL)")
    try connection.run(
      "INSERT INTO t VALUES (17, 5, 1.5), ('2026-11-26', 0, NULL), (NULL, NULL, 2)")
    #expect(
      try connection.rows("SELECT * FROM t ORDER BY rowid")
        == [[17, 1, 1.5], ["2026-11-26", 0, nil], ["", 0, 2.0]])
    try connection.run("INSERT INTO t(a) VALUES (1.5)")
    #expect(wireFailure { try connection.rows("SELECT a FROM t") }?.isBroken == true)
    #expect(cluster.deaths.count == 1)
  }

  @Test func `a write by a query outside of a transaction ends the node at the next write`() throws
  {
    let cluster = try FakeCluster()
    let connection = try NodeConnection(opening: cluster.addresses[0])
    try connection.run("CREATE TABLE t(a)")
    try connection.run("BEGIN")
    #expect(try connection.rows("INSERT INTO t VALUES (1) RETURNING a") == [[1]])
    try connection.run("COMMIT")
    #expect(try connection.rows("INSERT INTO t VALUES (2) RETURNING a") == [[2]])
    #expect(wireFailure { try connection.run("INSERT INTO t VALUES (3)") }?.isBroken == true)
    #expect(cluster.deaths.count == 1)
  }
}
