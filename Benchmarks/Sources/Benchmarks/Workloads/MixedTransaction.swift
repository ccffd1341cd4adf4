import CTwins
import Foundation
import Sluice

/// Workload 12m: runs a transaction of three inserts, an update and a query, in a file with a WAL.
///
/// C reuses its statements. Neither side waits for the disk: `synchronous` is off.
final class MixedTransaction: Workload {
  let c: Twin
  private let connection: Connection
  private let count: Int
  private let folder: TemporaryFolder

  init(count: Int) throws {
    self.count = count
    folder = try TemporaryFolder()
    connection = try Connection(sql: Self.sql(folder, .sluice))
    c = try unsafe Twin(twin_mixed, count: count, sql: Self.sql(folder, .c))
  }

  /// Returns the SQL that attaches a side's file, and creates its table.
  private static func sql(_ folder: TemporaryFolder, _ side: Side) -> String {
    """
    ATTACH DATABASE '\(folder.url.appending(path: "\(side).db").path)' AS source;
    PRAGMA source.journal_mode = WAL;
    PRAGMA source.synchronous = OFF;
    CREATE TABLE source.sample(id INTEGER PRIMARY KEY, value REAL NOT NULL, label TEXT NOT NULL);
    """
  }

  func sluice() throws -> Int64 {
    let label = "hello sluice"
    let insert = try connection.prepare(
      sql: "INSERT INTO sample(id, value, label) VALUES (?1, ?2, ?3)")
    let update = try connection.prepare(sql: "UPDATE sample SET value = value + 1 WHERE id = ?1")
    let query = try connection.prepare(sql: "SELECT value FROM sample WHERE id = ?1")
    var sum: Int64 = 0
    for first in stride(from: 1, to: count * 3, by: 3) {
      let value = try connection.transaction { _ in
        for id in first..<(first + 3) {
          try insert.bind(.int(id), .double(Double(id) * 0.5), .string(label)).execute()
        }
        try update.bind(.int(first)).execute()
        return try query.bind(.int(first)).first(.column(.double)) ?? 0
      }
      sum &+= Int64(value * 2)
    }
    return sum
  }

  func reset() throws {
    try connection.execute(sql: "DELETE FROM sample")
    try c.execute(sql: "DELETE FROM sample")
  }
}
