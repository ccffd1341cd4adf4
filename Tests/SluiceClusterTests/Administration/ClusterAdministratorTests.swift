import SluiceCluster
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections)) struct `Administration of clusters` {
  @Test func `each node leads to the leader`() throws {
    let cluster = try FakeCluster(nodes: 3)
    cluster.leader = 2
    for address in cluster.addresses {
      let administrator = ClusterAdministrator(nodes: [address])
      #expect(try administrator.leader(deadline: late) == cluster.members[1])
      #expect(try administrator.members(deadline: late) == cluster.members)
    }
  }

  @Test func `a node that names an old leader does not hide the leader`() throws {
    let cluster = try FakeCluster(nodes: 2)
    let old = cluster.addresses[1].description
    let stale = try FakeNode { $0 == .leader ? .server(2, old) : nil }
    let administrator = ClusterAdministrator(nodes: [stale.address, cluster.addresses[0]])
    #expect(try administrator.leader(deadline: late).id == 1)
  }

  @Test func `a node that is silent, and one that ended, do not hide the leader`() throws {
    let cluster = try FakeCluster(nodes: 3)
    let silent = try FakeNode { _ in .silence }
    cluster.stop(3)
    let administrator = ClusterAdministrator(
      nodes: [silent.address, cluster.addresses[2], cluster.addresses[1]])
    #expect(try administrator.leader(deadline: late).id == 1)
  }

  @Test func `without a leader, a request waits until the deadline`() throws {
    let cluster = try FakeCluster(nodes: 2)
    cluster.leader = 0
    let administrator = ClusterAdministrator(nodes: cluster.addresses)
    let error = refusal { try administrator.transfer(to: 1, deadline: .now + .seconds(2)) }
    #expect(error?.reason == .noLeader)
    #expect(error?.description.contains("No node knows a leader") == true)
    cluster.stop(1)
    cluster.stop(2)
    let other = refusal { try administrator.members(deadline: .now + .seconds(2)) }
    #expect(other?.reason == .noLeader)
    #expect(other?.description.contains(cluster.addresses[0].description) == true)
  }

  @Test func `a node is added, and becomes a voter`() throws {
    let cluster = try FakeCluster(nodes: 3)
    let node = try FakeNode { _ in nil }
    let administrator = ClusterAdministrator(nodes: cluster.addresses)
    try administrator.add(4, at: node.address, deadline: late)
    #expect(cluster.members.last == member(4, node.address, .voter))
    try administrator.add(4, at: node.address, as: .standby, deadline: late)
    #expect(cluster.members.last == member(4, node.address, .standby))
  }

  @Test func `an id and an address belong to one member`() throws {
    let cluster = try FakeCluster(nodes: 3)
    let administrator = ClusterAdministrator(nodes: cluster.addresses)
    let sameID = refusal { try administrator.add(2, at: "127.0.0.1:9", deadline: late) }
    #expect(sameID?.reason == .refused)
    #expect(sameID?.description.contains("has the id 2") == true)
    let sameAddress = refusal {
      try administrator.add(4, at: cluster.addresses[1], deadline: late)
    }
    #expect(sameAddress?.reason == .refused)
    #expect(sameAddress?.description.contains("Node 2 has the address") == true)
    #expect(cluster.members.count == 3)
  }

  @Test func `a node that does not run is a spare until it runs`() throws {
    let cluster = try FakeCluster(nodes: 1)
    let node = try FakeNode { _ in nil }
    node.stop()
    let administrator = ClusterAdministrator(nodes: cluster.addresses)
    let error = refusal {
      try administrator.add(2, at: node.address, deadline: .now + .seconds(2))
    }
    #expect(error?.reason == .notFinished)
    #expect(error?.description.contains("Node 2 does not answer") == true)
    #expect(cluster.members.last?.role == .spare)
  }

  @Test func `a request whose answer is lost is repeated only if that is necessary`() throws {
    let requests = Locked<[FakeRequest]>([])
    let members = Locked<[NodeMember]>([])
    let added = try FakeNode { _ in nil }
    let leader = try FakeNode { request in
      guard let request else { return nil }
      switch request {
      case .leader: return .server(1, members.withLock { $0[0].address })
      case .members: return .servers(members.withLock { $0 })
      case .add(let id, let address):
        requests.withLock { $0.append(request) }
        members.withLock { $0.append(NodeMember(id: id, address: address, role: .spare)) }
        return .drop
      case .assign(let id, _):
        requests.withLock { $0.append(request) }
        members.withLock { members in
          members[1] = NodeMember(id: id, address: members[1].address, role: .voter)
        }
        return .drop
      default: return nil
      }
    }
    members.withLock { $0 = [member(1, leader.address, .voter)] }
    try ClusterAdministrator(nodes: [leader.address]).add(2, at: added.address, deadline: late)
    #expect(
      requests.withLock { $0 } == [.add(2, added.address.description), .assign(2, 0)])
  }

  @Test func `a leader is removed after another node leads`() throws {
    let cluster = try FakeCluster(nodes: 3)
    let administrator = ClusterAdministrator(nodes: cluster.addresses)
    cluster.stop(2)
    try administrator.remove(1, deadline: late)
    #expect(cluster.leader == 3)
    #expect(cluster.members.map(\.id) == [2, 3])
    try administrator.remove(2, deadline: late)
    let error = refusal { try administrator.remove(3, deadline: late) }
    #expect(error?.reason == .refused)
    #expect(error?.description.contains("only voter") == true)
  }

  @Test func `only a voter that answers becomes the leader`() throws {
    let cluster = try FakeCluster(nodes: 3)
    let administrator = ClusterAdministrator(nodes: cluster.addresses)
    try administrator.transfer(to: 2, deadline: late)
    #expect(cluster.leader == 2)
    try administrator.assign(.spare, to: 3, deadline: late)
    let spare = refusal { try administrator.transfer(to: 3, deadline: late) }
    #expect(spare?.description.contains("only a voter can lead") == true)
    cluster.stop(1)
    let ended = refusal { try administrator.transfer(to: 1, deadline: .now + .seconds(2)) }
    #expect(ended?.reason == .notFinished)
    #expect(cluster.leader == 2)
  }

  @Test func `a leader that ends hands over to a node that answers`() throws {
    let cluster = try FakeCluster(nodes: 3)
    cluster.stop(2)
    let first = ClusterAdministrator(nodes: [cluster.addresses[0]])
    #expect(try first.handOver(from: 1, deadline: late))
    #expect(cluster.leader == 3)
    #expect(try !first.handOver(from: 1, deadline: late))
    cluster.stop(1)
    let alone = refusal {
      try ClusterAdministrator(nodes: [cluster.addresses[2]]).handOver(from: 3, deadline: late)
    }
    #expect(alone?.reason == .notFinished)
  }

  @Test func `a node that does not know the newest members does not become the leader`() throws {
    let cluster = try FakeCluster(nodes: 1)
    let old = try FakeNode { [members = cluster.members] in $0 == .members ? .servers(members) : nil
    }
    let administrator = ClusterAdministrator(nodes: cluster.addresses)
    try administrator.add(2, at: old.address, deadline: late)
    let error = refusal { try administrator.transfer(to: 2, deadline: .now + .seconds(3)) }
    #expect(error?.reason == .notFinished)
    #expect(error?.description.contains("does not know the newest members") == true)
    let other = refusal { try administrator.handOver(from: 1, deadline: late) }
    #expect(other == error)
    #expect(cluster.leader == 1)
  }

  @Test func `members that do not exist are refused`() throws {
    let cluster = try FakeCluster(nodes: 2)
    let administrator = ClusterAdministrator(nodes: cluster.addresses)
    for error in [
      refusal { try administrator.remove(9, deadline: late) },
      refusal { try administrator.transfer(to: 9, deadline: late) },
      refusal { try administrator.assign(.voter, to: 9, deadline: late) },
    ] {
      #expect(error?.reason == .refused)
      #expect(error?.description.contains("no member 9; its members are 1, 2") == true)
    }
  }

  @Test func `the status tells who leads, and who does not answer`() throws {
    let cluster = try FakeCluster(nodes: 3)
    let stranger = try FakeNode { _ in nil }
    cluster.stop(3)
    let administrator = ClusterAdministrator(nodes: [cluster.addresses[1], stranger.address])
    let states = try administrator.status(deadline: late)
    #expect(states.map { $0.member?.id } == [1, 2, 3, nil])
    #expect(states.map(\.isLeader) == [true, false, false, false])
    #expect(states.map { $0.failure == nil } == [true, true, false, true])
    #expect(states[1].leader?.id == 1)
    #expect(states[0].failureDomain == 0)
    #expect(states.map(\.knownMembers) == [cluster.members, cluster.members, nil, []])
    #expect(states[3].address == stranger.address.description)
  }

  @Test func `a member whose address is no address is listed`() throws {
    let node = try FakeNode { request in
      request == .members
        ? .servers([NodeMember(id: 7, address: "example.org", role: .voter)]) : nil
    }
    let states = try ClusterAdministrator(nodes: [node.address])
      .status(deadline: .now + .seconds(2))
    #expect(states.first?.member?.id == 7)
    #expect(states.first?.failure?.contains("example.org") == true)
  }

  @Test func `a database is copied from the first node that answers, without a leader`() throws {
    let cluster = try FakeCluster(nodes: 3)
    let connection = try NodeConnection(opening: cluster.addresses[0])
    try connection.run("CREATE TABLE t(a)")
    try connection.run("INSERT INTO t VALUES (5)")
    cluster.leader = 0
    cluster.refuseDumps(of: [1])
    let folder = try TestFolder()
    try ClusterAdministrator(nodes: cluster.addresses).backup(
      "main", to: folder.file("copy.db"), deadline: late)
    #expect(cluster.dumps == [2])
    #expect(try folder.content == ["copy.db"])
    let copy = try Connection(path: folder.file("copy.db"))
    #expect(try copy.first(.column(.int), sql: "SELECT a FROM t") == 5)
    cluster.refuseDumps(of: [1, 2, 3])
    let error = refusal {
      try ClusterAdministrator(nodes: cluster.addresses).backup(
        "main", to: folder.file("other.db"), deadline: late)
    }
    #expect(error?.reason == .notFinished)
    #expect(try folder.content == ["copy.db"])
  }

  @Test func `a database without a valid name is not copied`() throws {
    let node = try FakeNode { _ in .drop }
    for name in ["", "a\0b"] {
      let error = refusal {
        try ClusterAdministrator(nodes: [node.address]).backup(
          name, to: "/nonexistent/copy.db", deadline: late)
      }
      #expect(error?.reason == .refused)
    }
    #expect(node.connectionCount == 0)
  }

  @Test func `a database that does not exist is not copied, whatever the node answers`() throws {
    let folder = try TestFolder()
    for reply in [
      FakeReply.files([("main", []), ("main-wal", [])]),
      FakeReply.failure(1002, "database does not exists"), .files([]),
    ] {
      let node = try FakeNode { if case .dump = $0 { reply } else { nil } }
      let error = refusal {
        try ClusterAdministrator(nodes: [node.address]).backup(
          "main", to: folder.file("copy.db"), deadline: late)
      }
      #expect(error?.reason == .refused)
      #expect(error?.description.contains("\"main\" cannot be copied") == true)
      #expect(try folder.content == [])
    }
  }
}

/// A deadline that no correct test reaches.
private var late: ContinuousClock.Instant { .now + .seconds(60) }

private func member(_ id: UInt64, _ address: NodeAddress, _ role: NodeRole) -> NodeMember {
  NodeMember(id: id, address: address.description, role: role)
}

/// Returns the ``ClusterAdministrationError`` that `body` throws, or nil if it returns.
///
/// Any other error fails the test.
private func refusal<T>(
  at location: SourceLocation = #_sourceLocation, _ body: () throws -> T
) -> ClusterAdministrationError? {
  failure(as: ClusterAdministrationError.self, at: location, body)
}
