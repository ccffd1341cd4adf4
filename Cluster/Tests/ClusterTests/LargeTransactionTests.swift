import SluiceCluster
import Testing

/// Transactions that change more pages than the cache of a connection to a node holds by default, which is 2 MB.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `Large transactions of a cluster` {
  private static let fill = """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
    INSERT INTO t SELECT i, zeroblob(1000) FROM n
    """

  /// Transactions, each with the number of rows and of bytes that it leaves.
  private static let transactions = [
    ("UPDATE t SET data = zeroblob(1001); UPDATE t SET data = zeroblob(1002)", 6000, 6_012_000),
    ("DELETE FROM t; \(fill)", 6000, 6_000_000),
    ("UPDATE t SET data = zeroblob(1001); DELETE FROM t WHERE id % 2", 3000, 3_003_000),
    ("DELETE FROM t; INSERT INTO t VALUES (1, zeroblob(4000000))", 1, 4_000_000),
    (
      """
      CREATE TABLE new(id INTEGER PRIMARY KEY, data); INSERT INTO new SELECT * FROM t;
      DROP TABLE t; ALTER TABLE new RENAME TO t; CREATE INDEX by_data ON t(data, id)
      """, 6000, 6_000_000
    ),
  ]

  @Test(arguments: transactions)
  func `a transaction of several megabytes commits`(
    sql: String, rows: Int, bytes: Int
  ) async throws {
    try await TestCluster.with(nodes: 1) { nodes in
      let cluster = try Cluster(nodes: nodes.addresses, database: "main", options: .underLoad)
      try await cluster.write { connection in
        try connection.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, data)")
        try connection.execute(sql: Self.fill)
      }
      try await cluster.write { try $0.execute(sql: sql + "; DROP INDEX IF EXISTS by_data") }
      // After a change of an option, the connection to the node is another one.
      try await cluster.perform { connection in
        try connection.setOption(.foreignKeys, false)
        try connection.transaction { _ in try connection.execute(sql: sql) }
      }
      let count = try await cluster.read { connection in
        try connection.first(.columns(.int, .int), sql: "SELECT count(*), sum(length(data)) FROM t")
      }
      #expect(try #require(count) == (rows, bytes))
      let check = "PRAGMA integrity_check"
      #expect(try await cluster.read { try $0.query(.column(.string), sql: check) } == ["ok"])
      try await cluster.close()
    }
  }
}
