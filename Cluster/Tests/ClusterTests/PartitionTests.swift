import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct `Partitions of a network` {
  @Test(arguments: TestCluster.Direction.allCases)
  func `a leader that is cut off loses the leadership, and returns`(
    direction: TestCluster.Direction
  ) async throws {
    try await TestCluster.with(relayed: true) { cluster in
      let first = try await cluster.leader()
      try cluster.isolate(first, direction)
      try await cluster.leader(otherThan: first)
      try cluster.restoreNetwork()
      try await cluster.waitUntilComplete()
    }
  }

  @Test func `a follower that is cut off misses the leader, and returns`() async throws {
    try await TestCluster.with(relayed: true) { cluster in
      let leader = try await cluster.leader()
      let follower = try #require(cluster.ids.first { $0 != leader })
      try cluster.isolate(follower)
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
