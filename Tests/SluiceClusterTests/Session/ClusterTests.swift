import SluiceCluster
import TestSupport
import Testing

@Suite struct `connections of a cluster` {
  struct Event: Codable, Equatable {
    var id: Int64
    var title: String
    var size: Double?
    var data: [UInt8]?
  }

  @Test func `rows, parameters and Codable values are those of a local database`() async throws {
    let stage = try ClusterStage()
    let events = [
      Event(id: 1, title: "a 'quoted' \"title\"", size: 1.5, data: [0, 1, 255]),
      Event(id: 2, title: "", size: nil, data: []), Event(id: 3, title: "é\n", size: -0.25),
    ]
    let found = try await stage.cluster.write { connection in
      try connection.execute(
        sql: "CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT, size REAL, data BLOB)")
      for event in events {
        try connection.execute(
          """
          INSERT INTO event(id, title, size, data)
          VALUES (\(event.id), \(event.title), \(event.size), \(event.data))
          """)
      }
      try connection.execute(
        sql: "INSERT INTO event(title) VALUES (:title)", parameters: ["title": "named"])
      #expect(connection.lastInsertRowid == 4)
      #expect(connection.changes == 1)
      return try connection.query(
        Event.self, sql: "SELECT * FROM event WHERE id < ?2 AND id > ?1 ORDER BY id",
        parameters: 0, 4)
    }
    #expect(found == events)
    let row = try await stage.cluster.read { connection in
      try connection.first(.values, sql: #"SELECT id AS "a ""b""", title, NULL FROM event"#)
    }
    #expect(row?.columnNames == ["a \"b\"", "title", "NULL"])
    #expect(row?.values == [.integer(1), .text("a 'quoted' \"title\""), .null])
  }

  @Test func `a long result is read in batches, and another statement may run between its rows`()
    async throws
  {
    let stage = try ClusterStage()
    let (sum, count) = try await stage.cluster.write { connection in
      try connection.execute(
        sql: """
          CREATE TABLE number(n); CREATE TABLE copy(n);
          WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3000)
          INSERT INTO number SELECT n FROM r
          """)
      var sum = 0
      try connection.execute(sql: "SELECT n FROM number ORDER BY n") { row in
        let n: Int = try row.n
        sum += n
        if n % 500 == 0 {
          try connection.execute("INSERT INTO copy VALUES (\(n))")
          #expect(try row.n == n)
        }
      }
      return (
        sum, try connection.first(.column(.int), sql: "SELECT count(*) FROM copy")
      )
    }
    #expect(sum == 3000 * 3001 / 2)
    #expect(count == 6)
  }

  @Test func `the first of many rows leaves the connection usable`() async throws {
    let stage = try ClusterStage()
    let sql = """
      WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9000) SELECT n FROM r
      """
    for _ in 0..<3 {
      let first = try await stage.cluster.read { connection in
        try [
          connection.first(.column(.int), sql: sql),
          connection.first(.column(.int), sql: "SELECT 2"),
        ]
      }
      #expect(first == [1, 2])
    }
  }

  @Test func `RETURNING gives back the rows, and writes in a transaction`() async throws {
    let stage = try ClusterStage()
    let ids = try await stage.cluster.perform { connection in
      try connection.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
      let ids = try connection.query(
        .column(.int), sql: "INSERT INTO t(a) VALUES (?), (?) RETURNING id", parameters: 5, 6)
      #expect(connection.lastInsertRowid == 2)
      #expect(connection.changes == 2)
      return ids
    }
    #expect(ids == [1, 2])
    let sent = stage.nodes.statements.map(\.sql)
    let index = try #require(sent.firstIndex { $0.contains("RETURNING") })
    let ends = sent[..<index].filter { $0.hasPrefix("BEGIN") || $0.hasSuffix("COMMIT") }
    #expect(ends.last == "BEGIN IMMEDIATE")
    #expect(stage.nodes.deaths.isEmpty)
  }

  @Test func `only changes of rows are counted`() async throws {
    let stage = try ClusterStage()
    let script = [
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a)", "INSERT INTO t(a) VALUES (1), (2), (3)",
      "CREATE TABLE u(a)", "CREATE INDEX i ON t(a)", "PRAGMA user_version = 3",
      "UPDATE t SET a = 0 WHERE id > 1", "ALTER TABLE u ADD COLUMN b", "DROP TABLE u", "ANALYZE",
      "WITH w(x) AS (SELECT 1) DELETE FROM t WHERE id IN (SELECT x FROM w)", "SELECT 1",
    ]
    let counts = { @Sendable (connection: Connection) in
      try script.map { sql in
        try connection.execute(sql: sql)
        return [connection.changes, connection.totalChanges, Int(connection.lastInsertRowid)]
      }
    }
    let expected = try counts(Connection())
    #expect(try await stage.cluster.perform { try counts($0) } == expected)
  }

