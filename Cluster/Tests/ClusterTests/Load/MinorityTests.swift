import SluiceCluster
import Testing

extension `A cluster under load` {
  @Suite struct `waits for a majority` {
    @Test func `and a node without the others acknowledges nothing`() async throws {
      try await TestCluster.with { cluster in
        var options = Cluster.Options.underLoad
        options.failoverTimeout = .seconds(1)
        let program = try Cluster(nodes: cluster.addresses, database: "main", options: options)
        let ledger = Ledger()
        let insert: @Sendable (Int) async -> Bool = { number in
          await ledger.record(number) {
            try await program.write { try $0.execute("INSERT INTO entry VALUES (\(number))") }
          }
        }
        try await program.write { try $0.execute(sql: "CREATE TABLE entry(number INTEGER)") }
        #expect(await insert(1))
        let leader = try await cluster.leader()
        let others = cluster.ids.filter { $0 != leader }
        for id in others { try await cluster.kill(id) }
        Figures.add(2, to: .followerKills)
        for number in 2...4 { #expect(await !insert(number)) }
        // The last node gives its leadership up after an election time, and then refuses to read.
        try await cluster.wait("reads fail") {
          do {
            let count = try await program.read {
              try $0.first(.column(.int), sql: "SELECT count(*) FROM entry WHERE number = 1")
            }
            #expect(count == 1)
            return false
          } catch ClusterError.noLeader { return true }
        }
        await #expect(throws: ClusterError.self) {
          try await program.confirmedRead { try $0.execute(sql: "SELECT 1") }
        }
        for id in others { try await cluster.restart(id) }
        try await cluster.waitUntilComplete()
        #expect(await insert(5))
        try await program.close()
        let copy = try await cluster.copy()
        ledger.verify((copy["entry"] ?? []).compactMap(\.first?.int))
      }
    }
  }
}

extension DatabaseValue {
  /// The integer; nil for another value.
  var int: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }
}
