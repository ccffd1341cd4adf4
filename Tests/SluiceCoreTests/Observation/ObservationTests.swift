import SluiceCore
import TestSupport
import Testing

/// A live query runs again when a commit may have changed its result, and only then.
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `live queries` {
  private static let tables = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, u UNIQUE);
    CREATE TABLE other(a);
    INSERT INTO t VALUES (1, 'a', 'b', 1), (2, 'c', 'd', 2)
    """

  @Test func `a live query emits immediately and then once per commit`() throws {
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
  func `a live query emits after a change that may affect its columns`(sql: String) throws {
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
  ])
  func `a live query ignores a change that cannot affect its columns`(sql: String) throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    #expect(try observed.values(for: sql) == 0)
  }

  @Test func `a live query emits if a transaction with savepoints commits any write`() throws {
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

  @Test func `a live query emits only for transaction and savepoint scopes that commit`() throws {
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

  @Test func `a live query emits each time a cached statement runs`() throws {
    let observed = try Observed(Self.tables, "SELECT count(*) FROM t")
    for number in 10..<13 {
      let count = try observed.values { connection in
        try connection.execute(sql: "INSERT INTO t(id) VALUES (?)", parameters: .int(number))
      }
      #expect(count == 1)
    }
    #expect(try observed.isCurrent("SELECT count(*) FROM t"))
  }

  @Test func `a live query emits for a statement compiled before the observation`() throws {
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

  @Test func `a live query emits for a trigger added after its statement was cached`() throws {
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

  @Test func `a live query emits after a RETURNING statement is reset`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    let count = try observed.values { connection in
      let statement = try connection.prepare(sql: "UPDATE t SET a = 9 RETURNING a")
      _ = try statement.step() != nil
      try statement.reset()
    }
    #expect(count == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test func `a live query that fails ends its observation exactly once`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    _ = try observed.values(for: "DROP TABLE t")
    #expect(observed.recorder.ends == 1)
    #expect((observed.recorder.error as? SQLiteError)?.message.contains("no such table") == true)
    #expect(try observed.values(for: "CREATE TABLE t(a)") == 0)
  }

  @Test func `a live query emits nothing after it is cancelled`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    observed.recorder.subscription?.cancel()
    #expect(try observed.values(for: "DELETE FROM t") == 0)
    #expect(observed.recorder.ends == 0)
  }

  @Test func `a slow subscriber receives only the latest state`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t", demand: .max(1))
    #expect(try observed.values(for: "UPDATE t SET a = 1") == 0)
    #expect(try observed.values(for: "UPDATE t SET a = 2") == 0)
    observed.recorder.subscription?.request(.max(5))
    observed.queue.settle()
    #expect(observed.count == 2)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test func `removeDuplicates drops a value of a live query that equals the previous value`()
    throws
  {
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

  @Test func `an observation whose closure writes ends with misuse`() throws {
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

  @Test func `an observed closure runs again only for changes that affect its latest queries`()
    throws
  {
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

  @Test func `a live query is an asynchronous sequence`() async throws {
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

  @Test func `several commits before a live query fetches again emit a single value`() throws {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    #expect(
      try observed.values(for: "UPDATE t SET a = 1; UPDATE t SET a = 2; UPDATE t SET a = 3") == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test func `noticeOtherWriters makes no live query emit if no other connection has written`()
    throws
  {
    let observed = try Observed(Self.tables, "SELECT a FROM t")
    observed.queue.noticeOtherWriters()
    observed.queue.settle()
    #expect(observed.count == 1)
  }

  @Test func `a write to user_version is not reported as a table change`() throws {
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
