import SluiceCluster
import Synchronization
import Testing

/// A program that reads again and again whether the newest acknowledged transactions of a ``Load`` are in the database.
final class FreshReads: Sendable {
  private let load: Load
  private let program: Cluster
  private let isOver = Atomic(false)

  private init(_ load: Load, on cluster: TestCluster) throws {
    self.load = load
    var options = Cluster.Options.underLoad
    options.readerCount = 2
    program = try Cluster(
      nodes: cluster.addresses(ofProgram: 1), database: "main", options: options)
  }

  /// Reads while `body` runs; a confirmed read that is stale fails the test.
  static func run<T>(
    during load: Load, on cluster: TestCluster, _ body: () async throws -> T
  ) async throws -> T {
    let reads = try FreshReads(load, on: cluster)
    let tasks = [Task { await reads.readConfirmed() }, Task { await reads.read() }]
    let result: Result<T, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    reads.isOver.store(true, ordering: .relaxed)
    for task in tasks { await task.value }
    // The reads, and not the end of a connection, tell whether the cluster has failed.
    try? await reads.program.close()
    return try result.get()
  }

  private func readConfirmed() async {
    await readAgainAndAgain { deadline, query in
      let count = try await self.program.confirmedRead(deadline: deadline, query.run)
      Figures.add(to: .answeredConfirmedReads)
      if count < query.expected {
        Figures.add(to: .staleConfirmedReads)
        Issue.record("a confirmed read lacks one of \(query.numbers), which were acknowledged")
      }
    }
  }

  private func read() async {
    await readAgainAndAgain { deadline, query in
      let count = try await self.program.read(deadline: deadline, query.run)
      if count < query.expected { Figures.add(to: .staleReads) }
    }
  }

  private func readAgainAndAgain(
    _ read: @Sendable (ContinuousClock.Instant, Query) async throws -> Void
  ) async {
    while !isOver.load(ordering: .relaxed) {
      if let query = Query(load.newestNumbers) {
        Figures.add(to: .checkedReads)
        // A read can fail while there is no leader, or none that can be reached.
        try? await read(.now + .seconds(3), query)
      }
      // Nothing cancels this task.
      try? await Task.sleep(for: .milliseconds(20))
    }
  }
}

/// A query that counts the transactions with the given numbers.
private struct Query: Sendable {
  let numbers: [Int]

  init?(_ numbers: [Int]) {
    guard !numbers.isEmpty else { return nil }
    self.numbers = numbers
  }

  var expected: Int { Set(numbers).count }

  func run(_ connection: inout sending Connection) throws -> Int {
    let (first, last) = (numbers[0], numbers[numbers.count - 1])
    return try connection.first(
      .column(.int),
      "SELECT count(DISTINCT number) FROM entry WHERE number IN (\(first), \(last))") ?? 0
  }
}
