import SluiceCluster

/// A result of many rows with four columns.
enum Rows {
  private static let count = 100_000
  private static let sql = "SELECT id, name, score, note FROM person"

  private struct Person: Codable, Sendable {
    var id: Int
    var name: String
    var score: Double
    var note: String?
  }

  static func measure(_ cluster: Cluster, _ table: inout Table) async throws {
    try await fill(cluster, count)
    let converter = RowConverter { row in
      Person(
        id: try row.get(.int, at: 0), name: try row.get(.string, at: 1),
        score: try row.get(.double, at: 2), note: try row.optional(.string, at: 3))
    }
    try await measure("a closure", cluster, &table) { try $0.query(converter, sql: sql).count }
    try await measure("Codable", cluster, &table) {
      try $0.query(.decoding(Person.self), sql: sql).count
    }
  }

  private static func measure(
    _ name: String, _ cluster: Cluster, _ table: inout Table,
    _ body: @escaping @Sendable (_ connection: Connection) throws -> Int
  ) async throws {
    let durations = try await Rounds.durations {
      let count = try await cluster.read { try body($0) }
      guard count == self.count else { throw Failure("the query has returned \(count) rows") }
    }
    table.add(
      Table.Line(
        operation: "row of four columns as a struct, by \(name)", unit: "ns",
        results: durations.map { $0 / .nanoseconds(count) }))
  }

  /// Creates the table with a number of rows.
  static func fill(_ cluster: Cluster, _ count: Int) async throws {
    try await cluster.write { connection in
      try connection.execute("DROP TABLE IF EXISTS person")
      try connection.execute(
        """
        CREATE TABLE person(
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL NOT NULL, note TEXT)
        """)
    }
    // A transaction is sent to the other nodes as a whole, so the rows are added in parts.
    let part = 10_000
    for first in stride(from: 1, through: count, by: part) {
      let last = min(first + part - 1, count)
      try await cluster.write { connection in
        try connection.execute(
          """
          INSERT INTO person
          WITH RECURSIVE numbers(n) AS (
            SELECT \(first) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(last))
          SELECT n, 'Person ' || n, n / 7.0, iif(n % 2, 'A note of some length', NULL) FROM numbers
          """)
      }
    }
  }
}
