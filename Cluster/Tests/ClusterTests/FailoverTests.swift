import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct `Failover` {
  @Test func `another node leads after the leader was killed, and the killed node returns`()
    async throws
  {
    try await TestCluster.with { cluster in
      let first = try await cluster.leader()
      try await cluster.kill(first)
      try await cluster.leader(otherThan: first)
      try await cluster.restart(first)
      try await cluster.waitUntilComplete()
    }
  }

  @Test func `another node leads while the leader is paused`() async throws {
    try await TestCluster.with { cluster in
      let first = try await cluster.leader()
      try cluster.pause(first)
      try await cluster.leader(otherThan: first)
      try cluster.resume(first)
      try await cluster.waitUntilComplete()
    }
  }

  @Test func `a leader that is asked to end hands over before it ends`() async throws {
    // With this latency, the nodes would miss a killed leader only after 4.5 seconds.
    try await TestCluster.with(latency: 300) { cluster in
      let first = try await cluster.leader()
      #expect(try await cluster.terminate(first) == 0)
      let administrator = cluster.administrator
      let states = try await blocking { try administrator.status() }
      #expect(states.contains { $0.isLeader })
    }
  }

  @Test func `a transfer makes each node the leader in turn`() async throws {
    try await TestCluster.with { cluster in
      for id in cluster.ids + [1] {
        try await cluster.transfer(to: id)
        #expect(try await cluster.leader() == id)
      }
    }
  }

  @Test func `all nodes return after all were killed`() async throws {
    try await TestCluster.with { cluster in
      for id in cluster.ids { try await cluster.kill(id) }
      for id in cluster.ids { try await cluster.restart(id) }
      try await cluster.waitUntilComplete()
    }
  }
}
