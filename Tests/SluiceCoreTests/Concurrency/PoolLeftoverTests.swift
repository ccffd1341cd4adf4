import Dispatch
import SluiceCore
import TestSupport
import Testing

/// What a read has captured goes with it, and may read in its turn, where a wait could have no end.
@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `what a read of a pool leaves behind` {
  private let folder: TestFolder
  private let answers = SharedLog<[Int]?>()

  init() throws { folder = try TestFolder() }

  /// Makes something that reads when it goes.
  private func makeLeftover(of pool: ConnectionPool, deadline: ContinuousClock.Instant?) -> Leftover
  {
    Leftover { [answers] in
      answers.append(try? pool.syncRead(deadline: deadline) { try $0.integers("SELECT 1") })
    }
  }

  /// Begins a read whose closure is the last to hold what it has captured.
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
  func `can read, though others are in line behind it`(_ deadline: ContinuousClock.Instant?)
    async throws
  {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    // What opens a connection would have it for a moment longer.
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

  @Test func `can read, though its connection was not opened`() async throws {
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

  /// A read that has begun, and has no end but its deadline.
  private func endlessRead(of pool: ConnectionPool, seconds: Int = 1) async -> Task<Void, any Error>
  {
    let endless = EndlessWork()
    let reading = Task {
      try await pool.read(deadline: .now + .seconds(seconds)) { try endless.run($0) }
    }
    if await apart({ endless.begun.pass(within: Double(seconds)) }) { return reading }
    // The machine is too slow for that.
    return await endlessRead(of: pool, seconds: seconds * 4)
  }

  @Test func `can wait for a read that only its deadline stops`() async throws {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    let reading = await endlessRead(of: pool)
    let late = begin(
      makeLeftover(of: pool, deadline: nil), on: pool, deadline: .now + .milliseconds(100)
    ) {}
    // On a machine that is too slow it still has its turn.
    _ = await late.result
    await #expect(throws: DeadlineError.self) { try await reading.value }
    while answers.entries.isEmpty { await Task.yield() }
    #expect(answers.entries == [[1]])
  }
}
