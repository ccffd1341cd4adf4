import Sluice

/// Workload 15: compares the function that the plugin generates for a query with equivalent handwritten code.
struct GeneratedFunction: Workload {
  let c: HandWritten
  private let connection: Connection
  private let count: Int
  private let query: Query

  /// The rows that the query fetches.
  enum Query {
    /// One row by its key, repeatedly.
    case key
    /// All rows.
    case rows
  }

  init(count: Int, _ query: Query) throws {
    self.count = count
    self.query = query
    connection = try Connection(sql: Sample.rows(count))
    c = HandWritten(
      connection: try Connection(sql: Sample.rows(count)), count: count, query: query)
  }

  func sluice() throws -> Int64 {
    switch query {
    case .rows:
      return try connection.samples().reduce(0) {
        $0 &+ Int64($1.id) &+ $1.value.bits &+ Int64($1.label.utf8.count)
      }
    case .key:
      var sum: Int64 = 0
      for i in 0..<count {
        guard let row = try connection.sampleOf(id: i &* 7919 % count &+ 1) else { continue }
        sum &+= Int64(row.id) &* Int64(row.label.utf8.count)
      }
      return sum
    }
  }
}

/// Handwritten Swift code, which replaces the C side in this workload.
struct HandWritten: OtherSide {
  let connection: Connection
  let count: Int
  let query: GeneratedFunction.Query

  func run() throws -> Int64 {
    switch query {
    case .rows:
      return try connection.query(.recordByIndex, sql: "SELECT id, value, label FROM sample")
        .reduce(0) { $0 &+ $1.id &+ $1.value.bits &+ Int64($1.label.utf8.count) }
    case .key:
      var sum: Int64 = 0
      for i in 0..<count {
        let row = try connection.first(
          .recordByIndex, sql: "SELECT id, value, label FROM sample WHERE id = ?",
          parameters: .int(i &* 7919 % count &+ 1))
        guard let row else { continue }
        sum &+= row.id &* Int64(row.label.utf8.count)
      }
      return sum
    }
  }
}
