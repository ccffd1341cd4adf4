import SluiceCluster

/// Transactions that write.
enum Writes {
  static func measure(_ cluster: Cluster, _ table: inout Table) async throws {
    try await cluster.write { connection in
      try connection.execute(
        "CREATE TABLE IF NOT EXISTS event(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
    }
    for tasks in [1, 16] {
      try await table.addRate(of: "transaction of 1 insert", tasks: tasks) {
        try await cluster.write { try insert($0) }
      }
    }
    try await table.addRate(of: "transaction of 10 inserts") {
      try await cluster.write { connection in for _ in 0..<10 { try insert(connection) } }
    }
  }

  private static func insert(_ connection: Connection) throws {
    let title = "An event that happened"
    try connection.execute("INSERT INTO event(title) VALUES (\(title))")
  }
}
