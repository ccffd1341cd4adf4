import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.concurrency, .storage), .timeLimit(.minutes(10)))
struct `a pool with the replicated configuration` {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A monitor that records the maintenance of pools.
  private final class Log: ConnectionMonitor {
    let records = SharedLog<UpkeepRecord>()
    func upkeepDidRun(_ record: UpkeepRecord) { records.append(record) }
  }

  @Test func `every connection has a WAL and runs no checkpoint`() async throws {
    let pool = try ConnectionPool(path: folder.file(), configuration: .replicated)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    @Sendable func check(_ connection: Connection) throws {
      #expect(try connection.pragma(.journalMode) == .wal)
      #expect(try connection.walAutocheckpoint == 0)
      #expect(try connection.option(.noCheckpointOnClose))
      #expect(try connection.pragma(.journalSizeLimit) == 0)
    }
    try await pool.perform { connection in
      try check(connection)
      #expect(try connection.pragma(.synchronous) == .normal)
    }
    try await pool.read { try check($0) }
    try await pool.close()
  }

  @Test(arguments: [true, false])
  func `closing the last connection keeps the WAL and its content`(_ isPool: Bool) async throws {
    if isPool {
      let pool = try ConnectionPool(path: folder.file(), configuration: .replicated)
      try await pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
      try await pool.close()
    } else {
      let queue = try ConnectionQueue(path: folder.file(), configuration: .replicated)
      try await queue.perform { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
      try await queue.close()
    }
    #expect(try folder.content == ["app.db", "app.db-shm", "app.db-wal"])
    #expect(try folder.bytes("app.db-wal").count > 2 * 4096)
    let connection = try Connection(path: folder.file(), configuration: .replicated)
    #expect(try connection.integers("SELECT a FROM t") == [1])
    try connection.close()
    #expect(try folder.bytes("app.db-wal").count > 2 * 4096)
  }

  @Test func `an explicit checkpoint still runs`() throws {
    let connection = try Connection(path: folder.file(), configuration: .replicated)
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(try connection.checkpoint(.truncate).isBusy == false)
    #expect(try folder.bytes("app.db-wal").isEmpty)
  }

  @Test func `a commit that restarts the WAL truncates its file`() throws {
    for (configuration, truncates) in [(.replicated, true), (Configuration(), false)] {
      let folder = try TestFolder()
      let connection = try Connection(path: folder.file(), configuration: configuration)
      try connection.setPragma(.journalMode, to: .wal)
      try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(200000))")
      #expect(try connection.checkpoint().isComplete)
      let size = try folder.bytes("app.db-wal").count
      try connection.execute(sql: "INSERT INTO t VALUES (1)")
      #expect(try (folder.bytes("app.db-wal").count < size) == truncates)
    }
  }

  @Test func `at its limit, the WAL restarts only if no other program reads it`() async throws {
    let log = Log()
    var configuration = Configuration.replicated
    configuration.monitor = log
    var upkeep = PoolUpkeep()
    upkeep.walLimit = .slowWrites(bytes: 20 * 4096, by: .milliseconds(1))
    let pool = try ConnectionPool(
      path: folder.file(), configuration: configuration, upkeep: upkeep)
    func insert() async throws {
      for _ in 0..<10 {
        try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(8192))") }
      }
    }
    func relieved() async -> [Bool] {
      // Reports are made in the order of accesses, on the queue of completion handlers.
      await withCheckedContinuation { continuation in
        pool.async({ _ in }) { _ in continuation.resume() }
      }
      return log.records.entries.compactMap {
        if case .walLimit(_, let isRelieved, _) = $0.event { isRelieved } else { nil }
      }
    }
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    // A replicator reads the WAL, so that it keeps each frame until it has copied the frame.
    let replicator = try Connection(path: folder.file(), configuration: .replicated)
    try replicator.execute(sql: "BEGIN; SELECT * FROM t")
    for _ in 0..<5 { try await insert() }
    let size = try #require(pool.status.walSize)
    #expect(size > 150 * 4096)
    try await pool.perform { _ in }
    let earlier = await relieved()
    #expect(!earlier.isEmpty && !earlier.contains(true))
    // The WAL restarts, and the next commit truncates its file.
    try replicator.execute(sql: "ROLLBACK")
    try await insert()
    #expect(try #require(pool.status.walSize) < size / 2)
    #expect(await relieved().contains(true))
    try await pool.close()
  }

  @Test func `a limit that refuses writes ends when another program has restarted the WAL`()
    async throws
  {
    var upkeep = PoolUpkeep()
    upkeep.walLimit = .refuseWrites(bytes: 20 * 4096)
    let pool = try ConnectionPool(path: folder.file(), configuration: .replicated, upkeep: upkeep)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    let replicator = try Connection(path: folder.file(), configuration: .replicated)
    try replicator.execute(sql: "BEGIN; SELECT * FROM t")
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(200000))") }
    for _ in 0..<2 {
      let error = await awaitedFailure {
        try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
      }
      #expect(error?.code == .busy)
    }
    // Like Litestream, the other program runs a checkpoint, writes, and reads again.
    try replicator.execute(sql: "ROLLBACK; PRAGMA wal_checkpoint; INSERT INTO t VALUES (3)")
    try replicator.execute(sql: "BEGIN; SELECT * FROM t")
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (4)") }
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [3])
    try replicator.execute(sql: "ROLLBACK")
    try await pool.close()
  }
}
