import LocalNodes
import SluiceCluster
import Testing

@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: TestNetwork.obstacle == nil, "\(TestNetwork.obstacle ?? "")"))
struct `Programs whose hosts vanish` {
  /// The door of the leader ends the connection, because the program is silent.
  @Test func `lose their transaction, so that others can write`() async throws {
    try await TestCluster.with(options: ["--silence", "3"], hosts: .keys) { cluster in
      var options = Cluster.Options()
      options.busyTimeout = .seconds(120)
      options.requestTimeout = .seconds(1)
      options.failoverTimeout = .seconds(1)
      let programs = try (0..<2).map { index in
        try Cluster(nodes: cluster.addresses(ofProgram: index), database: "main", options: options)
      }
      try await programs[1].write { try $0.execute(sql: "CREATE TABLE entry(number)") }
      let hosts = try cluster.hosts
      await #expect(throws: ClusterError.self) {
        try await programs[0].perform { connection in
          try connection.execute(sql: "BEGIN IMMEDIATE; INSERT INTO entry VALUES (1)")
          try hosts.network.unplug(hosts.programs[0])
          try connection.execute(sql: "INSERT INTO entry VALUES (2)")
        }
      }
      let start = ContinuousClock.now
      // It waits for the lock, which the vanished program holds.
      try await programs[1].write { try $0.execute(sql: "INSERT INTO entry VALUES (3)") }
      Figures.add(.now - start, to: "from the loss of a program's host to the end of its lock")
      for program in programs { try? await program.close() }
      #expect(try await cluster.copy()["entry"] == [[.integer(3)]])
    }
  }
}
