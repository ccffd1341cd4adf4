import SluiceCluster
import Synchronization
import Testing

extension `A cluster under load` {
  @Suite struct `counts each transaction once` {
    @Test func `when the answers to commits are lost`() async throws {
      try await TestCluster.with(relayed: true) { cluster in
        for id in cluster.ids {
          try cluster.relay(id).cutCommits {
            Int.random(in: 0..<8) == 0 ? TestRelay.Cut.allCases.randomElement() : nil
          }
        }
        let counter = try Counter(cluster)
        try await counter.addTable()
        let programs = (0..<2).map { index in Task { try await counter.count(with: index) } }
        while counter.rest > 0 {
          for id in cluster.ids where counter.rest > 0 {
            try await Task.sleep(for: .seconds(1))
            // An answer can be lost here too.
            try? await cluster.transfer(to: id)
            Figures.add(to: .transfers)
          }
        }
        for program in programs { try await program.value }
        try await counter.close()
        #expect(try await cluster.copy()["counter"] == [[.integer(1_000)]])
        Figures.add(1_000, to: .acknowledged)
      }
    }
  }
}

/// Programs that together increment a counter a thousand times.
private final class Counter: Sendable {
  private let programs: [Cluster]
  private let remaining = Atomic(1_000)

  init(_ cluster: TestCluster) throws {
    programs = try (0..<2).map { _ in
      try Cluster(nodes: cluster.addresses, database: "main", options: .underLoad)
    }
  }

  /// The number of increments that no program has begun.
  var rest: Int { remaining.load(ordering: .relaxed) }

  func addTable() async throws {
    try await programs[0].write {
      try $0.execute(sql: "CREATE TABLE counter(n); INSERT INTO counter VALUES (0)")
    }
  }

  func count(with program: Int) async throws {
    while remaining.subtract(1, ordering: .relaxed).newValue >= 0 {
      try await programs[program].write { try $0.execute(sql: "UPDATE counter SET n = n + 1") }
    }
  }

  func close() async throws {
    for program in programs { try await program.close() }
  }
}
