import CTwins
import Sluice

/// Workload 3: reads three columns of each row by name.
struct FetchByName: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    c = try unsafe Twin(twin_fetch, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    try connection.execute(sql: "SELECT id, value, label FROM sample") { row in
      let id = try row.get(.int64, named: "id")
      let value = try row.get(.double, named: "value")
      let label = try row.get(.string, named: "label")
      sum &+= id &+ value.bits &+ Int64(label.utf8.count)
    }
    return sum
  }
}
