import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct `The members of a cluster` {
  @Test func `members come and go, and the leader too`() async throws {
    try await TestCluster.with(nodes: 3) { cluster in
      let fourth = try await cluster.add()
      try await cluster.waitUntilComplete()
      let leader = try await cluster.leader()
      try await cluster.remove(leader)
      #expect(try await cluster.leader() != leader)
      try await cluster.waitUntilComplete()
      #expect(cluster.ids.contains(fourth) && cluster.ids.count == 3)
    }
  }

  @Test func `the last voter is not removed`() async throws {
    try await TestCluster.with(nodes: 1) { cluster in
      let error = await refusal { [administrator = cluster.administrator] in
        try administrator.remove(1)
      }
      #expect(error?.description.contains("only voter") == true)
      let leader = try await cluster.leader()
      #expect(leader == 1)
    }
  }

  @Test func `an id and an address belong to one member`() async throws {
    try await TestCluster.with(nodes: 2) { cluster in
      let administrator = cluster.administrator
      let other = try cluster.newAddress()
      let address = cluster.addresses[1]
      let sameID = await refusal { try administrator.add(2, at: other) }
      #expect(sameID?.description.contains("has the id 2") == true)
      let sameAddress = await refusal { try administrator.add(3, at: address) }
      #expect(sameAddress?.description.contains("has the address") == true)
      // Adding a member again changes nothing.
      try await blocking { try administrator.add(2, at: address) }
      try await cluster.waitUntilComplete()
    }
  }

  @Test func `members that do not exist are refused`() async throws {
    try await TestCluster.with(nodes: 1) { cluster in
      let administrator = cluster.administrator
      for error in [
        await refusal { try administrator.remove(9) },
        await refusal { try administrator.transfer(to: 9) },
        await refusal { try administrator.assign(.spare, to: 9) },
      ] {
        #expect(error?.description.contains("no member 9") == true)
      }
      let file = cluster.path("copy.db")
      let backup = await refusal { try administrator.backup("nothing", to: file) }
      #expect(backup?.description.contains("cannot be copied") == true)
      let unnamed = await refusal { try administrator.backup("", to: file) }
      #expect(unnamed?.reason == .refused)
    }
  }

  @Test func `a node that does not run does not become a voter, and does not block others`()
    async throws
  {
    try await TestCluster.with(nodes: 3) { cluster in
      let administrator = cluster.administrator
      let address = try cluster.newAddress()
      let error = await refusal {
        try administrator.add(9, at: address, deadline: .now + .seconds(1))
      }
      #expect(error?.reason == .notFinished)
      try await blocking { try administrator.remove(9) }
      try await cluster.add()
      try await cluster.waitUntilComplete()
    }
  }

  @Test func `a member changes its role`() async throws {
    try await TestCluster.with(nodes: 3) { cluster in
      let administrator = cluster.administrator
      try await cluster.transfer(to: 1)
      for role in [NodeRole.standby, .spare, .voter] {
        try await blocking { try administrator.assign(role, to: 3) }
        let members = try await blocking { try administrator.members() }
        #expect(members.first { $0.id == 3 }?.role == role)
      }
      try await blocking { try administrator.assign(.spare, to: 3) }
      let transfer = await refusal { try administrator.transfer(to: 3) }
      #expect(transfer?.description.contains("only a voter can lead") == true)
    }
  }

  @Test func `without a majority there is no leader, and the status tells it`() async throws {
    try await TestCluster.with(nodes: 3) { cluster in
      let administrator = cluster.administrator
      let first = try await cluster.leader()
      for id in cluster.ids where id != first { try await cluster.kill(id) }
      let last = ClusterAdministrator(nodes: [try cluster.node(first).address])
      try await cluster.wait("the last node gives up the leadership") {
        try await blocking { try last.status() }.allSatisfy { !$0.isLeader }
      }
      let error = await refusal { try administrator.leader(deadline: .now + .seconds(1)) }
      #expect(error?.reason == .noLeader)
    }
  }

  /// Returns the error that a request throws; another error, or none, fails the test.
  private func refusal<T>(
    _ body: @escaping @Sendable () throws -> T
  ) async -> ClusterAdministrationError? {
    await #expect(throws: ClusterAdministrationError.self) {
      try await blocking { _ = try body() }
    }
  }
}
