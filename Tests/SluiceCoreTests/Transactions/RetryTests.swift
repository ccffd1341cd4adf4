import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10)))
struct `retries of transactions` {
  let folder: TestFolder
  let queue: ConnectionQueue
  let other: ConnectionQueue

  init() throws {
    folder = try TestFolder()
    queue = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    other = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  }

  @Test func `a transaction whose snapshot is out of date runs again from its beginning`() throws {
    let runs = Counter()
    let (_, sum) = try queue.syncTransaction(.deferred, retries: 3) { [other] connection, _ in
      runs.add()
      let count = try connection.integers("SELECT count(*) FROM t")[0]
      if runs.count < 3 { try other.sync { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
      try connection.execute("INSERT INTO t VALUES (\(count))")
      return count
    }
    #expect(sum == 3 && runs.count == 3)
    #expect(try queue.sync { try $0.integers("SELECT a FROM t") } == [1, 1, 1, 3])
  }

  @Test func `a transaction that exhausts its retries throws the error of the last attempt`() throws
  {
    let runs = Counter()
    let error = failure {
      try queue.syncTransaction(.deferred, retries: 2) { [other] connection, _ in
        runs.add()
        _ = try connection.integers("SELECT count(*) FROM t")
        try other.sync { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
      }
    }
    #expect(error?.code == .busySnapshot)
    #expect(runs.count == 3)
    #expect(try queue.sync { $0.isInAutocommit })
  }

  @Test func `a transaction that fails with an error other than busy is not retried`() async throws
  {
    let runs = Counter()
    await #expect(throws: ForeignError()) {
      try await queue.transaction(retries: 9) { _, _ in
        runs.add()
        throw ForeignError()
      }
    }
    #expect(
      await awaitedFailure {
        try await queue.transaction(retries: 9) { connection, _ in
          runs.add()
          try connection.execute(sql: "INSERT INTO missing VALUES (1)")
        }
      }?.code == .error)
    #expect(runs.count == 2)
  }

  @Test func `retries end when the lock is released, the deadline passes or the task is cancelled`()
    async throws
  {
    let holder = try Connection(path: folder.file())
    try holder.begin(.immediate)
    await #expect(throws: DeadlineError.self) {
      try await queue.transaction(retries: .max, deadline: .now + .milliseconds(50)) { _, _ in }
    }
    let task = Task {
      try await queue.transaction(retries: .max) { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
      }
    }
    let cancelled = Task { try await queue.transaction(retries: .max) { _, _ in } }
    cancelled.cancel()
    #expect(await failure(of: cancelled) is CancellationError)
    try holder.rollback()
    _ = try await task.value
    #expect(try await queue.serves(rows: 2))
  }

  @Test func `a commit blocked by a reader is retried, and throws busy after the last attempt`()
    throws
  {
    // Without a WAL, a reader blocks a writer's commit.
    let path = folder.path + "/b.db"
    let queue = try ConnectionQueue(path: path, configuration: .impatient)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    let reader = try Connection(path: path)
    let statement = try reader.prepare(sql: "SELECT a FROM t UNION ALL SELECT a FROM t")
    let isReading = try statement.step() != nil
    #expect(isReading)
    let runs = Counter()
    let error = failure {
      try queue.syncTransaction(retries: 1) { connection, _ in
        runs.add()
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
      }
    }
    #expect(error?.code == .busy && runs.count == 2)
    try statement.reset()
    try queue.syncTransaction(retries: 1) { connection, _ in
      try connection.execute(sql: "INSERT INTO t VALUES (2)")
    }
    #expect(try queue.sync { try $0.integers("SELECT a FROM t") } == [1, 2])
  }

  @Test func `a transaction whose commit hook throws busy is not retried`()
    async throws
  {
    let busy = SQLiteError(.busy, "the hook is busy")
    let runs = Counter()
    let insert = { @Sendable (connection: inout sending Connection) in
      runs.add()
      try connection.execute(sql: "INSERT INTO t VALUES (2)")
    }
    try await queue.perform { _ = try $0.onCommit { throw busy } }
    let error = failure { try queue.syncTransaction(retries: 3) { c, _ in try insert(&c) } }
    #expect(error?.message == busy.message)
    #expect(runs.count == 1)
    let awaited = await awaitedFailure {
      try await queue.transaction(retries: 3) { c, _ in try insert(&c) }
    }
    #expect(awaited?.message == busy.message)
    #expect(runs.count == 2)
    let pool = try ConnectionPool(path: folder.file())
    try await pool.perform { _ = try $0.onCommit { throw busy } }
    let pooled = await awaitedFailure { try await pool.write(retries: 3, insert) }
    #expect(pooled?.message == busy.message)
    let blocking = await apart { failure { try pool.syncWrite(retries: 3, insert) } }
    #expect(blocking?.message == busy.message)
    #expect(runs.count == 4)
    #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
  }

  @Test func `a pool retries an awaited write and a synchronous write`() async throws {
    let pool = try ConnectionPool(path: folder.file())
    let runs = Counter()
    let write = { @Sendable (connection: inout sending Connection) in
      runs.add()
      guard runs.count % 3 == 0 else { throw SQLiteError(.busy, "another time") }
    }
    try await pool.write(retries: 2, write)
    #expect(runs.count == 3)
    #expect(await apart { failure { try pool.syncWrite(retries: 2, write) } } == nil)
    #expect(runs.count == 6)
  }
}
