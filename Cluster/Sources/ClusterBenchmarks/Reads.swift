import SluiceCluster

/// Queries of a row by its key.
struct Reads {
  private let cluster: Cluster
  private static let rowCount = 1_000

  init(_ cluster: Cluster) { self.cluster = cluster }

  func measure(_ table: inout Table) async throws {
    let cluster = self.cluster
    try await Rows.fill(cluster, Self.rowCount)
    for tasks in [1, 16] {
      let rates = try await Rounds.rates(tasks: tasks) {
        try await cluster.read { try Self.read($0) }
      }
      table.add(
        Table.Line(
          operation: "read of a row by its key, \(Writes.name(tasks))", unit: "a second",
          results: rates))
    }
    let rates = try await Rounds.rates(tasks: 1) {
      try await cluster.read { connection in for _ in 0..<100 { try Self.read(connection) } }
    }
    table.add(
      Table.Line(
        operation: "the same, 100 in one access, 1 task", unit: "a second",
        results: rates.map { $0 * 100 }))
    let results = try await Rounds.rates(tasks: 1) {
      try await cluster.read { connection in
        let names = try connection.query(
          .column(.string), sql: "SELECT name FROM person LIMIT 500")
        guard names.count == 500 else { throw Failure("rows are missing") }
      }
    }
    table.add(
      Table.Line(operation: "query of 500 rows, 1 task", unit: "a second", results: results))
    let confirmed = try await Rounds.rates(tasks: 1) {
      try await cluster.confirmedRead { try Self.read($0) }
    }
    table.add(
      Table.Line(
        operation: "confirmed read of a row by its key, 1 task", unit: "a second",
        results: confirmed))
  }

  private static func read(_ connection: Connection) throws {
    let id = Int.random(in: 1...rowCount)
    let name = try connection.first(.column(.string), "SELECT name FROM person WHERE id = \(id)")
    guard name != nil else { throw Failure("the row \(id) is missing") }
  }
}
