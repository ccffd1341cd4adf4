import Dispatch
import Foundation
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10)))
struct `upkeep that waits for the write connection` {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Opens a pool whose every commit queues a checkpoint, and creates a table.
  ///
  /// The pool has no monitor, so an access takes the write connection without a job of the queue.
  private func pool() throws -> ConnectionPool {
    var configuration = Configuration()
    configuration.prepareConnection { connection in
      // SQLite itself runs no checkpoint.
      try connection.setWALAutocheckpoint(1_000_000)
    }
    var upkeep = PoolUpkeep()
    upkeep.clock = ManualClock()
    upkeep.checkpointFrames = 1
    upkeep.checkpointInterval = nil
    let pool = try ConnectionPool(
      path: folder.file(), configuration: configuration, upkeep: upkeep)
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE t(a)") }
    return pool
  }

  /// Returns whether a commit overwrites the WAL, as it does only after a complete checkpoint.
  private func isCheckpointed(_ pool: ConnectionPool) async throws -> Bool {
    // From an empty WAL, each commit makes the file grow until a checkpoint is complete.
    _ = try await pool.perform { try $0.checkpoint(.truncate) }
    for _ in 0..<3000 {
      let size = try #require(pool.status.walSize)
      try await pool.perform { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
      if try #require(pool.status.walSize) <= size { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  @Test func `a checkpoint that a suspension has stopped does not stop the later ones`()
    async throws
  {
    let pool = try pool()
    try stopCheckpoint(of: pool)
    pool.resume()
    #expect(try await isCheckpointed(pool))
    try await pool.close()
  }

  /// Suspends a pool whose checkpoint waits for the end of an access.
  private func stopCheckpoint(of pool: ConnectionPool) throws {
    let isSuspended = DispatchSemaphore(value: 0)
    // The checkpoint of an earlier commit has ended.
    try pool.sync { _ in }
    #expect(throws: SQLiteError.self) {
      try pool.sync { connection in
        try connection.execute(sql: "INSERT INTO t VALUES (1)")
        // The job of the checkpoint begins to wait for this access.
        Thread.sleep(forTimeInterval: 0.02)
        Thread.detachNewThread {
          try? pool.syncSuspend()
          isSuspended.signal()
        }
        let limit = ContinuousClock.now + .seconds(60)
        while .now < limit { try connection.execute(sql: "SELECT 1") }
      }
    }
    isSuspended.wait()
  }
}