  @Test func `errors are those of SQLite, and an error in a transaction does not end it`()
    async throws
  {
    let stage = try ClusterStage()
    try await stage.cluster.write { connection in
      try connection.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
      #expect(
        failure {
          try connection.execute(sql: "INSERT INTO t VALUES (1)")
        }?.code == .constraintUnique)
      #expect(failure { try connection.execute(sql: "SELECT b FROM t") }?.code == .error)
      #expect(failure { try connection.execute(sql: "SELEC 1") }?.code == .error)
      try connection.execute(sql: "INSERT INTO t VALUES (2)")
    }
    let count = try await stage.cluster.read {
      try $0.first(.column(.int), sql: "SELECT count(*) FROM t")
    }
    #expect(count == 2)
  }

  @Test(arguments: [1, 14, 15, 16, 17, 64, 65, 255])
  func `a query has many parameters`(_ count: Int) async throws {
    let stage = try ClusterStage()
    let some: [DatabaseValue] = [
      .null, .real(1.5), .text("é"), .blob([0, 255]), .integer(-7), .text(""),
    ]
    let values = (0..<count).map { some[$0 % some.count] }
    let sql = "VALUES " + (1...count).map { "(?\($0))" }.joined(separator: ", ")
    let found = try await stage.cluster.read { connection in
      try connection.query(.values, sql: sql, parameters: SQLParameters(values))
    }
    #expect(found.map { $0.values[0] } == values)
    // A row with many columns has its parameters in packs, too.
    let columns = (1...30).map { "?1 AS c\($0)" }.joined(separator: ", ")
    let row = try await stage.cluster.read { connection in
      try connection.first(.values, sql: "SELECT \(columns)", parameters: "a")
    }
    #expect(row?.values == Array(repeating: .text("a"), count: 30))
  }

  @Test func `an array is a parameter`() async throws {
    let stage = try ClusterStage()
    let found = try await stage.cluster.read { connection in
      try connection.query(
        .column(.string),
        sql: """
          WITH t(a) AS (VALUES ('x'), ('y"'), ('z')) SELECT a FROM t WHERE a IN array(?)
          """, parameters: .array(["y\"", "z", "é"]))
    }
    #expect(found == ["y\"", "z"])
    let values: [DatabaseValue] = [
      .integer(.max), .real(1), .real(-.infinity), .real(0.1), .text("a\n\u{1}\\é"), .null,
    ]
    let returned = try await stage.cluster.read { connection in
      try connection.query(.values, sql: "SELECT value FROM array(?)", parameters: .array(values))
    }
    #expect(returned.map { $0.values[0] } == values)
    let error = await awaitedFailure {
      try await stage.cluster.read {
        try $0.execute(sql: "SELECT 1 FROM array(?)", parameters: .array([[1, 2] as [UInt8]]))
      }
    }
    #expect(error?.code == .mismatch)
  }

  @Test func `an error is about the SQL of the caller`() async throws {
    let stage = try ClusterStage()
    try await stage.cluster.perform { connection in
      let local = try Connection()
      for sql in ["SELECT (1", "SELECT 'abc", "SELECT nope", "VALUES (1", "SELECT 1 FROM"] {
        let error = failure { try connection.execute(sql: sql) }
        #expect(error?.message == failure { try local.execute(sql: sql) }?.message)
      }
    }
  }
}
