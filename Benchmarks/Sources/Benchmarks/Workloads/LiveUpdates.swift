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
  /// A query for the latest 100 rows, whose cost does not grow with the table.
  fileprivate static let latest =
    "SELECT id FROM sample WHERE id > (SELECT max(id) - 100 FROM sample)"
  fileprivate static let insertion = "INSERT INTO sample(value, label) VALUES (1, 'x')"

  init(count: Int) throws {
    self.count = count
    queue = try ConnectionQueue()
    try queue.sync { try $0.execute(sql: Sample.rows(100)) }
    c = MainQueueObservation(queue: try ConnectionQueue(), count: count)
    try c.queue.sync { try $0.execute(sql: Sample.rows(100)) }
  }

  func sluice() throws -> Int64 {
    try MainActor.assumeIsolated {
      let value = try queue.live(.column(.int64), sql: Self.latest).syncLoad()
      var sum: Int64 = 0
      for _ in 0..<count {
        let last = value.value.last
        try queue.sync { try $0.execute(sql: Self.insertion) }
        while value.value.last == last { Self.runMainQueue() }
        sum &+= value.value.last ?? 0
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
      let token = queue.observe(.column(.int64), sql: LiveUpdates.latest).receive(on: .main)
        .sink { _ in
        } receiveValue: { value in
          MainActor.assumeIsolated { latest.value = value }
        }
      defer { token.cancel() }
      while latest.value.isEmpty { LiveUpdates.runMainQueue() }
      var sum: Int64 = 0
      for _ in 0..<count {
        let last = latest.value.last
        try queue.sync { try $0.execute(sql: LiveUpdates.insertion) }
        while latest.value.last == last { LiveUpdates.runMainQueue() }
        sum &+= latest.value.last ?? 0
      }
      return sum
    }
  }

  @MainActor @Observable final class Latest { var value: [Int64] = [] }
}
