import SluiceCluster
import Synchronization
import Testing

/// Programs that write to a cluster at the same time, and a ledger of the outcomes.
///
/// Each transaction inserts its number and counts itself. The number is not unique in the database, so a transaction that
/// took effect twice is found.
final class Load: Sendable {
  let ledger = Ledger()
  private let cluster: TestCluster
  private let programs: [Cluster]
  /// The number of bytes that each transaction replaces by others.
  private let ballast: Int
  private let isOver = Atomic(false)
  private let lastNumber = Atomic(0)
  /// The newest transaction of each program that was acknowledged.
  private let newest = Mutex<[Int: Int]>([:])
  private let acknowledgements = Mutex<[ContinuousClock.Instant]>([])

  private init(
    _ cluster: TestCluster, programs count: Int, _ ballast: Int, _ options: Cluster.Options
  ) throws {
    self.cluster = cluster
    self.ballast = ballast
    programs = try (0..<count).map { index in
      try Cluster(nodes: cluster.addresses(ofProgram: index), database: "main", options: options)
    }
  }

  /// Writes while `body` runs, and then compares the ledger with the copies of all nodes.
  static func run<T>(
    on cluster: TestCluster, programs: Int = 2, ballast: Int = 300,
    options: Cluster.Options = .underLoad, _ body: (Load) async throws -> T
  ) async throws -> T {
    let load = try Load(cluster, programs: programs, ballast, options)
    try await load.addTables()
    let writers = load.programs.indices.map { index in Task { await load.write(index) } }
    do {
      let result = try await body(load)
      await load.end(writers)
      try await load.verify()
      return result
    } catch {
      await load.end(writers)
      Issue.record("The load saw \(load.ledger.errors)")
      throw error
    }
  }

  private func addTables() async throws {
    try await programs[0].write { connection in
      try connection.execute(
        sql: """
          CREATE TABLE entry(number INTEGER NOT NULL, program INTEGER NOT NULL);
          CREATE TABLE ballast(id INTEGER PRIMARY KEY, data BLOB);
          CREATE INDEX entry_number ON entry(number);
          CREATE TABLE counter(n INTEGER NOT NULL);
          INSERT INTO counter VALUES (0)
          """)
    }
  }

  private func write(_ program: Int) async {
    let ballast = ballast
    while !isOver.load(ordering: .relaxed) {
      let number = lastNumber.add(1, ordering: .relaxed).newValue
      // Some of the calls give up in the middle of an election.
      let deadline = number % 5 == 0 ? ContinuousClock.now + .milliseconds(400) : nil
      let isAcknowledged = await ledger.record(number) {
        try await programs[program].write(deadline: deadline) { connection in
          try connection.execute("INSERT INTO entry VALUES (\(number), \(program))")
          try connection.execute(
            "REPLACE INTO ballast VALUES (\(number % 10), randomblob(\(ballast)))")
          try connection.execute(sql: "UPDATE counter SET n = n + 1")
        }
      }
      if isAcknowledged {
        newest.withLock { $0[program] = number }
        acknowledgements.withLock { $0.append(.now) }
      }
      // A program that is always ready would leave the nodes of a small machine too little time for their elections. Nothing
      // cancels this task.
      try? await Task.sleep(for: .milliseconds(isAcknowledged ? 2 : 20))
    }
  }

  private func end(_ writers: [Task<Void, Never>]) async {
    isOver.store(true, ordering: .relaxed)
    for writer in writers { await writer.value }
    // The ledger, and not the end of a connection, tells whether the cluster has failed.
    for program in programs { try? await program.close() }
  }

  /// The number of the newest transaction of each program that was acknowledged.
  var newestNumbers: [Int] { newest.withLock { Array($0.values) } }

  /// Waits until transactions are acknowledged that were committed after this call, and returns how long that took.
  func progress() async throws -> Duration {
    let start = ContinuousClock.now
    // One answer for each program can be on its way already.
    let needed = programs.count + 1
    var passed: Duration?
    try await cluster.wait("transactions are acknowledged") {
      passed = acknowledgements.withLock { instants in
        let later = instants.drop { $0 <= start }
        return later.count < needed ? nil : later[later.startIndex + needed - 1] - start
      }
      return passed != nil
    }
    return passed ?? .zero
  }

  /// Compares the ledger with the copies of all nodes, which all must run.
  private func verify() async throws {
    let copy = try await cluster.copy()
    let found = (copy["entry"] ?? []).compactMap { $0[0].int }
    ledger.verify(found)
    #expect(copy["counter"] == [[.integer(Int64(found.count))]])
    #expect(
      !ledger.errors.contains { $0.contains("no such table") },
      "a leader has answered before it had applied its log")
  }
}

extension Cluster.Options {
  /// Options of programs that notice soon that a node does not answer.
  static var underLoad: Self {
    var options = Cluster.Options()
    options.readerCount = 1
    options.requestTimeout = .seconds(2)
    options.failoverTimeout = .seconds(15)
    return options
  }
}
