import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct `Partitions of a network` {
  @Test func `a leader that is cut off loses the leadership, and returns`() async throws {
    try await TestCluster.with(relayed: true) { cluster in
      let first = try await cluster.leader()
      for other in cluster.ids where other != first {
        try cluster.cut(from: first, to: other)
        try cluster.cut(from: other, to: first)
      }
      let second = try await cluster.leader(otherThan: first)
      #expect(second != first)
      try cluster.restoreNetwork()
      try await cluster.waitUntilComplete()
    }
  }

  @Test func `a leader that nobody hears loses the leadership`() async throws {
    try await TestCluster.with(relayed: true) { cluster in
      let first = try await cluster.leader()
      for other in cluster.ids where other != first { try cluster.cut(from: first, to: other) }
      #expect(try await cluster.leader(otherThan: first) != first)
      try cluster.restoreNetwork()
      try await cluster.waitUntilComplete()
    }
  }

  @Test func `a leader that hears nobody loses the leadership`() async throws {
    try await TestCluster.with(relayed: true) { cluster in
      let first = try await cluster.leader()
      for other in cluster.ids where other != first { try cluster.cut(from: other, to: first) }
      #expect(try await cluster.leader(otherThan: first) != first)
      try cluster.restoreNetwork()
      try await cluster.waitUntilComplete()
    }
  }

  @Test func `a follower that is cut off misses the leader, and returns`() async throws {
    try await TestCluster.with(relayed: true) { cluster in
      let leader = try await cluster.leader()
      let follower = try #require(cluster.ids.first { $0 != leader })
      for other in cluster.ids where other != follower {
        try cluster.cut(from: follower, to: other)
        try cluster.cut(from: other, to: follower)
      }
      try await cluster.wait("the follower misses the leader") {
        let alone = ClusterAdministrator(nodes: [try cluster.node(follower).address])
        return try await blocking { try alone.status(deadline: .now + .seconds(4)) }
          .contains { $0.address == alone.nodes[0].description && $0.leader == nil }
      }
      try cluster.restoreNetwork()
      try await cluster.waitUntilComplete()
    }
  }
}
