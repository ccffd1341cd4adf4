/// How many instructions ran, and in which functions: what a file of callgrind's says.
struct Profile {
  /// By the names that the linker knows, without what a function has called.
  private(set) var functions: [String: Int] = [:]

  var total: Int { functions.values.reduce(0, +) }

  /// Reads a file of callgrind's.
  ///
  /// It has a line `fn=(1) name` for each function, or `fn=(1)` if it was named before, and below it
  /// lines of a position and a cost. The one that follows a line `calls=` is the cost of what was
  /// called, and counts there.
  init(_ file: String) {
    var names: [Substring: Substring] = [:]
    var function = ""
    var isCall = false
    for line in file.split(separator: "\n") {
      if let name = line.value(of: "fn=") ?? line.value(of: "cfn=") {
        let parts = name.split(separator: " ", maxSplits: 1)
        if parts.count == 2 { names[parts[0]] = parts[1] }
        if line.hasPrefix("fn=") { function = String(names[parts[0]] ?? parts[0]) }
      } else if line.hasPrefix("calls=") {
        isCall = true
      } else if let first = line.first, first.isNumber || "+-*".contains(first) {
        let cost = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        if !isCall { functions[function, default: 0] += cost ?? 0 }
        isCall = false
      }
    }
  }
}

extension Substring {
  fileprivate func value(of key: String) -> Substring? {
    hasPrefix(key) ? dropFirst(key.count) : nil
  }
}
