import Foundation
import SluiceCluster

/// The results, as a table for a document.
struct Table: CustomStringConvertible {
  private let machine: Machine
  private var lines: [Line] = []

  /// A line of the table.
  struct Line {
    let operation: String
    let unit: String
    /// The results of the rounds, in any order.
    let results: [Double]
  }

  init(machine: Machine) { self.machine = machine }

  mutating func add(_ line: Line) { lines.append(line) }

  /// Calls `body`, which executes an operation `count` times, from some tasks, and adds how often the operation was
  /// executed a second.
  mutating func addRate(
    of operation: String, tasks: Int = 1, perCall count: Int = 1,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let rates = try await Rounds.rates(tasks: tasks, body)
    add(
      Line(
        operation: "\(operation), \(tasks == 1 ? "1 task" : "\(tasks) tasks")", unit: "a second",
        results: rates.map { $0 * Double(count) }))
  }

  var description: String {
    let rows = lines.map { line in
      [line.operation, line.median, line.least, line.most, line.unit]
    }
    let header = [
      ["operation", "median", "least", "most", "unit"], ["---", "---:", "---:", "---:", "---"],
    ]
    let lines = (header + rows).map { "| \($0.joined(separator: " | ")) |" }
    return conditions + "\n\n" + lines.joined(separator: "\n")
  }

  private var conditions: String {
    """
    Three nodes and their client on one machine, which share its cores and its disk. Measured on \(machine.date) on
    \(machine.processor) with \(machine.coreCount) cores (load average \(machine.load) before), Swift \(machine.swift), SQLite \
    \(SQLiteLibrary.version).
    """
  }
}

extension Table.Line {
  fileprivate var median: String { text(results.sorted()[results.count / 2]) }
  fileprivate var least: String { text(results.min() ?? 0) }
  fileprivate var most: String { text(results.max() ?? 0) }

  private func text(_ number: Double) -> String { String(format: "%.0f", number) }
}
