import CTwins
import Sluice

/// Workload 10: makes one access to a queue.
///
/// C uses a mutex, and reuses its statement.
struct RoundTrip: Workload {
  let c: Twin
  private let queue: ConnectionQueue
  private let count: Int

  init(count: Int) throws {
    self.count = count
    queue = try ConnectionQueue()
    c = try unsafe Twin(twin_round_trip, count: count)
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    for _ in 0..<count {
      let one = try queue.sync { connection in
        try connection.first(.column(.int64), sql: "SELECT 1")
      }
      sum &+= one ?? 0
    }
    return sum
  }
}
