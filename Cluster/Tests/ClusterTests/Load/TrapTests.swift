import LocalNodes
import SluiceCluster
import Testing

extension `A cluster under load` {
  /// Statements and values that end a node of dqlite 1.11.1, or that it answers wrongly.
  @Suite struct `is not harmed by ordinary SQL` {
    @Test func `because statements are refused before they are sent, or sent in another form`()
      async throws
    {
      try await TestCluster.with { cluster in
        let program = try Cluster(nodes: cluster.addresses, database: "main", options: .underLoad)
        let traps = Traps(program, cluster)
        try await traps.returning()
        try await traps.refusedStatements()
        try await traps.declaredTypes()
        try await traps.longNames()
        try await traps.parameters()
        try await traps.longResults()
        try await traps.longMessages()
        try await traps.empty()
        try await traps.changedSchema()
        try await traps.settings()
        try await traps.names()
        try await program.close()
        _ = try await cluster.copy()
      }
    }
  }
}

/// The traps, in the order of the table in the documentation.
private struct Traps {
  private let program: Cluster
  private let cluster: TestCluster

  init(_ program: Cluster, _ cluster: TestCluster) {
    self.program = program
    self.cluster = cluster
  }

  /// Expects all nodes to run, and the cluster to write and read.
  private func expectAlive(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await program.write {
      try $0.execute(sql: "CREATE TABLE IF NOT EXISTS alive(n); INSERT INTO alive VALUES (1)")
    }
    try await cluster.waitUntilComplete()
    for node in cluster.all {
      #expect(node.isRunning, "node \(node.id) has ended", sourceLocation: sourceLocation)
    }
  }

  private func code(_ body: () async throws -> Void) async -> ResultCode? {
    do { try await body() } catch { return (error as? SQLiteError)?.code }
    return nil
  }

  func returning() async throws {
    let ids = try await program.perform { connection in
      try connection.execute(sql: "CREATE TABLE returned(id INTEGER PRIMARY KEY, a)")
      // Outside a transaction, as a statement without rows, and inside one.
      var ids = try connection.query(
        .column(.int), sql: "INSERT INTO returned(a) VALUES (1), (2) RETURNING id")
      try connection.execute(sql: "INSERT INTO returned(a) VALUES (3) RETURNING id")
      try connection.execute(sql: "BEGIN")
      ids += try connection.query(
        .column(.int), sql: "UPDATE returned SET a = a + 1 WHERE id = 3 RETURNING a")
      try connection.execute(sql: "COMMIT")
      return ids
    }
    #expect(ids == [1, 2, 4])
    for _ in 0..<3 {
      try await program.write { try $0.execute(sql: "DELETE FROM returned WHERE id = 1") }
    }
    try await expectAlive()
    let copy = try await cluster.copy()
    #expect(copy["returned"] == [[.integer(2), .integer(2)], [.integer(3), .integer(4)]])
  }

