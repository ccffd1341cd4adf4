import Foundation

/// A table of findings as text for people.
struct Table: CustomStringConvertible {
  let findings: [Finding]

  var description: String {
    var rows = [header] + findings.map(cells)
    if findings.allSatisfy({ $0.ratios.count == 1 }) {
      // If there is only one figure, there is no range.
      for row in rows.indices { rows[row].remove(at: 5) }
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column < 2 ? row[column] + space : space + row[column]
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  private var header: [String] {
    let unit =
      switch findings.first?.unit {
      case .nanoseconds: " ns/op"
      case .instructions: " instr/op"
      case .mebibytes, nil: ""
      }
    return [
      "workload", "name", "C\(unit)", "Sluice\(unit)", "ratio", "min–max", "target", "met",
    ]
  }

  private func cells(_ finding: Finding) -> [String] {
    let suffix = finding.unit == .mebibytes ? " MiB" : ""
    let least = finding.ratios.min() ?? finding.ratio
    let most = finding.ratios.max() ?? finding.ratio
    return [
      finding.workload, finding.name, fixed(finding.c, 1) + suffix,
      fixed(finding.sluice, 1) + suffix, fixed(finding.ratio), "\(fixed(least))–\(fixed(most))",
      fixed(finding.target) + suffix, finding.isMet ? "yes" : "no",
    ]
  }

  private func fixed(_ number: Double, _ digits: Int = 2) -> String {
    String(format: "%.\(digits)f", number)
  }
}
