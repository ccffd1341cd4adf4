import CTwins
import Foundation
import Sluice

/// Workload 25: opens a file, reads a value, and closes the connection.
final class OpenAndClose: Workload {
  let c: Twin
  private let path: String
  private let count: Int
  private let folder: TemporaryFolder

  init(count: Int) throws {
    self.count = count
    folder = try TemporaryFolder()
    path = folder.url.appending(path: "app.db").path
    try Connection(path: path).execute(
      sql: "CREATE TABLE sample(value); INSERT INTO sample VALUES (7)")
    c = try unsafe Twin(twin_opened, count: count, sql: "ATTACH DATABASE '\(path)' AS source")
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    for _ in 0..<count {
      let connection = try Connection(path: path)
      sum &+= try connection.first(.column(.int64), "SELECT value FROM sample") ?? 0
      try connection.close()
    }
    return sum
  }
}
