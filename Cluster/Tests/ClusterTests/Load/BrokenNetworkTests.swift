import SluiceCluster
import Synchronization
import Testing

extension `A cluster under load` {
  @Suite struct `survives broken networks` {
    @Test func `when no bytes pass between the leader and the others`() async throws {
      try await TestCluster.with(relayed: true) { cluster in
        try await Load.run(on: cluster) { load in
          for _ in 0..<rounds(1, long: 6) {
            for direction in TestCluster.Direction.allCases {
              _ = try await load.progress()
              let leader = try await cluster.leader()
              try cluster.isolate(leader, direction)
              Figures.add(
                try await load.progress(), to: "from a partition of the leader to a commit")
              Figures.add(to: .partitions)
              try cluster.restoreNetwork()
              try await cluster.waitUntilComplete()
            }
          }
        }
      }
    }

    @Test func `when nothing reaches one follower`() async throws {
      try await TestCluster.with(relayed: true) { cluster in
        try await Load.run(on: cluster) { load in
          let leader = try await cluster.leader()
          let follower = try #require(cluster.ids.first { $0 != leader })
          try cluster.isolate(follower, .toNode)
          for _ in 0..<5 { _ = try await load.progress() }
          Figures.add(to: .partitions)
          try cluster.restoreNetwork()
        }
      }
    }

    @Test func `and a confirmed read is never stale`() async throws {
      try await TestCluster.with(relayed: true) { cluster in
        let stage = try await StaleReadStage(cluster)
        for round in 0..<rounds(3, long: 15) {
          let leader = try await cluster.leader()
          if round % 2 == 0 {
            try cluster.isolate(leader)
          } else {
            try cluster.pause(leader)
          }
          Figures.add(to: .partitions)
          try await stage.write()
          // Requests wait at the stopped leader, which may answer them before it hears of the new one.
          async let reads: Void = stage.read(times: 20)
          try await Task.sleep(for: .milliseconds(50))
          if round % 2 == 1 { try cluster.resume(leader) }
          try await reads
          try cluster.restoreNetwork()
          try await cluster.waitUntilComplete()
        }
        try await stage.waitForFreshRead(cluster)
        try await stage.close()
        _ = try await cluster.copy()
      }
    }
  }
}

/// A program that writes ascending numbers, and programs that read the last one while leaders change.
private final class StaleReadStage: Sendable {
  private let writer: Cluster
  private let reader: Cluster
  private let confirmedReader: Cluster
  private let last = Atomic(0)

  init(_ cluster: TestCluster) async throws {
    var options = Cluster.Options.underLoad
    func program() throws -> Cluster {
      try Cluster(nodes: cluster.addresses, database: "main", options: options)
    }
    writer = try program()
    options.failoverTimeout = .seconds(3)
    reader = try program()
    confirmedReader = try program()
    try await writer.write {
      try $0.execute(sql: "CREATE TABLE last(number); INSERT INTO last VALUES (0)")
    }
    try await read(times: 1)
  }

  /// Writes the next number; the readers read at the same time.
  func write() async throws {
    let number = last.load(ordering: .relaxed) + 1
    try await writer.write { try $0.execute("UPDATE last SET number = \(number)") }
    last.store(number, ordering: .sequentiallyConsistent)
  }

  /// Reads in both ways; a read may fail, because the leader may be cut off.
  func read(times count: Int) async throws {
    let body: @Sendable (inout sending Connection) throws -> Int? = {
      try $0.first(.column(.int), sql: "SELECT number FROM last")
    }
    for _ in 0..<count {
      let last = self.last.load(ordering: .sequentiallyConsistent)
      Figures.add(2, to: .checkedReads)
      async let confirmed = confirmedReader.confirmedRead(body)
      async let plain = reader.read(body)
      if let number = try? await plain, number < last { Figures.add(to: .staleReads) }
      if let number = try? await confirmed, number < last {
        Figures.add(to: .staleConfirmedReads)
        Issue.record("a confirmed read returned \(number) after \(last) was acknowledged")
      }
    }
  }

  func waitForFreshRead(_ cluster: TestCluster) async throws {
    try await cluster.wait("a read returns the last number") {
      // The reader can fail until it has found the new leader.
      let number = try? await reader.read {
        try $0.first(.column(.int), sql: "SELECT number FROM last")
      }
      return number == last.load(ordering: .relaxed)
    }
  }

  func close() async throws {
    for program in [writer, reader, confirmedReader] { try await program.close() }
  }
}
