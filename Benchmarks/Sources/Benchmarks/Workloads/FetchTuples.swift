import CTwins
import Sluice

/// Workload 2t: reads three columns of each row into an array of tuples.
///
/// C fills an array of structs, and also copies the text.
struct FetchTuples: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    c = try unsafe Twin(twin_records, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    let rows = try connection.query(
      .columns(.int64, .double, .string), sql: "SELECT id, value, label FROM sample")
    for (id, value, label) in rows { sum &+= id &+ value.bits &+ Int64(label.utf8.count) }
    return sum
  }
}
