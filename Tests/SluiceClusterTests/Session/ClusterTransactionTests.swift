import SluiceCluster
import TestSupport
import Testing

@Suite struct `transactions of a cluster` {
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

  @Test func `a transaction that ends in a savepoint that is caught throws the reason`()
    async throws
  {
    let stage = try ClusterStage()
    let error = await #expect(throws: SQLiteError.self) {
      try await stage.cluster.write { connection in
        try connection.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
        try? connection.savepoint { connection in
          try? connection.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
        }
        try? connection.execute(sql: "INSERT INTO t VALUES (2)")
      }
    }
    #expect(error?.code == .constraintUnique)
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

  @Test func `a savepoint that begins the transaction undoes its changes`() async throws {
    struct Stop: Error {}
    let stage = try ClusterStage()
    try await stage.addCounter()
    await #expect(throws: Stop.self) {
      try await stage.cluster.savepoint { connection in
        try connection.execute(sql: "UPDATE counter SET n = n + 1")
        throw Stop()
      }
    }
    #expect(try await stage.count == 0)
    try await stage.cluster.perform { connection in
      try connection.execute(
        sql: """
          SAVEPOINT a; UPDATE counter SET n = n + 10; ROLLBACK TO a;
          UPDATE counter SET n = n + 100; RELEASE a
          """)
    }
    #expect(try await stage.count == 100)
  }

  @Test(arguments: [
    "SAVEPOINT a; SAVEPOINT b; UPDATE counter SET n = n + 1; RELEASE b;"
      + "SAVEPOINT b; UPDATE counter SET n = n + 10; ROLLBACK TO a; RELEASE a",
    "SAVEPOINT a; SAVEPOINT b; SAVEPOINT c; UPDATE counter SET n = n + 1; RELEASE c;"
      + "SAVEPOINT c; UPDATE counter SET n = n + 10; RELEASE b; ROLLBACK TO a; RELEASE a",
    "SAVEPOINT a; SAVEPOINT b; UPDATE counter SET n = 7; ROLLBACK TO a; UPDATE counter SET n = 0;"
      + "SAVEPOINT b; UPDATE counter SET n = 9; ROLLBACK TO b; RELEASE a",
    "SAVEPOINT a; UPDATE counter SET n = 7; ROLLBACK TO a; SAVEPOINT b; UPDATE counter SET n = 8;"
      + "ROLLBACK TO b; ROLLBACK TO a; RELEASE a",
  ])
  func `savepoints that began before the first statement undo it`(_ script: String) async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    try await stage.cluster.write { try $0.execute(sql: script) }
    #expect(try await stage.count == 0)
    try await stage.cluster.perform { try $0.execute(sql: script) }
    #expect(try await stage.count == 0)
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

  @Test func `the foreign keys of a migration are checked`() async throws {
    let stage = try ClusterStage()
    let create = Migration(
      1, "create",
      sql: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(parent REFERENCES parent);
        INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1)
        """)
    try await Migrator([create]).migrate(stage.cluster)
    for sql in ["DELETE FROM parent", "CREATE TABLE pet(owner REFERENCES nobody)"] {
      let migrator = try Migrator([create, Migration(2, "break", sql: sql)])
      let error = await #expect(throws: SQLiteError.self) {
        try await migrator.migrate(stage.cluster)
      }
      #expect(error?.code == .constraintForeignKey, "\(sql)")
      #expect(error?.message.hasPrefix("Migration 2 \"break\": foreign keys: ") == true)
    }
    let count = try await stage.cluster.read { connection in
      try connection.first(.column(.int), sql: "SELECT count(*) FROM parent")
    }
    #expect(count == 1)
  }

  @Test func `a migration that replaces a table keeps the rows that refer to it`() async throws {
    let stage = try ClusterStage()
    let migrator = try Migrator([
      Migration(
        1, "create",
        sql: """
          CREATE TABLE parent(id INTEGER PRIMARY KEY);
          CREATE TABLE child(parent REFERENCES parent ON DELETE CASCADE);
          INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1)
          """),
      Migration(
        2, "replace",
        sql: """
          CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO new(id) SELECT id FROM parent;
          DROP TABLE parent; ALTER TABLE new RENAME TO parent
          """),
    ])
    try await migrator.migrate(stage.cluster)
    let count = try await stage.cluster.read { connection in
      try connection.first(.column(.int), sql: "SELECT count(*) FROM child")
    }
    #expect(count == 1)
    let isEnforcing = try await stage.cluster.perform { try $0.option(.foreignKeys) }
    #expect(isEnforcing)
    await #expect(throws: SQLiteError.self) {
      try await stage.cluster.write { try $0.execute(sql: "INSERT INTO child VALUES (2)") }
    }
  }

  @Test func `options of a connection are those of the leader`() async throws {
    let stage = try ClusterStage()
    try await stage.cluster.perform { connection in
      try connection.setOption(.foreignKeys, false)
      #expect(try connection.first(.column(.int), sql: "PRAGMA foreign_keys") == 0)
      #expect(failure { try connection.setOption(.writableSchema, true) }?.code == .misuse)
      #expect(failure { try connection.setOption(.triggers, false) }?.code == .misuse)
      #expect(failure { _ = try connection.option(.triggers) }?.code == .misuse)
    }
  }

  @Test func `a loop over rows goes on after a rollback`() async throws {
    let stage = try ClusterStage()
    let count = try await stage.cluster.perform { connection in
      try connection.execute(sql: "CREATE TABLE t(n); BEGIN; INSERT INTO t VALUES (0)")
      var count = 0
      let sql = """
        WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3000) SELECT n FROM r
        """
      try connection.execute(sql: sql) { row in
        count += 1
        if try row.get(.int, at: 0) == 5 { try connection.execute(sql: "ROLLBACK") }
      }
      return count
    }
    #expect(count == 3000)
  }

  @Test func `a migration that is cancelled leaves foreign keys enforced`() async throws {
    let stage = try ClusterStage()
    let create = Migration(
      1, "create",
      sql: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(parent REFERENCES parent ON DELETE CASCADE)
        """)
    try await Migrator([create]).migrate(stage.cluster)
    let slow = try Migrator([create, Migration(2, "slow", sql: "CREATE TABLE slow(a)")])
    stage.nodes.plan(.silence) { $0.sql.hasPrefix("CREATE TABLE slow") }
    let task = Task { try await slow.migrate(stage.cluster) }
    while !stage.nodes.statements.contains(where: { $0.sql.hasPrefix("CREATE TABLE slow") }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    await #expect(throws: SQLiteError.self) {
      try await stage.cluster.write { try $0.execute(sql: "INSERT INTO child VALUES (2)") }
    }
  }

  @Test func `rows that a failed statement keeps are committed`() async throws {
    let stage = try ClusterStage()
    try await stage.cluster.write { try $0.execute(sql: "CREATE TABLE t(a UNIQUE)") }
    try await stage.cluster.write { connection in
      let error = failure {
        try connection.execute(sql: "INSERT OR FAIL INTO t VALUES (1), (2), (1)")
      }
      #expect(error?.code == .constraintUnique)
    }
    let count = try await stage.cluster.read { connection in
      try connection.first(.column(.int), sql: "SELECT count(*) FROM t")
    }
    #expect(count == 2)
  }
}
