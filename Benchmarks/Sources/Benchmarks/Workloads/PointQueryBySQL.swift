import CTwins
import Sluice

/// 6b: one row by its key, with the SQL given each time.
///
/// C has a statement that it uses again.
struct PointQueryBySQL: Workload {
  let c: Twin
  private let connection: Connection
  private let count: Int

  init(count: Int) throws {
    self.count = count
    connection = try Connection(sql: Sample.rows(count))
    c = try unsafe Twin(twin_point_query, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    var sum = 0
    for i in 0..<count {
      let key = i &* 7919 % count &+ 1
      let label = try connection.first(
        .column(.string), sql: "SELECT label FROM sample WHERE id = ?", parameters: .int(key))
      sum &+= key &* (label?.utf8.count ?? 0)
    }
    return Int64(sum)
  }
}
