/// The lines that hooks recorded, in order.
final class Notes {
  var lines: [String] = []

  func add(_ line: some Any) { lines.append("\(line)") }

  /// Returns the lines that were recorded since the last call.
  func read() -> [String] {
    defer { lines = [] }
    return lines
  }
}
