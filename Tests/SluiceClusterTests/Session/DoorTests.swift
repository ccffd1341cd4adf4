import SluiceCluster
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections), .timeLimit(.minutes(1))) struct `Clusters through a door` {
  @Test func `a client reaches the leader through the door, and nodes that it learns of too`()
    async throws
  {
    let nodes = try FakeCluster(nodes: 3)
    nodes.leader = 2
    let door = try FakeDoor(any: nodes.addresses[0])
    let cluster = try Cluster(nodes: [door.address], database: "main")
    try await cluster.write { connection in
      try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    }
    nodes.leader = 3
    try await cluster.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    let sum = try await cluster.confirmedRead { connection in
      try connection.first(.column(.int), sql: "SELECT sum(a) FROM t")
    }
    #expect(sum == 3)
    try await cluster.close()
    let named = nodes.addresses.map { $0.endpoint?.port ?? 0 }
    let ports = Set(door.greetings.map { UInt16($0[2]) << 8 | UInt16($0[3]) })
    #expect(ports.isSuperset(of: [0, named[1], named[2]]))
  }

  @Test func `an administrator works through the door`() throws {
    let nodes = try FakeCluster(nodes: 3)
    let door = try FakeDoor(any: nodes.addresses[1])
    defer { withExtendedLifetime(door) {} }
    let administrator = ClusterAdministrator(nodes: [door.address])
    let late = ContinuousClock.now + .seconds(30)
    try administrator.transfer(to: 3, deadline: late)
    #expect(nodes.leader == 3)
    let states = try administrator.status(deadline: late)
    #expect(states.map(\.address) == nodes.addresses.map(\.description))
    #expect(states.allSatisfy { $0.failure == nil })
    #expect(try administrator.handOver(from: 3, deadline: late))
    #expect(nodes.leader != 3)
  }

  @Test func `the door's reason is that of the client`() async throws {
    let door = try FakeDoor(any: nil)
    defer { withExtendedLifetime(door) {} }
    let reason = "10.0.0.1:9001: the certificate has expired"
    let error = wireFailure { try NodeConnection(to: door.address, patience) }
    #expect(error == .unreachable(reason))
    let states = try ClusterAdministrator(nodes: [door.address])
      .status(deadline: .now + .seconds(3))
    #expect(states.map(\.failure) == [reason])
    var options = Cluster.Options()
    options.failoverTimeout = .milliseconds(200)
    let cluster = try Cluster(nodes: [door.address], database: "main", options: options)
    let noLeader = await #expect(throws: ClusterError.self) {
      try await cluster.read { try $0.first(.column(.int), sql: "SELECT 1") }
    }
    #expect(noLeader == .noLeader(reason))
    try await cluster.close()
  }

  @Test func `a door that does not run is named`() {
    let error = wireFailure { try NodeConnection(to: "/tmp/no-such-door", patience) }
    #expect(error?.isUnreachable == true)
    #expect(error?.description.contains("/tmp/no-such-door: No such file") == true)
  }
}
