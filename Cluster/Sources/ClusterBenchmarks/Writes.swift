import SluiceCluster

/// Transactions that write.
struct Writes {
  private let cluster: Cluster

  init(_ cluster: Cluster) { self.cluster = cluster }

  func measure(_ table: inout Table) async throws {
    let cluster = self.cluster
    try await cluster.write { connection in
      try connection.execute(
        "CREATE TABLE IF NOT EXISTS event(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
    }
    for tasks in [1, 16] {
      let rates = try await Rounds.rates(tasks: tasks) {
        try await cluster.write { try Self.insert($0) }
      }
      table.add(
        Table.Line(
          operation: "transaction of 1 insert, \(Self.name(tasks))", unit: "a second",
          results: rates))
    }
    let rates = try await Rounds.rates(tasks: 1) {
      try await cluster.write { connection in for _ in 0..<10 { try Self.insert(connection) } }
    }
    table.add(
      Table.Line(
        operation: "transaction of 10 inserts, 1 task", unit: "a second", results: rates))
  }

  private static func insert(_ connection: Connection) throws {
    let title = "An event that happened"
    try connection.execute("INSERT INTO event(title) VALUES (\(title))")
  }

  static func name(_ tasks: Int) -> String { tasks == 1 ? "1 task" : "\(tasks) tasks" }
}
