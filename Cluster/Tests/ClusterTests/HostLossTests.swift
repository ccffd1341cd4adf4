import Foundation
import LocalNodes
import SluiceCluster
import Synchronization
import Testing

@Suite(
  .serialized, .timeLimit(.minutes(3)),
  .enabled(if: TestNetwork.obstacle == nil, "\(TestNetwork.obstacle ?? "")"))
struct `Hosts that vanish` {
  /// A time that none of the tests waits for.
  private static let veryLong = Duration.seconds(600)
  /// Options with which calls without a deadline end soon.
  private static var impatient: Cluster.Options {
    var options = Cluster.Options()
    options.requestTimeout = .seconds(1)
    options.failoverTimeout = .seconds(1)
    return options
  }

  @Test(arguments: TestHosts.Security.allCases)
  func `do not hold a call beyond its deadline`(security: TestHosts.Security) async throws {
    var options = Cluster.Options()
    options.requestTimeout = Self.veryLong
    options.failoverTimeout = Self.veryLong
    try await withVanishingHosts(security, options) { cluster, program in
      // The request is on its way when the hosts vanish.
      let writing = try await self.ending(of: cluster) {
        try await program.write(deadline: .now + .seconds(2)) { connection in
          try connection.execute(sql: "INSERT INTO entry VALUES (2)")
          try self.vanish(cluster)
          try connection.execute(sql: "INSERT INTO entry VALUES (3)")
        }
      }
      #expect(writing is DeadlineError)
      let reading = try await self.ending(of: cluster) {
        try await program.read(deadline: .now + .seconds(1)) { try $0.execute(sql: "SELECT 1") }
      }
      #expect(reading is DeadlineError)
    }
  }

  @Test(arguments: TestHosts.Security.allCases)
  func `do not hold a call without a deadline beyond its timeouts`(
    security: TestHosts.Security
  ) async throws {
    try await withVanishingHosts(security, Self.impatient) { cluster, program in
      let writing = try await self.ending(of: cluster) {
        try await program.perform { connection in
          try connection.execute(sql: "BEGIN IMMEDIATE; INSERT INTO entry VALUES (2)")
          try self.vanish(cluster)
          try connection.execute(sql: "INSERT INTO entry VALUES (3)")
        }
      }
      #expect(writing is ClusterError)
      let reading = try await self.ending(of: cluster) {
        try await program.confirmedRead { try $0.execute(sql: "SELECT 1") }
      }
      #expect(reading is ClusterError)
    }
  }

  @Test(arguments: TestHosts.Security.allCases)
  func `do not hold the end of a transaction beyond the timeouts`(
    security: TestHosts.Security
  ) async throws {
    try await withVanishingHosts(security, Self.impatient) { cluster, program in
      let committing = try await self.ending(of: cluster) {
        try await program.write { connection in
          try connection.execute(sql: "INSERT INTO entry VALUES (2)")
          // The commit follows, and then the search for another leader.
          try self.vanish(cluster)
        }
      }
      #expect(committing is ClusterError)
    }
  }

  @Test(arguments: TestHosts.Security.allCases)
  func `do not hold an administrator beyond its deadline`(
    security: TestHosts.Security
  ) async throws {
    try await withVanishingHosts(security, Cluster.Options()) { cluster, _ in
      try self.vanish(cluster)
      let administrator = cluster.administrator
      let status = try await self.ending(of: cluster) {
        let states = try await blocking { try administrator.status(deadline: .now + .seconds(2)) }
        #expect(states.allSatisfy { $0.failure != nil })
      }
      #expect(status == nil)
      let search = try await self.ending(of: cluster) {
        _ = try await blocking { try administrator.leader(deadline: .now + .seconds(2)) }
      }
      #expect((search as? ClusterAdministrationError)?.reason == .noLeader)
    }
  }

  /// Whether the system lets programs choose the longest pause; Linux does since 6.15.
  private static let canLimitPauses = FileManager.default.fileExists(
    atPath: "/proc/sys/net/ipv4/tcp_rto_max_ms")

  @Test(
    .enabled(if: canLimitPauses, "Linux before 6.15 has no TCP_RTO_MAX_MS"),
    arguments: TestHosts.Security.allCases)
  func `are asked again each second, so that they return soon`(
    security: TestHosts.Security
  ) async throws {
    try await TestCluster.with(hosts: security) { cluster in
      let leader = try await cluster.leader()
      let follower = try #require(cluster.ids.first { $0 != leader })
      let hosts = try cluster.hosts
      let (source, target) = try (hosts.host(leader), hosts.host(follower))
      try hosts.network.unplug(target)
      // By default, the pause would be longer than 3 seconds after four times.
      try await cluster.wait("the leader has sent a message five times") {
        let all = try hosts.network.retransmissions(from: source, to: target)
        #expect(all.allSatisfy { $0.pause <= 1000 })
        return all.contains { $0.count >= 4 }
      }
      try hosts.network.repair()
      try await cluster.waitUntilComplete()
    }
  }

  /// Calls `body` with a cluster on several hosts and a program that has a connection to the leader.
  private func withVanishingHosts(
    _ security: TestHosts.Security, _ options: Cluster.Options,
    _ body: @Sendable (TestCluster, Cluster) async throws -> Void
  ) async throws {
    try await TestCluster.with(hosts: security) { cluster in
      let program = try Cluster(
        nodes: cluster.addresses(ofProgram: 0), database: "main", options: options)
      try await program.write {
        try $0.execute(sql: "CREATE TABLE entry(number); INSERT INTO entry VALUES (1)")
      }
      try await body(cluster, program)
      // The connections lead nowhere.
      try? await program.close()
    }
  }

  /// Makes all hosts of nodes vanish: the network sees nothing of the end of their processes.
  private func vanish(_ cluster: TestCluster) throws {
    let hosts = try cluster.hosts
    for node in cluster.all {
      try hosts.network.unplug(hosts.host(node.id))
      node.kill()
    }
  }

  /// Waits for the end of a call, much shorter than TCP waits for a host, and returns its error.
  private func ending(
    of cluster: TestCluster, _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> (any Error)? {
    let ending = Mutex<Result<Void, any Error>?>(nil)
    let call = Task {
      let result: Result<Void, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      ending.withLock { $0 = result }
    }
    defer { call.cancel() }
    try await cluster.wait("a call has ended") { ending.withLock { $0 != nil } }
    guard case .failure(let error)? = ending.withLock({ $0 }) else { return nil }
    return error
  }
}
