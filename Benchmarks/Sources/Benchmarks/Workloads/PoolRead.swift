import CTwins
import Foundation
import Sluice

/// Workload 11: reads through a pool, on one thread, while nothing writes.
///
/// C uses its own pool, and also reads in a transaction.
struct PoolRead: Workload {
  let c: Twin
  private let pool: ConnectionPool
  private let folder: TemporaryFolder
  private let count: Int
  private static let rowCount = 10_000

  init(count: Int) throws {
    self.count = count
    folder = try TemporaryFolder()
    let path = folder.url.appending(path: "pool.db").path
    pool = try ConnectionPool(path: path)
    try pool.syncWrite { connection in try connection.execute(sql: Sample.rows(Self.rowCount)) }
    c = try unsafe Twin(twin_pool_read, count: count, sql: "ATTACH DATABASE '\(path)' AS source")
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    for number in 0..<count {
      let id = Int64(number * 7919 % Self.rowCount + 1)
      sum &+=
        try pool.syncRead { connection in
          try connection.first(
            .column(.int64), sql: "SELECT id FROM sample WHERE id = ?1", parameters: .int64(id))
        } ?? 0
    }
    return sum
  }
}
