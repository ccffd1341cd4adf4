import LocalNodes
import SluiceCluster
import Testing

extension `A cluster under load` {
  @Suite(.enabled(if: SmallDisk.isPossible, "only root can mount file systems"))
  struct `loses nothing when disks are full` {
    /// The size in megabytes of a file system on which a node has enough space.
    private static let diskSize = 128

    @Test func `of a follower, of the leader, and of all nodes`() async throws {
      try await TestCluster.with(diskSize: Self.diskSize) { cluster in
        try await Load.run(on: cluster) { load in
          _ = try await load.progress()
          let leader = try await cluster.leader()
          let follower = try #require(cluster.ids.first { $0 != leader })
          try await fill([follower], cluster, load)
          try await fill([try await cluster.leader()], cluster, load)
          try await fill(cluster.ids, cluster, load)
        }
      }
    }

    /// Fills disks, waits until their nodes have ended, and gives the nodes space again.
    private func fill(_ ids: [UInt64], _ cluster: TestCluster, _ load: Load) async throws {
      for id in ids { try cluster.disk(id).fill() }
      for id in ids {
        // The process ends by itself, or by a segmentation fault of dqlite 1.11.1.
        try await cluster.wait("node \(id) has ended") { try !cluster.node(id).isRunning }
      }
      if ids.count == 1 { _ = try await load.progress() }
      let refused = try await NodeProcess.run(
        "start", "--directory", cluster.node(ids[0]).directory)
      #expect(refused.status == 3, "\(refused.output)")
      for id in ids { try cluster.disk(id).empty() }
      try await cluster.restartEnded(.diskFailures)
      _ = try await load.progress()
      try await cluster.waitUntilComplete()
    }
  }
}
