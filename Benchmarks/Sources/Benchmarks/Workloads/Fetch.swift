import CTwins
import Sluice

/// Workloads 2 and 2L: reads three columns of each row by index.
struct Fetch: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int, label: Sample.Label = .short) throws {
    connection = try Connection(sql: Sample.rows(count, label: label))
    c = try unsafe Twin(twin_fetch, count: count, sql: Sample.rows(count, label: label))
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    try connection.execute(sql: "SELECT id, value, label FROM sample") { row in
      let id = try row.get(.int64, at: 0)
      let value = try row.get(.double, at: 1)
      let label = try row.get(.string, at: 2)
      sum &+= id &+ value.bits &+ Int64(label.utf8.count)
    }
    return sum
  }
}
