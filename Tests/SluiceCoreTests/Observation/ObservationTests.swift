import SluiceCore
import TestSupport
import Testing

/// A query is made again when a commit may have changed what it finds, and only then.
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `live queries` {
  private static let tables = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, u UNIQUE);
    CREATE TABLE other(a);
    INSERT INTO t VALUES (1, 'a', 'b', 1), (2, 'c', 'd', 2)
    """

  @Test func `the first value comes at once, and then one for each commit`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t ORDER BY id")
    #expect(observed.count == 1)
    #expect(try observed.values(for: "INSERT INTO t VALUES (3, 'e', 'f', 3)") == 1)
    #expect(try observed.isCurrent("SELECT a FROM t ORDER BY id"))
    #expect(
      try observed.values(for: "BEGIN; DELETE FROM t; INSERT INTO t(a) VALUES (1); COMMIT") == 1)
    #expect(try observed.isCurrent("SELECT a FROM t ORDER BY id"))
  }

  @Test(arguments: [
    "UPDATE t SET a = 'x' WHERE id = 1", "DELETE FROM t", "DELETE FROM t WHERE id = 1",
    "REPLACE INTO t VALUES (5, 'x', 'y', 1)", "UPDATE OR REPLACE t SET u = 1 WHERE id = 2",
    "INSERT INTO t(id, a) VALUES (1, 2) ON CONFLICT DO UPDATE SET a = 7",
    "ALTER TABLE t ADD COLUMN c", "CREATE INDEX i ON t(a)", "DROP TABLE other",
    "UPDATE t SET rowid = 9 WHERE id = 1", "UPDATE t SET id = 9 WHERE id = 1",
    "WITH w AS (SELECT 1) UPDATE t SET a = (SELECT * FROM w)",
  ])
  func `what changes the columns of a query is seen`(sql: String) throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    #expect(try observed.values(for: sql) == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test(arguments: [
    "UPDATE t SET b = 'x'", "INSERT INTO other VALUES (1)", "DELETE FROM other",
    "UPDATE t SET a = 1 WHERE id = 99", "DELETE FROM t WHERE id = 99", "SELECT * FROM t",
    "CREATE TABLE IF NOT EXISTS t(a)", "BEGIN; DELETE FROM t; ROLLBACK",
    "SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s",
    "BEGIN; SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; DELETE FROM t; ROLLBACK TO s; COMMIT",
    "BEGIN; INSERT INTO other VALUES (1); SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; COMMIT",
    "CREATE TEMP TABLE z AS SELECT 1; INSERT INTO z VALUES (2)",
  ])
  func `what does not change them is not`(sql: String) throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    #expect(try observed.values(for: sql) == 0)
  }

  @Test func `a savepoint that is released counts, and so does what is written after one`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    let kept = "BEGIN; SAVEPOINT s; UPDATE t SET a = 5; RELEASE s; COMMIT"
    #expect(try observed.values(for: kept) == 1)
    let later = "BEGIN; SAVEPOINT s; ROLLBACK TO s; UPDATE t SET a = 6; COMMIT"
    #expect(try observed.values(for: later) == 1)
    let outer = """
      BEGIN; UPDATE t SET a = 7; SAVEPOINT S; UPDATE t SET a = 8; ROLLBACK TO s; COMMIT
      """
    #expect(try observed.values(for: outer) == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test func `scopes of closures count as they end`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    let undone = try observed.values { connection in
      try connection.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO other VALUES (1)")
        try connection.savepoint { connection, command in
          try connection.execute(sql: "DELETE FROM t")
          command = .rollback
        }
      }
    }
    #expect(undone == 0)
    let done = try observed.values { connection in
      try connection.transaction { connection, _ in
        try connection.savepoint { connection, _ in try connection.execute(sql: "DELETE FROM t") }
      }
    }
    #expect(done == 1)
    let failed = try observed.values { connection in
      _ = try? connection.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t(a) VALUES (1)")
        throw ForeignError()
      }
    }
    #expect(failed == 0)
  }

  @Test func `a statement that is kept and run again is seen each time`() throws {
    let observed = try Observed(Self.tables, "SELECT count(*) FROM t")
    for number in 10..<13 {
      let count = try observed.values { connection in
        try connection.execute(sql: "INSERT INTO t(id) VALUES (?)", parameters: .int(number))
      }
      #expect(count == 1)
    }
    #expect(try observed.isCurrent("SELECT count(*) FROM t"))
  }

  @Test func `a statement that was compiled before anybody observed is seen`() throws {
    let queue = try ConnectionQueue()
    let sql = "INSERT INTO t VALUES (1)"
    try queue.sync { connection in
      try connection.execute(sql: "CREATE TABLE t(a)")
      try connection.execute(sql: sql)
    }
    let recorder = Recorder<[Int]>(.unlimited)
    queue.observe(.column(.int), sql: "SELECT count(*) FROM t").subscribe(recorder)
    queue.settle()
    try queue.sync { try $0.execute(sql: sql) }
    queue.settle()
    #expect(recorder.values == [[1], [2]])
  }

  @Test func `a trigger that is added later is a part of a statement that is kept`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM other")
    let sql = "INSERT INTO t(a) VALUES (1)"
    #expect(try observed.values(for: sql) == 0)
    let trigger = """
      CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO other VALUES (NEW.a); END
      """
    #expect(try observed.values(for: trigger) == 1)
    #expect(try observed.values(for: sql) == 1)
    #expect(try observed.isCurrent("SELECT a FROM other"))
  }

  @Test func `rows that come back from a statement that writes count when it ends`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    let count = try observed.values { connection in
      let statement = try connection.prepare(sql: "UPDATE t SET a = 9 RETURNING a")
      _ = try statement.step() != nil
      try statement.reset()
    }
    #expect(count == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test func `a query that fails ends it, once`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    _ = try observed.values(for: "DROP TABLE t")
    #expect(observed.recorder.ends == 1)
    #expect((observed.recorder.error as? SQLiteError)?.message.contains("no such table") == true)
    #expect(try observed.values(for: "CREATE TABLE t(a)") == 0)
  }

  @Test func `one that is cancelled hears of nothing more`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    observed.recorder.subscription?.cancel()
    #expect(try observed.values(for: "DELETE FROM t") == 0)
    #expect(observed.recorder.ends == 0)
  }

  @Test func `a slow one gets the latest state, and not each`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t", demand: .max(1))
    #expect(try observed.values(for: "UPDATE t SET a = 1") == 0)
    #expect(try observed.values(for: "UPDATE t SET a = 2") == 0)
    observed.recorder.subscription?.request(.max(5))
    observed.queue.settle()
    #expect(observed.count == 2)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test func `equal values are passed over where that is asked for`() throws {
    let queue = try ConnectionQueue()
    try queue.sync { try $0.execute(sql: Self.tables) }
    let recorder = Recorder<Int>(.unlimited)
    queue.observe { connection in
      try connection.first(.column(.int), sql: "SELECT count(*) FROM t") ?? 0
    }.removeDuplicates().subscribe(recorder)
    queue.settle()
    try queue.sync {
      try $0.execute(sql: "DELETE FROM t WHERE id = 1; INSERT INTO t(id) VALUES (1)")
    }
    queue.settle()
    try queue.sync { try $0.execute(sql: "DELETE FROM t WHERE id = 1") }
    queue.settle()
    #expect(recorder.values == [2, 1] || recorder.values == [2, 1, 2, 1])
    try queue.sync { try $0.execute(sql: "REPLACE INTO t(id) VALUES (2)") }
    queue.settle()
    #expect(recorder.values.last == 1)
  }

  @Test func `a closure that writes is refused`() throws {
    let queue = try ConnectionQueue()
    try queue.sync { try $0.execute(sql: Self.tables) }
    let recorder = Recorder<Int>(.unlimited)
    queue.observe { connection in
      try connection.execute(sql: "DELETE FROM t")
      return 1
    }.subscribe(recorder)
    queue.settle()
    #expect((recorder.error as? SQLiteError)?.code == .misuse)
    #expect(try queue.sync { try $0.integers("SELECT count(*) FROM t") } == [2])
  }

  @Test func `the queries of a closure are those that it has made last`() throws {
    let queue = try ConnectionQueue()
    try queue.sync { try $0.execute(sql: Self.tables) }
    let recorder = Recorder<Int>(.unlimited)
    queue.observe { connection in
      let isEmpty = try connection.integers("SELECT count(*) FROM t") == [0]
      guard isEmpty else { return -1 }
      return try connection.integers("SELECT count(*) FROM other")[0]
    }.subscribe(recorder)
    queue.settle()
    for sql in ["INSERT INTO other VALUES (1)", "DELETE FROM t", "INSERT INTO other VALUES (2)"] {
      try queue.sync { try $0.execute(sql: sql) }
      queue.settle()
    }
    #expect(recorder.values == [-1, 1, 2])
  }

  @Test func `it is a sequence as well`() async throws {
    let queue = try ConnectionQueue()
    try await queue.perform { try $0.execute(sql: Self.tables) }
    var found: [Int] = []
    for try await count in queue.observe(.column(.int), "SELECT count(*) FROM t") {
      found += count
      if count[0] == 0 { break }
      try await queue.perform { connection in
        try connection.execute(
          sql: "DELETE FROM t WHERE id = (SELECT min(id) FROM t)")
      }
    }
    #expect(found == [2, 1, 0])
  }

  @Test func `commits before a value is fetched bring that value alone`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    #expect(
      try observed.values(for: "UPDATE t SET a = 1; UPDATE t SET a = 2; UPDATE t SET a = 3") == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test func `to look for other writers brings no value if there were none`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    observed.queue.noticeOtherWriters()
    observed.queue.settle()
    #expect(observed.count == 1)
  }

  @Test func `numbers in the head of the file are no tables`() throws {
    let queue = try ConnectionQueue()
    let recorder = Recorder<TableChanges>(.unlimited)
    queue.tableChanges().subscribe(recorder)
    queue.settle()
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); PRAGMA user_version = 7") }
    queue.settle()
    #expect(recorder.values.allSatisfy { $0.tables.isSubset(of: ["t"]) && !$0.isUnknown })
    #expect(!recorder.values.isEmpty)
  }
}
