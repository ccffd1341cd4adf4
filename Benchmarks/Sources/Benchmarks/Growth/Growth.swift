import Dispatch
import Foundation
import Synchronization

/// A cost that may grow with a size, but no faster than a power of it.
struct Growth: Sendable {
  /// The ID on the command line.
  let id: String
  let name: String
  /// The sizes to measure, in increasing order.
  let sizes: [Int]
  /// The power of the size that the cost must not exceed: 0 for a cost that does not depend on the size, 1 for a cost in
  /// proportion to it.
  let limit: Double
  /// Prepares the work for a size; the work can be repeated.
  let prepare: @Sendable (_ size: Int) throws -> () throws -> Void

  /// The excess that is ignored, because trees become deeper, and hash tables are filled to different degrees.
  static let tolerance = 0.06
}

extension Growth {
  /// Does the work, after one preparation.
  func run(size: Int, times: Int) throws {
    let work = try prepare(size)
    for _ in 0..<times { try work() }
  }

  /// Counts the instructions of the work at each of the sizes, in all threads of a process.
  func measure(_ sizes: some Sequence<Int>, _ callgrind: Callgrind) throws -> GrowthFinding {
    Progress.show(id)
    // The difference has neither the preparation nor the first time, which fills caches.
    let runs = sizes.flatMap { [(size: $0, times: 1), (size: $0, times: 3)] }
    let totals = Mutex<[Int: Result<Int, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: runs.count) { run in
      let (size, times) = runs[run]
      let total = Result { try callgrind.total(self, size: size, times: times) }
      totals.withLock { $0[run] = total }
    }
    let counts = try totals.withLock { totals in
      try runs.indices.map { try totals[$0]?.get() ?? 0 }
    }
    return GrowthFinding(
      growth: self,
      costs: stride(from: 0, to: runs.count, by: 2).map { run in
        (runs[run].size, Double(counts[run + 1] - counts[run]) / 2)
      })
  }
}

/// The costs of a work at several sizes.
struct GrowthFinding {
  let growth: Growth
  /// The instructions at each size.
  let costs: [(size: Int, cost: Double)]

  /// The power of the size in proportion to which the cost grows, fitted to all sizes.
  var exponent: Double {
    let points = costs.map { (x: log(Double($0.size)), y: log($0.cost)) }
    let (x, y) = (points.map(\.x).mean, points.map(\.y).mean)
    return points.map { ($0.x - x) * ($0.y - y) }.mean / points.map { ($0.x - x) * ($0.x - x) }.mean
  }

  /// Whether the cost grows no faster than it may; false if there is hardly a cost, because the work has not been done.
  var isMet: Bool {
    costs.allSatisfy { $0.cost > 10_000 } && exponent <= growth.limit + Growth.tolerance
  }

  /// The line of a table in Markdown.
  var line: String {
    let cells = [
      growth.name, costs.map { $0.size.formatted() }.joined(separator: ", "),
      costs.map { Int($0.cost).formatted() }.joined(separator: ", "),
      String(format: "%.2f", exponent), String(format: "%g", growth.limit),
      isMet ? "yes" : "no",
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  static let header = """
    | what grows | sizes | instructions | exponent | limit | met |
    | --- | ---: | ---: | ---: | ---: | --- |
    """
}

extension [Double] {
  fileprivate var mean: Double { reduce(0, +) / Double(count) }
}
