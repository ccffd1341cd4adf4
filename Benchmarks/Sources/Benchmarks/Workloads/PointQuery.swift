import CTwins
import Sluice

/// Workload 6: reads a row by key, reusing one statement.
struct PointQuery: Workload {
  let c: Twin
  private let connection: Connection
  private let count: Int

  init(count: Int) throws {
    self.count = count
    connection = try Connection(sql: Sample.rows(count))
    c = try unsafe Twin(twin_point_query, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    let statement = try connection.prepare(sql: "SELECT label FROM sample WHERE id = ?")
    var sum = 0
    for i in 0..<count {
      let key = i &* 7919 % count &+ 1
      let label = try statement.bind(.int(key)).first(.column(.string))
      sum &+= key &* (label?.utf8.count ?? 0)
    }
    return Int64(sum)
  }
}
