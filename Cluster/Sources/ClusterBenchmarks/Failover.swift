import LocalNodes
import SluiceCluster

/// The time without a leader.
enum Failover {
  /// Kills the leader five times, and measures the time until the next write is acknowledged.
  static func measure(_ nodes: LocalCluster, latency: Int?) async throws -> Table.Line {
    let cluster = try Cluster(nodes: nodes.clientAddresses, database: "bench")
    try await prepare(cluster)
    var results: [Double] = []
    for _ in 0..<5 {
      try await insert(cluster)
      let leader = try await nodes.leader()
      let begin = ContinuousClock.now
      leader.kill()
      try await insert(cluster)
      results.append((ContinuousClock.now - begin) / .milliseconds(1))
      try await leader.start()
      try await nodes.waitUntilComplete()
    }
    try await cluster.close()
    let name = latency.map { "--latency \($0)" } ?? "the default latency"
    return Table.Line(
      operation: "kill -9 of the leader to the next commit, \(name)", unit: "ms", results: results)
  }

  /// Transfers the leadership, and measures the time until the next write is acknowledged.
  static func measureTransfer(
    _ nodes: LocalCluster, _ cluster: Cluster
  ) async throws -> Table.Line {
    try await prepare(cluster)
    var results: [Double] = []
    for index in 0..<9 {
      let leader = try await nodes.leader()
      let others = nodes.nodes.filter { $0.id != leader.id }
      try await insert(cluster)
      let begin = ContinuousClock.now
      try await nodes.transfer(to: others[index % others.count])
      try await insert(cluster)
      results.append((ContinuousClock.now - begin) / .milliseconds(1))
    }
    return Table.Line(
      operation: "transfer of the leadership to the next commit", unit: "ms", results: results)
  }

  private static func prepare(_ cluster: Cluster) async throws {
    try await cluster.write { connection in
      try connection.execute("CREATE TABLE IF NOT EXISTS kill(id INTEGER PRIMARY KEY)")
    }
  }

  private static func insert(_ cluster: Cluster) async throws {
    try await cluster.write { try $0.execute("INSERT INTO kill DEFAULT VALUES") }
  }
}
