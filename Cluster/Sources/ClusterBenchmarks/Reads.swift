import SluiceCluster

/// Queries of a row by its key.
enum Reads {
  private static let rowCount = 1_000

  static func measure(_ cluster: Cluster, _ table: inout Table) async throws {
    try await Rows.fill(cluster, rowCount)
    for tasks in [1, 16] {
      try await table.addRate(of: "read of a row by its key", tasks: tasks) {
        try await cluster.read { try read($0) }
      }
    }
    try await table.addRate(of: "the same, 100 in one access", perCall: 100) {
      try await cluster.read { connection in for _ in 0..<100 { try read(connection) } }
    }
    try await table.addRate(of: "query of 500 rows") {
      try await cluster.read { connection in
        let names = try connection.query(
          .column(.string), sql: "SELECT name FROM person LIMIT 500")
        guard names.count == 500 else { throw Failure("rows are missing") }
      }
    }
    try await table.addRate(of: "confirmed read of a row by its key") {
      try await cluster.confirmedRead { try read($0) }
    }
  }

  private static func read(_ connection: Connection) throws {
    let id = Int.random(in: 1...rowCount)
    let name = try connection.first(.column(.string), "SELECT name FROM person WHERE id = \(id)")
    guard name != nil else { throw Failure("the row \(id) is missing") }
  }
}
