import Dispatch
import Foundation
import Observation
import Sluice

/// Workload 21: updates a live value after each commit, and compares this with an observation on the main queue
/// that sets a property of an observable class.
struct LiveUpdates: Workload {
  let c: MainQueueObservation
  private let queue: ConnectionQueue
  private let count: Int

  init(count: Int) throws {
    self.count = count
    queue = try ConnectionQueue()
    try queue.sync { try $0.execute(sql: Sample.rows(100)) }
    c = MainQueueObservation(queue: try ConnectionQueue(), count: count)
    try c.queue.sync { try $0.execute(sql: Sample.rows(100)) }
  }

  func sluice() throws -> Int64 {
    try MainActor.assumeIsolated {
      let value = try queue.live(.column(.int64), sql: "SELECT id FROM sample").syncLoad()
      var sum: Int64 = 0
      for _ in 0..<count {
        let size = value.value.count
        try queue.sync { try $0.execute(sql: "INSERT INTO sample(value, label) VALUES (1, 'x')") }
        while value.value.count == size { Self.runMainQueue() }
        sum &+= Int64(value.value.count)
      }
      return sum
    }
  }

  func reset() throws {
    for queue in [queue, c.queue] {
      try queue.sync { try $0.execute(sql: "DELETE FROM sample WHERE id > 100") }
    }
  }

  /// Runs the jobs of the main queue, or waits for one.
  static func runMainQueue() { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
}

/// An observation that delivers its values on the main queue, which replaces the C side in this workload.
struct MainQueueObservation: OtherSide {
  let queue: ConnectionQueue
  let count: Int

  func run() throws -> Int64 {
    try MainActor.assumeIsolated {
      let latest = Latest()
      let token = queue.observe(.column(.int64), sql: "SELECT id FROM sample").receive(on: .main)
        .sink { _ in
        } receiveValue: { value in
          MainActor.assumeIsolated { latest.value = value }
        }
      defer { token.cancel() }
      while latest.value.isEmpty { LiveUpdates.runMainQueue() }
      var sum: Int64 = 0
      for _ in 0..<count {
        let size = latest.value.count
        try queue.sync { try $0.execute(sql: "INSERT INTO sample(value, label) VALUES (1, 'x')") }
        while latest.value.count == size { LiveUpdates.runMainQueue() }
        sum &+= Int64(latest.value.count)
      }
      return sum
    }
  }

  @MainActor @Observable final class Latest { var value: [Int64] = [] }
}
