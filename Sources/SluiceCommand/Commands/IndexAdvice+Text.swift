import SluiceSQL

extension IndexAdvice {
  /// The statements with their reasons and costs, followed by the indexes that were dropped.
  var text: String {
    let indexes = indexes.map { "\($0.text)\n" }.joined()
    let dropped = dropped.map { "Not advised: \($0.sql.inOneLine);\n  \($0.reason.inOneLine)\n" }
      .joined()
    return indexes + dropped + (dropped.isEmpty ? "" : "\n")
      + "Advised indexes: \(self.indexes.count), dropped: \(self.dropped.count)."
      + " Queries whose scans or sorts remain: \(unservedCount).\n"
  }
}

extension IndexAdvice.Index {
  fileprivate var text: String {
    var lines = ["\(sql.inOneLine);"]
    for service in serves {
      lines.append("  serves \(service.file):\(service.line) \(service.query): \(service.steps)")
      if let gain = service.gain { lines.append("    \(gain.text)") }
      if let reason = service.unmeasured { lines.append("    not measured: \(reason.inOneLine)") }
    }
    if let cost { lines.append("  costs \(cost.text)") }
    if !replaces.isEmpty {
      lines.append("  replaces \(replaces.joined(separator: ", ").inOneLine)")
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension IndexAdvice.Service {
  fileprivate var steps: String {
    "\(before.joined(separator: ", ")) → \(after.joined(separator: ", "))".inOneLine
  }
}

extension IndexAdvice.Gain {
  fileprivate var text: String {
    let ratio = Double(stepsWithout) / Double(max(1, steps))
    let timeRatio = microsecondsWithout / max(0.001, microseconds)
    return "steps: \(stepsWithout) → \(steps) (factor \(ratio.rounded(to: ratio < 10 ? 1 : 0))),"
      + " time: \(microsecondsWithout.rounded(to: 0)) → \(microseconds.rounded(to: 0)) µs"
      + " (factor \(timeRatio.rounded(to: timeRatio < 10 ? 1 : 0)))"
  }
}

extension IndexAdvice.Cost {
  fileprivate var text: String {
    let percent =
      tableBytes.map {
        " (\((Double(bytes) * 100 / Double(max(1, $0))).rounded(to: 0)) % of the table)"
      }
      ?? ""
    guard let stepsPerInsert, let microsecondsPerInsert else { return "\(bytes) bytes\(percent)" }
    return "\(bytes) bytes\(percent), and \(stepsPerInsert.rounded(to: 1)) steps"
      + " and \(microsecondsPerInsert.rounded(to: 1)) µs for each inserted row"
  }
}

extension Double {
  /// Returns the number with a number of decimals, at most 1, and without a decimal that is 0.
  fileprivate func rounded(to decimals: Int) -> String {
    let tenths = Int((decimals == 0 ? rounded() * 10 : (self * 10).rounded()))
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
