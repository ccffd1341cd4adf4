import CTwins
import Sluice
import Synchronization

/// Workload 12: inserts one row in an observed transaction, and then queries the largest key.
///
/// C uses a mutex, and reuses its statements.
final class Commits: Workload {
  let c: Twin
  private let queue: ConnectionQueue
  private let seen: Seen
  private let count: Int

  /// The sum of the rowids, and the number of commits, that the observers have seen.
  private final class Seen: Sendable {
    let rows = Atomic<Int64>(0)
    let commits = Atomic<Int64>(0)

    /// Returns the sum of both numbers, and resets them.
    func take() -> Int64 {
      rows.exchange(0, ordering: .relaxed) &+ commits.exchange(0, ordering: .relaxed)
    }
  }

  init(count: Int) throws {
    self.count = count
    let seen = Seen()
    queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(sql: Sample.table)
      _ = try connection.onUpdate { seen.rows.add($0.rowid, ordering: .relaxed) }
      _ = try connection.onCommit { seen.commits.add(1, ordering: .relaxed) }
    }
    self.seen = seen
    c = try unsafe Twin(twin_commits, count: count, sql: Sample.table)
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    for id in 1...Int64(count) {
      try queue.syncTransaction { connection in
        try connection.execute(
          sql: "INSERT INTO sample VALUES (?1, 0.5, 'label')", parameters: .int64(id))
      }
      let largest = try queue.sync { connection in
        try connection.first(.column(.int64), sql: "SELECT max(id) FROM sample")
      }
      sum &+= largest ?? 0
    }
    return sum &+ seen.take()
  }

  func reset() throws {
    let sql = "DELETE FROM sample"
    try c.execute(sql: sql)
    try queue.sync { connection in try connection.execute(sql: sql) }
    _ = seen.take()
  }
}
