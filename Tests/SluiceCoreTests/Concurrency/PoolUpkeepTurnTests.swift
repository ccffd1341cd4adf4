import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `the turn of a pool's upkeep` {
  /// A monitor that counts the updates of the statistics and the checkpoints.
  private final class Log: ConnectionMonitor {
    let updates = Counter()
    let checkpoints = Counter()
    func upkeepDidRun(_ record: UpkeepRecord) {
      switch record.event {
      case .optimized: updates.add()
      case .checkpoint: checkpoints.add()
      default: break
      }
    }
  }

  /// Starts a chain of accesses to the write connection, each of which requests the next one before it ends.
  private static func write(_ pool: ConnectionPool, until isOver: @escaping @Sendable () -> Bool) {
    pool.asyncWrite { _ in if !isOver() { write(pool, until: isOver) } }
  }

  /// Waits until a condition is true.
  private func waits(until condition: () -> Bool) async throws -> Bool {
    for _ in 0..<3000 {
      if condition() { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  @Test func `the statistics are not updated while an access waits, but later`() async throws {
    let (folder, clock, log, ends) = (try TestFolder(), ManualClock(), Log(), Counter())
    var configuration = Configuration()
    configuration.monitor = log
    var upkeep = PoolUpkeep.none
    upkeep.optimizeInterval = .seconds(100)
    upkeep.clock = clock
    let pool = try ConnectionPool(
      path: folder.file(), configuration: configuration, upkeep: upkeep)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(try await waits { clock.sleeperCount == 1 })
    try await pool.perform { _ in
      // The upkeep waits for this access, or for one of the chain, behind which another one always waits.
      Self.write(pool) { ends.count > 0 || log.updates.count > 0 }
      clock.advance(by: .seconds(100))
    }
    #expect(try await waits { clock.sleeperCount == 1 })
    #expect(log.updates.count == 0)
    ends.add()
    // The first access may precede the last one of the chain, behind which the second one waits.
    for _ in 1...2 { try await pool.perform { _ in } }
    clock.advance(by: .seconds(60))
    #expect(try await waits { log.updates.count == 1 })
    try await pool.close()
  }

  @Test func `no checkpoint begins while an access waits`() async throws {
    let (folder, log) = (try TestFolder(), Log())
    var configuration = Configuration()
    configuration.monitor = log
    var upkeep = PoolUpkeep.none
    upkeep.checkpointFrames = 1
    let pool = try ConnectionPool(
      path: folder.file(), configuration: configuration, upkeep: upkeep)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(try await waits { log.checkpoints.count == 1 })
    try await pool.perform { connection in
      try connection.execute(sql: "INSERT INTO t VALUES (1)")
      // This access waits behind the checkpoint that the commit has requested.
      pool.asyncWrite { _ in }
    }
    try await pool.perform { _ in }
    #expect(log.checkpoints.count == 1)
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try await waits { log.checkpoints.count == 2 })
    try await pool.close()
  }
}
