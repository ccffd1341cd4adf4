// Samples in the reference of `SluiceCluster`.

// snippet.hide
import SluiceCluster

/// These samples are only compiled, because they need nodes.
func use(_ migrator: Migrator, _ title: String) async throws -> Int {
  let cluster = try Cluster(
    nodes: ["10.0.0.1:9001", "10.0.0.2:9001", "10.0.0.3:9001"], database: "main")
  try await migrator.migrate(cluster)
  try await cluster.write { connection in
    try connection.execute("INSERT INTO event(title) VALUES (\(title))")
  }
  let count = try await cluster.read { connection in
    try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
  }
  return count
}

func copy(_ nodes: [NodeAddress], _ cluster: Cluster) async throws {
  try await cluster.backup(to: "backup.db")
  let restored = try Cluster(nodes: nodes, database: "restored")
  try await restored.restore(from: "backup.db")
}

func configure() throws -> Cluster {
  var configuration = Configuration()
  configuration.monitor = JSONLinesMonitor()
  configuration.codingStrategies.dates = .timeIntervalSince1970
  let cluster = try Cluster(
    nodes: ["/run/sluice/door"], database: "main", configuration: configuration)
  return cluster
}

func administrate() throws {
  let administrator = ClusterAdministrator(nodes: ["127.0.0.1:9001", "127.0.0.1:9002"])
  try administrator.transfer(to: 2)
}

let node: NodeAddress = "10.0.0.1:9001"
let door: NodeAddress = "/run/sluice/door"
guard node != door else { fatalError() }
