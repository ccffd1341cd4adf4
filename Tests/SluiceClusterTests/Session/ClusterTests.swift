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
    #expect(sent[..<index].last { $0.hasPrefix("BEGIN") || $0 == "COMMIT" } == "BEGIN IMMEDIATE")
    #expect(stage.nodes.deaths.isEmpty)
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

  @Test func `a transaction that the leader has rolled back runs no further statement`()
    async throws
  {
    let stage = try ClusterStage()
    try await stage.cluster.write { connection in
      try connection.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
    }
    #expect(
      await awaitedFailure {
        try await stage.cluster.write { connection in
          try connection.execute(sql: "INSERT INTO t VALUES (2)")
          try? connection.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
          try connection.execute(sql: "INSERT INTO t VALUES (3)")
        }
      }?.code == .constraintUnique)
    let values = try await stage.cluster.read {
      try $0.query(.column(.int), sql: "SELECT a FROM t")
    }
    #expect(values == [1])
  }

  @Test func `a failed body rolls back, and so does the command rollback`() async throws {
    struct Stop: Error {}
    let stage = try ClusterStage()
    try await stage.addCounter()
    await #expect(throws: Stop.self) {
      try await stage.cluster.write { connection in
        try connection.execute(sql: "UPDATE counter SET n = 5")
        throw Stop()
      }
    }
    try await stage.cluster.transaction { connection, command in
      try connection.execute(sql: "UPDATE counter SET n = 6")
      command = .rollback
    }
    #expect(try await stage.count == 0)
  }

  @Test func `savepoints undo only their own changes`() async throws {
    struct Stop: Error {}
    let stage = try ClusterStage()
    try await stage.addCounter()
    try await stage.cluster.write { connection in
      try connection.execute(sql: "UPDATE counter SET n = n + 1")
      try? connection.savepoint { connection in
        try connection.execute(sql: "UPDATE counter SET n = n + 10")
        try connection.savepoint { connection in
          try connection.execute(sql: "UPDATE counter SET n = n + 100")
        }
        throw Stop()
      }
      try connection.savepoint { connection in
        try connection.execute(sql: "UPDATE counter SET n = n + 1000")
        _ = try? connection.savepoint { _ in throw Stop() }
      }
    }
    #expect(try await stage.count == 1001)
    // A savepoint without a statement is not sent.
    let savepoints = stage.nodes.statements.count { $0.sql.hasPrefix("SAVEPOINT") }
    #expect(savepoints == 3)
  }

  @Test func `statements in SQL begin and end transactions`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    try await stage.cluster.perform { connection in
      try connection.execute(sql: "BEGIN; UPDATE counter SET n = 1; ROLLBACK")
      try connection.execute(
        sql: """
          BEGIN; UPDATE counter SET n = n + 2; SAVEPOINT a; UPDATE counter SET n = 9;
          ROLLBACK TO a; COMMIT
          """)
    }
    #expect(try await stage.count == 2)
  }

  @Test func `a read sees one state, and cannot write`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    #expect(
      await awaitedFailure {
        try await stage.cluster.read { try $0.execute(sql: "UPDATE counter SET n = 1") }
      }?.code == .readOnly)
    #expect(
      await awaitedFailure {
        try await stage.cluster.read {
          try $0.query(.values, sql: "UPDATE counter SET n = 1 RETURNING n")
        }
      }?.code == .readOnly)
    #expect(try await stage.count == 0)
  }

  @Test func `migrations run once, each in a transaction`() async throws {
    let stage = try ClusterStage()
    let migrator = try Migrator([
      Migration(1, "create person", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)"),
      Migration(2, "add people") { connection in
        for name in ["Ada", "Bob"] {
          try connection.execute("INSERT INTO person(name) VALUES (\(name))")
        }
      },
      Migration(
        3, "rebuild",
        sql: """
          CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT);
          INSERT INTO new(id, name) SELECT id, name FROM person;
          DROP TABLE person;
          ALTER TABLE new RENAME TO person
          """),
    ])
    let report = try await migrator.migrate(stage.cluster)
    #expect(report.version == 3)
    #expect(report.applied.count == 3)
    #expect(try await migrator.migrate(stage.cluster).applied.isEmpty)
    let names = try await stage.cluster.read {
      try $0.query(.column(.string), sql: "SELECT name FROM person WHERE age IS NULL ORDER BY id")
    }
    #expect(names == ["Ada", "Bob"])
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
  }

  @Test func `columns that another client has added are found`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    let sql = "SELECT * FROM counter"
    let before = try await stage.cluster.read { try $0.first(.values, sql: sql) }
    #expect(before?.columnNames == ["n"])
    try stage.nodes.connection().execute(sql: "ALTER TABLE counter ADD COLUMN extra DEFAULT 7")
    let after = try await stage.cluster.read { try $0.first(.values, sql: sql) }
    #expect(after?.columnNames == ["n", "extra"])
  }

  @Test func `a statement that is kept keeps its parameters and columns when the schema changes`()
    async throws
  {
    let stage = try ClusterStage()
    try await stage.addCounter()
    try await stage.cluster.perform { connection in
      let update = try connection.prepare(sql: "UPDATE counter SET n = ?")
      let query = try connection.prepare(sql: "SELECT * FROM counter")
      try connection.execute(sql: "ALTER TABLE counter ADD COLUMN extra")
      try update.bind(5).execute()
      #expect(try connection.first(.column(.int), sql: "SELECT n FROM counter") == 5)
      #expect(failure { try query.execute() }?.code.primary == .schema)
    }
  }

  @Test func `code that needs a local database is refused`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    try await stage.cluster.perform { connection in
      let other = try Connection()
      #expect(failure { _ = try Backup(of: connection, to: other) }?.code == .misuse)
      #expect(failure { _ = try Backup(of: other, to: connection) }?.code == .misuse)
      #expect(failure { _ = try connection.serialize() }?.code == .misuse)
      #expect(
        failure {
          _ = try connection.openBlob(table: "counter", column: "n", rowid: 1)
        }?.code == .misuse)
      #expect(failure { _ = try connection.session(tables: []) }?.code == .misuse)
      #expect(failure { try connection.addFunction("f") { (a: Int) in a } }?.code == .misuse)
      #expect(
        failure {
          try connection.addCollation("c") { (a: String, b: String) in .init(a, b) }
        }?.code == .misuse)
      #expect(failure { _ = try connection.onUpdate { _ in } }?.code == .misuse)
      #expect(failure { _ = try connection.checkpoint() }?.code == .misuse)
      #expect(
        failure {
          try connection.attach(path: "/tmp/other.db", as: "other")
        }?.code == .authorization)
    }
    #expect(stage.nodes.deaths.isEmpty)
  }
}
