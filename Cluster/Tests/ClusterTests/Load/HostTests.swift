import LocalNodes
import SluiceCluster
import Testing

extension `A cluster under load` {
  @Suite(.enabled(if: TestNetwork.obstacle == nil, "\(TestNetwork.obstacle ?? "")"))
  struct `on several hosts` {
    @Test(arguments: TestHosts.Security.allCases)
    func `loses nothing in random partitions`(security: TestHosts.Security) async throws {
      var partitions: [NetworkPartition] = []
      let count = rounds(5, long: 50)
      while partitions.count < count { partitions += NetworkPartition.allCases.shuffled() }
      try await TestCluster.with(hosts: security) { cluster in
        try await Load.run(on: cluster) { load in
          try await FreshReads.run(during: load, on: cluster) {
            _ = try await load.progress()
            for partition in partitions[..<count] {
              try await survive(partition, cluster, load)
            }
          }
        }
      }
    }

    private func survive(
      _ partition: NetworkPartition, _ cluster: TestCluster, _ load: Load
    ) async throws {
      do {
        try await partition.begin(in: cluster)
        Figures.add(to: .partitions)
        if partition.permitsCommits {
          Figures.add(try await load.progress(), to: "\(partition.rawValue), to a commit")
        }
        // Some partitions are short, and some are longer than elections and requests.
        try await Task.sleep(for: .milliseconds(.random(in: 0...2500)))
        try cluster.hosts.network.repair()
        Figures.add(
          try await load.progress(),
          to: partition.permitsCommits
            ? "the repair of a partition, to a commit"
            : "the repair after \(partition.rawValue), to a commit")
        let start = ContinuousClock.now
        try await cluster.waitUntilComplete()
        Figures.add(.now - start, to: "the repair of a partition, until all nodes follow")
      } catch {
        Issue.record("while \(partition.rawValue)")
        throw error
      }
    }

    @Test func `goes on while the network works badly`() async throws {
      try #require(!NetworkDisturbance.possible.isEmpty)
      try await TestCluster.with(latency: 50, hosts: TestHosts.Security.none) { cluster in
        try await Load.run(on: cluster) { load in
          let hosts = try cluster.hosts
          for _ in 0..<rounds(1, long: 4) {
            for disturbance in NetworkDisturbance.possible {
              _ = try await load.progress()
              for id in cluster.ids { try hosts.network.disturb(hosts.host(id), disturbance) }
              Figures.add(to: .disturbances)
              for _ in 0..<5 {
                Figures.add(try await load.progress(), to: "\(disturbance.rawValue), to a commit")
              }
              try hosts.network.repair()
              try await cluster.waitUntilComplete()
            }
          }
        }
      }
    }

    @Test(arguments: TestHosts.Security.allCases)
    func `loses nothing when a host vanishes with its connections`(
      security: TestHosts.Security
    ) async throws {
      try await TestCluster.with(hosts: security) { cluster in
        try await Load.run(on: cluster) { load in
          for _ in 0..<rounds(1, long: 5) {
            _ = try await load.progress()
            let leader = try await cluster.leader()
            let network = try cluster.hosts.network
            // No system tells the other side that the process has ended.
            try network.unplug(cluster.hosts.host(leader))
            try await cluster.kill(leader)
            Figures.add(
              try await load.progress(), to: "from the loss of the leader's host to a commit")
            Figures.add(to: .leaderKills)
            try network.repair()
            try await cluster.restart(leader)
            try await cluster.waitUntilComplete()
          }
        }
      }
    }
  }
}
