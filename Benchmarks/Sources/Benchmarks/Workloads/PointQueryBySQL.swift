import CTwins
import Sluice

/// Workloads 6b and 6i: reads a row by key, with the SQL passed for each row.
///
/// C reuses a statement.
struct PointQueryBySQL: Workload {
  let c: Twin
  private let connection: Connection
  private let count: Int
  private let labels: (Connection, Int) throws -> Int

  init(count: Int, _ labels: @escaping (Connection, Int) throws -> Int) throws {
    self.count = count
    self.labels = labels
    connection = try Connection(sql: Sample.rows(count))
    c = try unsafe Twin(twin_point_query, count: count, sql: Sample.rows(count))
  }

  /// Runs the queries with the key as a parameter.
  static func parameters(of connection: Connection, count: Int) throws -> Int {
    var sum = 0
    for i in 0..<count {
      let key = i &* 7919 % count &+ 1
      let label = try connection.first(
        .column(.string), sql: "SELECT label FROM sample WHERE id = ?", parameters: .int(key))
      sum &+= key &* (label?.utf8.count ?? 0)
    }
    return sum
  }

  /// Runs the queries with an interpolated key.
  static func interpolated(of connection: Connection, count: Int) throws -> Int {
    var sum = 0
    for i in 0..<count {
      let key = i &* 7919 % count &+ 1
      let label = try connection.first(
        .column(.string), "SELECT label FROM sample WHERE id = \(key)")
      sum &+= key &* (label?.utf8.count ?? 0)
    }
    return sum
  }

  func sluice() throws -> Int64 { Int64(try labels(connection, count)) }
}
