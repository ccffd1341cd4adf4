import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `the warm-up of statements` {
  let folder: TestFolder
  let sql = "SELECT count(*) FROM t WHERE a = ?"
  init() throws { folder = try TestFolder() }

  private func pool(readers: Int = 3, upkeep: PoolUpkeep = .none) throws -> ConnectionPool {
    let pool = try ConnectionPool(path: folder.file(), readers: readers, upkeep: upkeep)
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t(a)") }
    return pool
  }

  @Test func `a warmed-up statement is not compiled again`() throws {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a)")
    try db.warmUp([sql, "INSERT INTO t VALUES (?)"])
    let before = db.statementCacheStatistics
    #expect(before.count == 2)
    try db.execute("INSERT INTO t VALUES (\(1))")
    #expect(try db.first(.column(.int), "SELECT count(*) FROM t WHERE a = \(1)") == 1)
    let after = db.statementCacheStatistics
    #expect(after.misses == before.misses && after.hits == before.hits + 2)
  }

  @Test func `a warm-up throws for invalid SQL and for more statements than the cache holds`()
    throws
  {
    var configuration = Configuration()
    configuration.statementCacheSize = 1
    let db = try Connection(configuration: configuration)
    let error = failure { try db.warmUp(["SELECT 1", "SELECT 2"]) }
    #expect(error?.code == .misuse)
    #expect(error?.message == "The statement cache has room for 1 statements (got 2)")
    #expect(failure { try db.warmUp(["SELECT nothing"]) }?.code == .error)
    #expect(failure { try db.warmUp(["SELECT 1; SELECT 2"]) }?.code == .misuse)
    #expect(failure { try db.warmUp(["SELECT 1\0"]) } != nil)
    try db.warmUp([])
    try db.warmUp(["PRAGMA user_version"])
    #expect(db.statementCacheStatistics.count == 0)
  }

  @Test func `a warm-up opens all readers, which have the statement in their caches`() async throws
  {
    let pool = try pool()
    try await pool.warmUp([sql])
    #expect(pool.status.openReaderCount == 3 && pool.status.busyReaderCount == 0)
    // Three reads at the same time use three readers.
    let barrier = Meeting(of: 3)
    try await withThrowingTaskGroup(of: (misses: Int, hits: Int).self) { group in
      for _ in 0..<3 {
        group.addTask { [sql] in
          try await pool.read { connection in
            let before = connection.statementCacheStatistics
            _ = try connection.first(.column(.int), sql: sql, parameters: 1)
            let after = connection.statementCacheStatistics
            barrier.attend()
            return (after.misses - before.misses, after.hits - before.hits)
          }
        }
      }
      for try await count in group { #expect(count == (0, 1)) }
    }
    try await pool.close()
  }

  @Test func `a reader that opens later compiles the statements too`() async throws {
    let clock = ManualClock()
    var upkeep = PoolUpkeep.none
    upkeep.clock = clock
    upkeep.idleReaderTimeout = .seconds(60)
    let pool = try pool(readers: 1, upkeep: upkeep)
    try await pool.warmUp([sql])
    for _ in 0..<3000 where pool.status.openReaderCount > 0 {
      clock.advance(by: .seconds(60))
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(pool.status.openReaderCount == 0)
    let misses = try await pool.read { [sql] connection in
      let before = connection.statementCacheStatistics.misses
      _ = try connection.first(.column(.int), sql: sql, parameters: 1)
      return connection.statementCacheStatistics.misses - before
    }
    #expect(misses == 0)
    // A statement that no longer compiles does not prevent a reader from opening.
    try await pool.write { try $0.execute(sql: "DROP TABLE t") }
    for _ in 0..<3000 where pool.status.openReaderCount > 0 {
      clock.advance(by: .seconds(60))
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await pool.read { try $0.integers("SELECT 7") } == [7])
    try await pool.close()
  }

  @Test func `a reader in use compiles the statements after its access`() async throws {
    let pool = try pool(readers: 1)
    let (begun, gate) = (Gate(), Gate())
    async let reading: Void = pool.read { _ in
      begun.open()
      #expect(gate.pass())
    }
    #expect(await apart { begun.pass() })
    try await pool.warmUp([sql])
    gate.open()
    try await reading
    // The compilation was queued before this read.
    let misses = try await pool.read { [sql] connection in
      let before = connection.statementCacheStatistics.misses
      _ = try connection.first(.column(.int), sql: sql, parameters: 1)
      return connection.statementCacheStatistics.misses - before
    }
    #expect(misses == 0)
    try await pool.close()
  }

  @Test func `a failed warm-up leaves a usable pool`() async throws {
    let pool = try pool()
    #expect(
      await awaitedFailure { try await pool.warmUp(["SELECT a FROM missing"]) }?.code == .error)
    #expect(pool.status.openReaderCount == 0)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    try await pool.close()
    #expect(await awaitedFailure { try await pool.warmUp([sql]) }?.code == .misuseClosed)
  }

  @Test func `a warm-up throws if the file was replaced, and the pool can be closed`() async throws
  {
    let pool = try pool()
    try copyFile(folder.file(), to: folder.file("copy.db"))
    try removeFile(folder.file())
    try copyFile(folder.file("copy.db"), to: folder.file())
    #expect(await awaitedFailure { try await pool.warmUp([sql]) }?.code == .cantOpen)
    #expect(pool.status.busyReaderCount == 0)
    try await pool.close()
  }

  @Test func `a warm-up of a database in memory compiles on its only connection`() async throws {
    let pool = try ConnectionPool()
    try await pool.warmUp(["SELECT 1"])
    #expect(try await pool.perform { $0.statementCacheStatistics.count } == 1)
    try await pool.close()
  }

  @Test func `concurrent warm-ups and reads never open more readers than the limit`() async throws {
    let pool = try pool(readers: 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { [sql] in
          if number % 2 == 0 {
            try await pool.warmUp([sql])
          } else {
            let count = try await pool.read { connection in
              #expect(pool.status.openReaderCount <= 2)
              return try connection.integers("SELECT count(*) FROM t")
            }
            #expect(count == [0])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(pool.status.openReaderCount == 2 && pool.status.waitingReadCount == 0)
    try await pool.close()
  }
}

/// A point that a number of threads must reach before any of them continues.
private final class Meeting: Sendable {
  private let gate = Gate()
  private let count = Counter()
  private let size: Int

  init(of size: Int) { self.size = size }

  func attend() {
    count.add()
    for _ in 0..<3000 where count.count < size { _ = gate.pass(within: 0.01) }
    #expect(count.count == size)
  }
}
