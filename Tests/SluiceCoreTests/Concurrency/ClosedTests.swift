import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `closed queues and pools` {
  private let folder: TestFolder
  private let runs = Counter()
  private let queueIsClosed = SQLiteError(.misuseClosed, "The queue is closed")
  private let poolIsClosed = SQLiteError(.misuseClosed, "The pool is closed")

  init() throws {
    folder = try TestFolder()
    try Connection(path: folder.file()).execute(sql: "PRAGMA journal_mode = WAL")
  }

  @Test(arguments: CloseMode.allCases)
  func `a closed queue rejects every form of access`(
    _ mode: CloseMode
  ) async throws {
    let queue = try ConnectionQueue(path: folder.file())
    try await queue.close(mode)
    let later = ContinuousClock.now + .seconds(patience)
    let errors = [
      await awaitedFailure { try await queue.perform { _ in runs.add() } },
      await awaitedFailure { try await queue.perform(deadline: later) { _ in runs.add() } },
      await awaitedFailure { try await queue.transaction { _, _ in runs.add() } },
      await awaitedFailure { try await queue.savepoint { _, _ in runs.add() } },
      await apart { failure { try queue.sync { _ in runs.add() } } },
      await apart { failure { try queue.sync(deadline: later) { _ in runs.add() } } },
      await apart { failure { try queue.syncTransaction { _, _ in runs.add() } } },
      await awaitedFailure {
        try await withCheckedThrowingContinuation { continuation in
          queue.async { _ in
            runs.add()
          } completion: {
            continuation.resume(with: $0)
          }
        }
      },
    ]
    for error in errors { #expect(error == queueIsClosed) }
    #expect(runs.count == 0)
  }

  @Test(arguments: CloseMode.allCases)
  func `a closed read queue and a closed pool reject every form of access`(_ mode: CloseMode)
    async throws
  {
    let queue = try ConnectionReadQueue(path: folder.file())
    let pool = try ConnectionPool(path: folder.file())
    try await queue.close(mode)
    try await pool.close(mode)
    let errors = [
      await awaitedFailure { try await queue.perform { _ in runs.add() } },
      await awaitedFailure { try await queue.readTransaction { _ in runs.add() } },
      await apart { failure { try queue.sync { _ in runs.add() } } },
    ]
    for error in errors { #expect(error == queueIsClosed) }
    let others = [
      await awaitedFailure { try await pool.read { _ in runs.add() } },
      await awaitedFailure { try await pool.write { _ in runs.add() } },
      await awaitedFailure { try await pool.perform { _ in runs.add() } },
      await apart { failure { try pool.sync { _ in runs.add() } } },
      await apart { failure { try pool.syncRead { _ in runs.add() } } },
      await apart { failure { try pool.syncWrite { _ in runs.add() } } },
    ]
    for error in others { #expect(error == poolIsClosed) }
    #expect(runs.count == 0)
  }

  @Test func `observing a closed pool throws misuse without running the closure`() async throws {
    let pool = try ConnectionPool(path: folder.file())
    try await pool.close()
    let error = await awaitedFailure {
      for try await _ in pool.observe({ _ in runs.add() }) {}
    }
    #expect(error == poolIsClosed)
    #expect(runs.count == 0)
  }

  @Test func `closing a queue from several threads at once does not throw`() async throws {
    let queue = try ConnectionQueue(path: folder.file())
    let isDone = await apart {
      concurrently(8) { _ in #expect(failure { try queue.syncClose() } == nil) }
    }
    #expect(isDone)
  }

  @Test func `suspending a closed queue has no effect, and accesses throw at once`() async throws {
    let queue = try ConnectionQueue(path: folder.file())
    try await queue.close()
    try await queue.suspend()
    #expect(await awaitedFailure { try await queue.perform { _ in runs.add() } } == queueIsClosed)
    try await queue.close()
  }

  @Test func `an access whose body closes the connection closes the queue permanently`()
    async throws
  {
    let queue = try ConnectionQueue(path: folder.file())
    try await queue.perform { try $0.close() }
    #expect(await awaitedFailure { try await queue.perform { _ in runs.add() } } == queueIsClosed)
    #expect(runs.count == 0)
  }
}
