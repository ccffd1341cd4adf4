import Dispatch
import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `a pool under load` {
  @Test func `a thousand tasks that share four readers do not occupy a thread each`() async throws {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file(), readers: 4)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a); CREATE TABLE u(a)") }
    let threadsBefore = Self.threadCount
    let threads = SharedLog<Int>()
    let running = Counter()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<1_000 {
        tasks.addTask {
          if number % 10 == 0 {
            try await pool.write { connection in
              try connection.execute("INSERT INTO t VALUES (\(number))")
              try connection.execute("INSERT INTO u VALUES (\(number))")
            }
            return
          }
          let isWhole = try await pool.read { connection in
            threads.append(Self.threadCount)
            running.add()
            let first = try connection.integers("SELECT count(*) FROM t")
            return try first == connection.integers("SELECT count(*) FROM u")
          }
          #expect(isWhole)
          #expect(pool.status.openReaderCount <= 4)
        }
      }
      try await tasks.waitForAll()
    }
    #expect(running.count == 900)
    // Other tests run at the same time. One thread for each waiting task would be a thousand threads.
    #expect(threads.entries.max()! < threadsBefore + 300)
    #expect(pool.status.openReaderCount <= 4)
    #expect(pool.status.waitingReadCount == 0)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [100])
  }

  /// The number of threads of the process, or 0 if the system does not report it.
  private static var threadCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }

  @Test func `the number of running reads never exceeds the number of readers`() async throws {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file(), readers: 3)
    let now = SharedLog<Int>()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for _ in 0..<60 {
        tasks.addTask {
          try await pool.read { connection in
            now.append(1)
            #expect(now.entries.reduce(0, +) <= 3)
            _ = try connection.integers("SELECT count(*) FROM sqlite_master")
            now.append(-1)
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(now.entries.count == 120)
  }

  @Test func `concurrent reads, writes and cancellations lose no committed write`() async throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(600)
    let pool = try ConnectionPool(path: folder.file(), readers: 2, configuration: configuration)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    let written = Counter()
    async let threadsAreDone = apart {
      concurrently(3) { number in
        for step in 0..<30 {
          let error = failure {
            if (step + number) % 3 == 0 {
              try pool.syncWrite { try $0.execute(sql: "INSERT INTO t VALUES (1), (2)") }
              written.add()
            } else {
              let count = try pool.syncRead { try $0.integers("SELECT count(*) FROM t") }
              #expect(count[0] % 2 == 0)
            }
          }
          #expect(error == nil)
        }
      }
    }
    for step in 0..<120 {
      let task = Task {
        if step % 2 == 0 {
          try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1), (2)") }
        } else {
          _ = try await pool.read { try $0.integers("SELECT count(*) FROM t") }
        }
      }
      if step % 3 == 0 { task.cancel() }
      let error = await failure(of: task)
      #expect(error == nil || error is CancellationError)
      if error == nil, step % 2 == 0 { written.add() }
    }
    #expect(await threadsAreDone)
    #expect(
      try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [written.count * 2])
  }

  @Test func `a long read makes the WAL grow until a checkpoint after the read empties it`()
    async throws
  {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file(), readers: 2)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    let endless = EndlessWork()
    let gate = Gate()
    let reading = Task {
      try await pool.read { connection in
        _ = try connection.integers("SELECT count(*) FROM t")
        endless.begun.open()
        #expect(gate.pass())
      }
    }
    #expect(await endless.hasBegun())
    for number in 0..<rounds(300, long: 3_000) {
      try await pool.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
    }
    let held = try await pool.perform { try $0.checkpoint() }
    #expect(!held.isComplete)
    #expect((pool.status.walSize ?? 0) > 1_000_000)
    gate.open()
    try await reading.value
    let free = try await pool.perform { try $0.checkpoint(.truncate) }
    #expect(free.isComplete)
    #expect(pool.status.walSize == 0)
  }
}
