import SluiceCluster
import Testing

/// Transactions that change more pages than the cache of a connection to a node holds by default, which is 2 MB.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `Large transactions of a cluster` {
  private static let fill = """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
    INSERT INTO t SELECT i, zeroblob(1000) FROM n
    """

  @Test(arguments: [
    "UPDATE t SET data = zeroblob(1001); UPDATE t SET data = zeroblob(1002)",
    "DELETE FROM t; \(fill)",
    "UPDATE t SET data = zeroblob(1001); DELETE FROM t WHERE id % 2",
    "DELETE FROM t; INSERT INTO t VALUES (1, zeroblob(4000000))",
    """
    CREATE TABLE new(id INTEGER PRIMARY KEY, data, size); INSERT INTO new SELECT *, 1 FROM t;
    DROP TABLE t; ALTER TABLE new RENAME TO t; CREATE INDEX by_data ON t(data, size)
    """,
  ])
  func `a transaction of several megabytes commits`(sql: String) async throws {
    try await TestCluster.with(nodes: 1) { nodes in
      let cluster = try Cluster(nodes: nodes.addresses, database: "main", options: .underLoad)
      try await cluster.write { connection in
        try connection.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, data)")
        try connection.execute(sql: Self.fill)
      }
      for _ in 0..<2 where !sql.contains("RENAME") {
        try await cluster.write { try $0.execute(sql: sql) }
      }
      // The connection to a node is another one.
      try await cluster.perform { connection in
        try connection.setOption(.foreignKeys, false)
        try connection.transaction { _ in try connection.execute(sql: sql) }
      }
      let check = "PRAGMA integrity_check"
      #expect(try await cluster.read { try $0.query(.column(.string), sql: check) } == ["ok"])
      try await cluster.close()
    }
  }
}
