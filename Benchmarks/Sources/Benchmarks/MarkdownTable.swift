import Foundation

/// A table of findings for a document, with the ratios of instructions and of times side by side.
struct MarkdownTable: CustomStringConvertible {
  let machine: Machine
  let rounds: Int
  private(set) var lines: [Line] = []
  var memory: Finding?

  struct Line {
    let time: Finding
    /// The instruction counts; nil if the time determines whether the target is met.
    let instructions: Finding?
  }

  init(machine: Machine, rounds: Int) {
    self.machine = machine
    self.rounds = rounds
  }

  mutating func add(time: Finding, instructions: Finding?) {
    lines.append(Line(time: time, instructions: instructions))
  }

  var description: String {
    ([conditions] + [table, memory.map(sentence)].compactMap { $0 }).joined(separator: "\n\n")
  }

  /// A description of the conditions under which all figures were measured.
  private var conditions: String {
    """
    Cost relative to the C API, in memory, \(SQLite.mutexMode) on both sides. Instructions are counted by callgrind, and
    decide whether a target is met. Time is processor time: the median of \(rounds) rounds, and their range. Workloads whose
    threads wait for each other (11 and 16 to 18) are measured in wall-clock time alone.
    Measured on \(machine.date) on \(machine.processor) with \(machine.coreCount) cores, Swift \(machine.swift), SQLite \
    \(SQLite.version).
    """
  }

  private var table: String? {
    guard !lines.isEmpty else { return nil }
    let rows = lines.map { line in
      let time = line.time
      let least = time.ratios.min() ?? time.ratio
      let most = time.ratios.max() ?? time.ratio
      return [
        time.workload, time.name, line.instructions.map(ratio) ?? "–",
        "\(fixed(time.ratio)) (\(fixed(least))–\(fixed(most)))", fixed(time.target),
        (line.instructions ?? time).isMet ? "yes" : "no",
      ]
    }
    let header = [
      ["workload", "operation", "instructions", "time (min–max)", "target", "met"],
      ["---", "---", "---:", "---:", "---:", "---"],
    ]
    return (header + rows).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
  }

  private func sentence(_ memory: Finding) -> String {
    """
    A process with an almost empty database and without Foundation keeps \(fixed(memory.sluice, 1)) MiB in memory,
    in C \(fixed(memory.c, 1)) MiB; the target of \(fixed(memory.target, 0)) MiB is \(memory.isMet ? "met" : "not met").
    """
  }

  /// Returns a ratio with as many digits as a missed target needs to differ from it.
  private func ratio(_ finding: Finding) -> String {
    let digits = (2..<6).first { digits in
      finding.isMet || fixed(finding.ratio, digits) != fixed(finding.target, digits)
    }
    return fixed(finding.ratio, digits ?? 6)
  }

  private func fixed(_ number: Double, _ digits: Int = 2) -> String {
    String(format: "%.\(digits)f", number)
  }
}
