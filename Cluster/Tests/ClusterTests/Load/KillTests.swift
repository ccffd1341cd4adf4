import SluiceCluster
import Testing

extension `A cluster under load` {
  @Suite struct `keeps every acknowledged transaction` {
    @Test func `when nodes are killed`() async throws {
      try await TestCluster.with { cluster in
        try await Load.run(on: cluster) { load in
          for round in 0..<rounds(6, long: 54) {
            _ = try await load.progress()
            switch round % 3 {
            case 0: try await killLeader(cluster, load)
            case 1: try await killFollower(cluster, load)
            default: try await killAll(cluster, load)
            }
            try await cluster.waitUntilComplete()
          }
        }
      }
    }

    private func killLeader(_ cluster: TestCluster, _ load: Load) async throws {
      let leader = try await cluster.leader()
      try await cluster.kill(leader)
      Figures.add(try await load.progress(), to: "from the kill of the leader to a commit")
      Figures.add(to: .leaderKills)
      try await cluster.restart(leader)
    }

    private func killFollower(_ cluster: TestCluster, _ load: Load) async throws {
      let leader = try await cluster.leader()
      let follower = try #require(cluster.ids.filter { $0 != leader }.randomElement())
      try await cluster.kill(follower)
      Figures.add(try await load.progress(), to: "from the kill of a follower to a commit")
      Figures.add(to: .followerKills)
      try await cluster.restart(follower)
    }

    private func killAll(_ cluster: TestCluster, _ load: Load) async throws {
      let ids = cluster.ids
      try await withThrowingTaskGroup { group in
        for id in ids { group.addTask { try await cluster.kill(id) } }
        try await group.waitForAll()
      }
      Figures.add(to: .fullKills)
      for id in ids { try await cluster.restart(id) }
      Figures.add(try await load.progress(), to: "from the restart of all nodes to a commit")
    }

    @Test func `when nodes are stopped and continued`() async throws {
      try await TestCluster.with { cluster in
        try await Load.run(on: cluster) { load in
          for round in 0..<rounds(2, long: 20) {
            _ = try await load.progress()
            let leader = try await cluster.leader()
            let isLeader = round % 2 == 0
            let id = try #require(cluster.ids.first { ($0 == leader) == isLeader })
            try cluster.pause(id)
            let gap = try await load.progress()
            try cluster.resume(id)
            Figures.add(
              gap, to: "from the stop of \(isLeader ? "the leader" : "a follower") to a commit")
            Figures.add(to: isLeader ? .leaderStops : .followerStops)
            try await cluster.waitUntilComplete()
          }
        }
      }
    }

    @Test func `when the leadership moves again and again`() async throws {
      try await TestCluster.with { cluster in
        try await Load.run(on: cluster) { load in
          for round in 0..<rounds(9, long: 60) {
            try await cluster.transfer(to: cluster.ids[round % 3])
            Figures.add(try await load.progress(), to: "from a transfer to a commit")
            Figures.add(to: .transfers)
          }
        }
      }
    }

    @Test func `when a node returns after it has missed more than the log keeps`() async throws {
      try await TestCluster.with(options: ["--snapshot", "32,64"]) { cluster in
        try await Load.run(on: cluster) { load in
          let leader = try await cluster.leader()
          let follower = try #require(cluster.ids.first { $0 != leader })
          try await cluster.kill(follower)
          Figures.add(to: .followerKills)
          let count = load.ledger.acknowledgedCount
          try await cluster.wait("the log has moved on") {
            load.ledger.acknowledgedCount > count + 250
          }
          try await cluster.restart(follower)
          try await cluster.waitUntilComplete()
          // The node that has caught up can lead.
          try await cluster.transfer(to: follower)
          _ = try await load.progress()
        }
      }
    }

    @Test func `when members join and leave`() async throws {
      try await TestCluster.with { cluster in
        try await Load.run(on: cluster) { load in
          for _ in 0..<rounds(1, long: 5) {
            try await cluster.add()
            _ = try await load.progress()
            let leader = try await cluster.leader()
            try await cluster.remove(leader)
            _ = try await load.progress()
            try await cluster.add()
            let follower = try #require(cluster.ids.first)
            try await cluster.remove(follower)
            _ = try await load.progress()
          }
        }
      }
    }
  }
}
