import Foundation
import Notes

/// The results of the demo.
struct Report: CustomStringConvertible {
  private let ledger: Ledger.Entries
  private let events: Events
  private let noteCount: Int
  private let differences: [String]

  init(ledger: Ledger.Entries, notes: [Note], overview: Overview, copy: Copy, events: Events) {
    self.ledger = ledger
    self.events = events
    noteCount = notes.count
    var differences = ledger.differences(from: notes.map { ($0.title, $0.version) })
    if overview.noteCount != notes.count
      || overview.notebooks.map(\.size).reduce(0, +) != notes.count
    {
      differences.append("The sizes of the notebooks are wrong")
    }
    if !copy.isIntact { differences.append("The copies are damaged") }
    self.differences = differences + ledger.problems
  }

  /// Whether everything that was acknowledged is in the database, and nothing else.
  var isGood: Bool { differences.isEmpty }

  var description: String {
    let before = ledger.times.count { $0 <= events.kill }
    let outcomes =
      "\(ledger.failed) failed without an effect, \(ledger.uncertain.count) without a known outcome"
    let reads =
      "\(ledger.reads), of which the longest took \(seconds(ledger.longestRead)); "
      + "\(ledger.failedReads) failed"
    let lines =
      chart + [
        "",
        "Acknowledged writes  \(before) before the kill, \(ledger.times.count - before) after it",
        "Other writes         \(outcomes)",
        "Reads                \(reads)",
        "Gap at the kill      \(seconds(gap(afterKill: true))) between two acknowledged writes",
        "Longest other gap    \(seconds(gap(afterKill: false)))",
        "Copies               3 with the same content: \(noteCount) notes",
        isGood
          ? "Lost                 nothing: every acknowledged write is there exactly once"
          : "Wrong                \(differences.count) differences:",
      ] + differences.prefix(5).map { "                     \($0)" }
    return lines.joined(separator: "\n")
  }

  /// The longest time between two acknowledged writes: around the kill, or at any other time.
  private func gap(afterKill: Bool) -> Duration {
    zip(ledger.times, ledger.times.dropFirst())
      .filter { ($0 <= events.kill && $1 > events.kill) == afterKill }
      .map { $1 - $0 }.max() ?? .zero
  }

  private func seconds(_ duration: Duration) -> String {
    String(format: "%.2f s", duration / .seconds(1))
  }
}

/// The chart of the acknowledged writes.
extension Report {
  private static let levels = Array(" ▁▂▃▄▅▆▇█")
  private static let width = 72

  /// A line with the number of acknowledged writes over time, and a line with the events.
  private var chart: [String] {
    guard let first = ledger.times.first, let last = ledger.times.last, last > first else {
      return []
    }
    func column(_ time: ContinuousClock.Instant) -> Int {
      max(0, min(Self.width - 1, Int((time - first) / (last - first) * Double(Self.width))))
    }
    var counts = Array(repeating: 0, count: Self.width)
    for time in ledger.times { counts[column(time)] += 1 }
    let most = counts.max() ?? 1
    let bars = counts.map { Self.levels[($0 * 8 + most - 1) / most] }
    var marks = Array(repeating: Character(" "), count: Self.width + 24)
    for (time, text) in [(events.kill, "▲ kill -9"), (events.restart, "▲ restart")] {
      marks.replaceSubrange(column(time)..<column(time) + text.count, with: text)
    }
    let title = "Acknowledged writes over \(seconds(last - first)):"
    return ["", title, "  " + String(bars), ("  " + String(marks)).trimmingRight]
  }
}

extension String {
  fileprivate var trimmingRight: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}