  func refusedStatements() async throws {
    for sql in [
      "PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "PRAGMA wal_checkpoint(TRUNCATE)",
      "PRAGMA locking_mode = EXCLUSIVE", "ATTACH ':memory:' AS other", "VACUUM INTO 'copy'",
      "VACUUM",
      "CREATE TEMP TABLE t(a)",
    ] {
      #expect(
        await code { try await program.perform { try $0.execute(sql: sql) } } == .authorization)
    }
    try await expectAlive()
    try await program.perform { try $0.execute(sql: "ANALYZE; REINDEX") }
    try await expectAlive()
  }

  func declaredTypes() async throws {
    let values: [DatabaseValue] = [
      .real(1.5), .blob([1, 2]), .text("text"), .text("2026-11-26 13:00:00"), .integer(7), .null,
    ]
    let types = ["DATETIME", "DATE", "TIMESTAMP", "BOOLEAN"]
    try await program.write { connection in
      let columns = types.enumerated().map { "c\($0) \($1)" }.joined(separator: ", ")
      try connection.execute(sql: "CREATE TABLE typed(id INTEGER PRIMARY KEY, \(columns))")
      for value in values {
        try connection.execute(
          "INSERT INTO typed(c0, c1, c2, c3) VALUES (\(value), \(value), \(value), \(value))")
      }
    }
    for sql in [
      "SELECT c0, c1, c2, c3 FROM typed ORDER BY id",
      "SELECT t.c0, t.c1, c2 AS x, \"c3\" FROM typed t ORDER BY id LIMIT 10",
      "WITH r AS (SELECT * FROM typed) SELECT c0, c1, c2, c3 FROM r ORDER BY id",
      "UPDATE typed SET id = id RETURNING c0, c1, c2, c3",
    ] {
      let rows = try await program.write { try $0.query(.values, sql: sql).map(\.values) }
      #expect(rows == values.map { Array(repeating: $0, count: types.count) })
    }
    try await expectAlive()
  }

  func longNames() async throws {
    let literal = "'\(String(repeating: "x", count: 5000))'"
    #expect(
      await code { try await program.read { try $0.execute(sql: "SELECT \(literal)") } } == .tooBig)
    let named = try await program.read {
      try $0.first(.column(.string), sql: "SELECT \(literal) AS a")
    }
    #expect(named?.count == 5000)
    try await program.write { connection in
      let columns = (0..<1_500).map { "column_\($0)" }.joined(separator: ", ")
      try connection.execute(sql: "CREATE TABLE wide(\(columns))")
      try connection.execute(sql: "INSERT INTO wide(column_9) VALUES (1)")
    }
    #expect(
      await code { try await program.read { try $0.execute(sql: "SELECT * FROM wide") } } == .tooBig
    )
    try await expectAlive()
  }

  func parameters() async throws {
    let tooMany = "SELECT " + Array(repeating: "?", count: 256).joined(separator: ", ")
    for sql in ["SELECT 1, '\0'", tooMany] {
      let refusal = await code { try await program.read { try $0.execute(sql: sql) } }
      #expect(refusal == .misuse || refusal == .range)
    }
    let nul = "a\0b"
    let refusal = await code { try await program.read { try $0.execute("SELECT \(nul)") } }
    #expect(refusal != nil)
    let kept: [DatabaseValue] = [.integer(.min), .real(-0.5), .text("é"), .blob([0]), .null]
    let row = try await program.read { connection in
      try connection.first(
        .values, "SELECT \(kept[0]), \(kept[1]), \(kept[2]), \(kept[3]), \(kept[4])")
    }
    #expect(row?.values == kept)
    // A node would keep an old value for a parameter without a value.
    #expect(await code { try await program.read { try $0.execute(sql: "SELECT ?, ?2") } } == .range)
    try await expectAlive()
  }

  func longResults() async throws {
    let sql = """
      WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 20000) SELECT n FROM r
      """
    let first = try await program.read { connection in
      [
        try connection.first(.column(.int), sql: sql),
        try connection.query(.column(.int), sql: sql).count,
      ]
    }
    #expect(first == [1, 20_000])
    try await expectAlive()
  }

  func longMessages() async throws {
    let name = String(repeating: "x", count: 6_000)
    let unknown = await code { try await program.read { try $0.execute(sql: "SELECT [\(name)]") } }
    #expect(unknown != nil)
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let stored = try await program.write { connection in
      try connection.execute(sql: "CREATE TABLE large(data)")
      try connection.execute("INSERT INTO large VALUES (\(bytes))")
      return try connection.first(.column(.bytes), sql: "SELECT data FROM large")
    }
    #expect(stored == bytes)
    try await expectAlive()
  }

  func empty() async throws {
    try await program.perform { connection in
      for sql in ["", " ", ";;", "-- nothing", "/* nothing */;", "SELECT 1;; -- nothing"] {
        try connection.execute(sql: sql)
      }
    }
    try await expectAlive()
  }

  func changedSchema() async throws {
    let other = try Cluster(nodes: cluster.addresses, database: "main", options: .underLoad)
    try await program.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    let before = try await program.read { try $0.first(.values, sql: "SELECT * FROM t") }
    #expect(before?.columnNames == ["a"])
    try await other.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2") }
    let after = try await program.read { try $0.first(.values, sql: "SELECT * FROM t") }
    #expect(after?.columnNames == ["a", "b"])
    #expect(after?.values == [.integer(1), .integer(2)])
    try await other.close()
    try await expectAlive()
  }

  func settings() async throws {
    try await program.perform { try $0.execute(sql: "PRAGMA foreign_keys = OFF") }
    let leader = try await cluster.leader()
    try await cluster.transfer(to: try #require(cluster.ids.first { $0 != leader }))
    Figures.add(to: .transfers)
    let isOn = try await program.perform {
      try $0.first(.column(.int), sql: "PRAGMA foreign_keys")
    }
    #expect(isOn == 0)
    try await expectAlive()
  }

  func names() async throws {
    let nodes = cluster.addresses
    for name in ["", "a\0b"] {
      #expect(throws: SQLiteError.self) { try Cluster(nodes: nodes, database: name) }
    }
    try await expectAlive()
  }
}
