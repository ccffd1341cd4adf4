import Dispatch
import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `the readers of a pool` {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(600)
    return configuration
  }

  @Test func `each form of a read returns its reader to the pool`() async throws {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    try await inTime { () async throws in
      for _ in 0..<2 {
        #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
        await apart {
          for deadline in [nil, ContinuousClock.now + .seconds(600)] {
            let error = failure { try pool.syncRead(deadline: deadline) { _ in } }
            #expect(error == nil)
          }
        }
      }
      #expect(pool.status.busyReaderCount == 0)
    }
  }

  @Test func `a reader that cannot be opened frees its place for a waiting read`() async throws {
    let isFirst = Counter()
    let gate = Gate()
    var configuration = Self.configuration
    configuration.prepareConnection { _ in
      isFirst.add()
      guard isFirst.count == 2 else { return }
      #expect(gate.pass())
      throw ForeignError()
    }
    let pool = try ConnectionPool(path: folder.file(), readers: 1, configuration: configuration)
    try await inTime { () async throws in
      let first = Task { try await pool.read { _ in } }
      while isFirst.count < 2 { await Task.yield() }
      let second = Task { try await pool.read { try $0.integers("SELECT a FROM t") } }
      while pool.status.waitingReadCount == 0 { await Task.yield() }
      gate.open()
      #expect(await failure(of: first) is ForeignError)
      #expect(try await second.value == [1])
    }
  }

  @Test func `the pool status counts a reader's wait for a lock`() async throws {
    var configuration = Self.configuration
    configuration.journalMode = .delete
    let path = folder.path + "/b.db"
    let pool = try ConnectionPool(path: path, configuration: configuration)
    let other = try Connection(path: path)
    try await pool.read { _ in }
    try other.begin(.exclusive)
    let before = pool.status.lockWaitCount
    let reading = Task {
      try await pool.read { try $0.integers("SELECT count(*) FROM sqlite_schema") }
    }
    try await inTime { while pool.status.lockWaitCount == before { await Task.yield() } }
    try other.rollback()
    #expect(try await reading.value == [0])
  }

  @Test func `a temporary file is deleted when its pool closes, not when a reader closes`()
    async throws
  {
    var configuration = Self.configuration
    configuration.deletesFileOnClose = true
    let path = folder.path + "/b.db"
    let pool = try ConnectionPool(path: path, readers: 1, configuration: configuration)
    try await inTime { () async throws in
      _ = await awaitedFailure { try await pool.read { try $0.close() } }
      #expect(FileManager.default.fileExists(atPath: path))
      #expect(try await pool.read { try $0.integers("SELECT 1") } == [1])
      try await pool.close()
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a closing pool completes the reads that already wait`() async throws {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    let gate = Gate()
    try await inTime { () async throws in
      let first = Task { try await pool.read { _ in gate.pass() } }
      while pool.status.busyReaderCount < 1 { await Task.yield() }
      let others = (0..<50).map { _ in
        Task { try await pool.read { try $0.integers("SELECT a FROM t") } }
      }
      while pool.status.waitingReadCount < 50 { await Task.yield() }
      let closing = Task { try await pool.close() }
      // A new read throws as soon as the pool is closing.
      var refusal: (any Error)?
      while !(refusal is SQLiteError) {
        do { try await pool.read(deadline: .now + .milliseconds(10)) { _ in } } catch {
          refusal = error
        }
      }
      gate.open()
      #expect(try await first.value)
      for other in others { #expect(try await other.value == [1]) }
      try await closing.value
    }
  }
}
