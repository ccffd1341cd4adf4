import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10)))
struct `stopping an access that waits for a lock` {
  private let folder: TestFolder
  private let other: ConnectionQueue
  /// A gate that opens each time an access requests the lock.
  private let asked = Gate()

  init() throws {
    folder = try TestFolder()
    other = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    try other.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
  }

  enum Halt: CaseIterable { case suspend, close }

  private static func stop(_ queue: ConnectionQueue, _ halt: Halt) async throws {
    switch halt {
    case .suspend: try await queue.suspend()
    case .close: try await queue.close(.interrupt)
    }
  }

  /// Returns the error of a transaction that waits for the lock while its queue is stopped.
  private func refusal(
    _ halt: Halt, retries: Int, prepare: @escaping @Sendable (Connection) throws -> Void
  ) async throws -> SQLiteError? {
    let runs = Counter()
    let queue = try ConnectionQueue(path: folder.file())
    try await queue.perform { try prepare($0) }
    let lock = Gate()
    let writing = Task {
      try await other.transaction { [asked] _, _ in
        asked.open()
        #expect(lock.pass())
      }
    }
    #expect(await apart { asked.pass() })
    let waiting = Task { try await queue.transaction(retries: retries) { _, _ in runs.add() } }
    #expect(await apart { asked.pass() })
    try await Self.stop(queue, halt)
    let error = await awaitedFailure { try await waiting.value }
    #expect(runs.count == 0)
    lock.open()
    _ = try await writing.value
    return error
  }

  @Test(arguments: Halt.allCases)
  func `a transaction that waits in a busy handler throws interrupt when its queue stops`(
    _ halt: Halt
  ) async throws {
    let error = try await refusal(halt, retries: 0) { [asked] connection in
      try connection.setBusyHandler { _ in
        asked.open()
        Thread.sleep(forTimeInterval: 0.001)
        return true
      }
    }
    #expect(error?.code == .interrupt)
  }

  @Test(arguments: Halt.allCases)
  func `a transaction between its retries throws interrupt when its queue stops`(_ halt: Halt)
    async throws
  {
    let error = try await refusal(halt, retries: .max) { [asked] connection in
      try connection.setBusyHandler { _ in
        asked.open()
        return false
      }
    }
    #expect(error?.code == .interrupt)
  }

  @Test(arguments: Halt.allCases)
  func `a write that waits for its busy timeout throws interrupt when its pool stops`(
    _ halt: Halt
  ) async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(600)
    let pool = try ConnectionPool(path: folder.file(), configuration: configuration)
    let lock = try Connection(path: folder.file())
    try lock.begin(.immediate)
    let waiting = Task { try await pool.write { _ in } }
    while pool.status.lockWaitCount == 0 { await Task.yield() }
    switch halt {
    case .suspend: try await pool.suspend()
    case .close: try await pool.close(.interrupt)
    }
    #expect(await awaitedFailure { try await waiting.value }?.code == .interrupt)
    try lock.rollback()
  }

  @Test func `a statement after an interruption reports the reason for the interruption`()
    async throws
  {
    let endless = EndlessWork()
    let texts = SharedLog<String>()
    let queue = try ConnectionQueue(path: folder.file())
    for halt in Halt.allCases {
      let running = Task {
        try await queue.perform { connection in
          do { try endless.run(connection) } catch { try connection.execute(sql: "SELECT 1") }
        }
      }
      #expect(await endless.hasBegun())
      try await Self.stop(queue, halt)
      if let error = await awaitedFailure({ try await running.value }) {
        texts.append(error.message)
      }
      queue.resume()
    }
    #expect(
      texts.entries == [
        "This access was interrupted: its queue or pool was suspended",
        "This access was interrupted: its queue or pool is closing without waiting for it",
      ])
  }
}
