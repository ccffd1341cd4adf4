/// What hooks have noted, in order.
final class Notes {
  var lines: [String] = []

  func add(_ line: some Any) { lines.append("\(line)") }

  /// What has been noted since this was called last.
  func read() -> [String] {
    defer { lines = [] }
    return lines
  }
}
