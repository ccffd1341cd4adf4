import Dispatch
import SluiceCore
import TestSupport
import Testing

/// A captured object is released when its read ends.
///
/// The deinit of the object may read too, and a wait there could deadlock.
@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `objects captured by a read of a pool`
{
  private let folder: TestFolder
  private let answers = SharedLog<[Int]?>()

  init() throws { folder = try TestFolder() }

  /// Creates an object that reads when it is deallocated.
  private func makeLeftover(of pool: ConnectionPool, deadline: ContinuousClock.Instant?) -> Leftover
  {
    Leftover { [answers] in
      answers.append(try? pool.syncRead(deadline: deadline) { try $0.integers("SELECT 1") })
    }
  }

  /// Begins a read whose closure holds the last reference to `leftover`.
  private func begin(
    _ leftover: consuming Leftover, on pool: ConnectionPool,
    deadline: ContinuousClock.Instant? = nil, _ body: @escaping @Sendable () throws -> Void
  ) -> Task<Void, any Error> {
    let leftover = leftover
    return Task(executorPreference: Inline()) {
      try await pool.read(deadline: deadline) { _ in
        try withExtendedLifetime(leftover) { try body() }
      }
    }
  }

  @Test(arguments: [nil, ContinuousClock.now + .seconds(3600)])
  func `the deinit of a captured object can read while other reads wait`(
    _ deadline: ContinuousClock.Instant?
  )
    async throws
  {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    // Open the reader first, because a read that opens a reader occupies it slightly longer.
    try await pool.read { _ in }
    let gate = Gate()
    let reading = begin(makeLeftover(of: pool, deadline: deadline), on: pool) {
      #expect(gate.pass())
    }
    let others = (0..<3).map { _ in Task { try await pool.read { try $0.integers("SELECT 2") } } }
    while pool.status.waitingReadCount < 3 { await Task.yield() }
    gate.open()
    try await reading.value
    for other in others { #expect(try await other.value == [2]) }
    while answers.entries.isEmpty { await Task.yield() }
    #expect(answers.entries == [[1]])
    #expect(pool.status.busyReaderCount == 0)
  }

  @Test func `the deinit of a captured object can read after the reader failed to open`()
    async throws
  {
    let openings = Counter()
    var configuration = Configuration()
    configuration.prepareConnection { _ in
      openings.add()
      if openings.count == 2 { throw SQLiteError(.notFound, "not yet") }
    }
    let pool = try ConnectionPool(
      path: folder.file(), readers: 1, configuration: configuration)
    let reading = begin(makeLeftover(of: pool, deadline: nil), on: pool) {}
    #expect(await awaitedFailure { try await reading.value }?.code == .notFound)
    while answers.entries.isEmpty { await Task.yield() }
    #expect(answers.entries == [[1]])
    #expect(pool.status.openReaderCount == 1)
  }

  /// Begins a read that only its deadline ends.
  private func endlessRead(of pool: ConnectionPool, seconds: Int = 1) async -> Task<Void, any Error>
  {
    let endless = EndlessWork()
    let reading = Task {
      try await pool.read(deadline: .now + .seconds(seconds)) { try endless.run($0) }
    }
    if await apart({ endless.begun.pass(within: Double(seconds)) }) { return reading }
    // On a slow machine, the deadline passed before the read began, so allow more time.
    return await endlessRead(of: pool, seconds: seconds * 4)
  }

  @Test func `the deinit of a captured object can wait for a read that a deadline stops`()
    async throws
  {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    let reading = await endlessRead(of: pool)
    let late = begin(
      makeLeftover(of: pool, deadline: nil), on: pool, deadline: .now + .milliseconds(100)
    ) {}
    // On a slow machine, this read may still run before its deadline.
    _ = await late.result
    await #expect(throws: DeadlineError.self) { try await reading.value }
    while answers.entries.isEmpty { await Task.yield() }
    #expect(answers.entries == [[1]])
  }
}
