import CTwins
import Sluice

/// Workload 9: reads rows in the order of a collation that compares bytes.
struct CollationOfBytes: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    try connection.addCollation(
      "own",
      comparingUTF8: { first, second in
        for index in 0..<min(first.count, second.count) where first[index] != second[index] {
          return SQLOrder(first[index], second[index])
        }
        return SQLOrder(first.count, second.count)
      })
    c = try unsafe Twin(twin_collation, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    try connection.execute(sql: "SELECT id FROM sample ORDER BY label COLLATE own") { row in
      sum = sum &* 31 &+ (try row.get(.int64, at: 0))
    }
    return sum
  }
}

/// Workload 9: reads rows in the order of a collation that compares strings.
///
/// The C version compares bytes.
struct CollationOfStrings: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    try connection.addCollation("own") { first, second in SQLOrder(first, second) }
    c = try unsafe Twin(twin_collation, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    try connection.execute(sql: "SELECT id FROM sample ORDER BY label COLLATE own") { row in
      sum = sum &* 31 &+ (try row.get(.int64, at: 0))
    }
    return sum
  }
}
