import SluiceCluster
import Testing

/// A client of nodes that share a database.
struct ClusterStage {
  let nodes: FakeCluster
  let cluster: Cluster

  /// Starts the nodes, and chooses options with which a slow machine fails no test.
  init(nodes count: Int = 1, failoverTimeout: Duration = .seconds(120)) throws {
    var options = Cluster.Options()
    options.readerCount = 2
    options.requestTimeout = .seconds(120)
    options.failoverTimeout = failoverTimeout
    nodes = try FakeCluster(nodes: count)
    cluster = try Cluster(nodes: nodes.addresses, database: "main", options: options)
  }

  /// Creates a table with one counter of 0.
  func addCounter() async throws {
    try await cluster.write { connection in
      try connection.execute(
        sql: "CREATE TABLE counter(n INTEGER NOT NULL); INSERT INTO counter VALUES (0)")
    }
  }

  var count: Int? {
    get async throws {
      try await cluster.read { try $0.first(.column(.int), sql: "SELECT n FROM counter") }
    }
  }

  /// Adds one to the counter, in a transaction.
  @discardableResult
  func increment() async throws -> Int {
    try await cluster.write { connection in
      try connection.execute(sql: "UPDATE counter SET n = n + 1")
      return connection.changes
    }
  }
}
