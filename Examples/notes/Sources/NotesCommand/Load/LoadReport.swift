import Foundation
import Notes

/// The result of the load test as a table.
struct LoadReport: CustomStringConvertible {
  private let options: LoadOptions
  private let tally: Tally
  private let metrics: Metrics
  private let entries: Ledger.Entries
  private let memory: (early: ResidentMemory?, end: ResidentMemory?)

  init(
    _ options: LoadOptions, _ tally: Tally, _ metrics: Metrics, _ entries: Ledger.Entries,
    _ memory: (early: ResidentMemory?, end: ResidentMemory?)
  ) {
    self.options = options
    self.tally = tally
    self.metrics = metrics
    self.entries = entries
    self.memory = memory
  }

  /// Whether there were no errors, all invariants were true, and the memory has not grown.
  var isGood: Bool { tally.problemCount == 0 && isMemoryFlat }

  /// Whether the memory has not grown; true for a run that is too short to fill caches before the first measurement.
  private var isMemoryFlat: Bool {
    guard options.seconds >= 30, let early = memory.early, let end = memory.end else { return true }
    return end.isFlat(since: early)
  }

  var description: String {
    let processes = options.hasSecondProcess ? "beside a second process" : "in one process"
    var lines = [
      "\(options.tasks) tasks for \(options.seconds) s \(processes), seed \(options.seed)", "",
      "| request | count | p50 ms | p99 ms | max ms | refused | stopped | errors |",
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += Tally.Kind.allCases.compactMap { kind in tally.rows[kind].map { line(kind, $0) } }
    lines += [
      "", "Refused: another task had changed or deleted the note.",
      "Stopped: cancelled, or past the deadline; nothing has changed.",
      "Acknowledged writes: \(entries.count).",
      "Waits for locks of another process: \(metrics.reads.lockWaits + metrics.writes.lockWaits).",
      "Checkpoints in the background: \(metrics.upkeep.checkpoints).",
      "Builds of the index in memory: \(metrics.index.builds).",
    ]
    if options.seconds >= 30, let early = memory.early, let end = memory.end {
      lines.append(
        "Resident memory: \(early.megabytes) MB after a third of the time, \(end.megabytes) MB"
          + " at the end (\(isMemoryFlat ? "flat" : "not flat")).")
    }
    lines.append("Errors and violated invariants: \(tally.problemCount).")
    return (lines + tally.problems.map { "  \($0)" }).joined(separator: "\n")
  }

  private func line(_ kind: Tally.Kind, _ row: Tally.Row) -> String {
    let durations = [
      row.durations.quantile(0.5), row.durations.quantile(0.99), row.durations.maximum,
    ]
    let times = durations.map { String(format: "%.1f", $0 / .milliseconds(1)) }
    let counts = [row.refused, row.stopped, row.errors].map(String.init)
    let cells = [kind.rawValue, "\(row.durations.count)"] + times + counts
    return "| \(cells.joined(separator: " | ")) |"
  }
}
