/// The number of instructions that were executed in each function, from a callgrind file.
struct Profile {
  /// The number of instructions by linker name, excluding called functions.
  private(set) var functions: [String: Int] = [:]

  var total: Int { functions.values.reduce(0, +) }

  /// Parses the content of a callgrind file.
  ///
  /// The file contains a line `fn=(1) name` for each function, or `fn=(1)` if the function was named before.
  /// Lines with a position and a cost follow. The line after `calls=` contains the cost of a called function,
  /// which is already counted in that function.
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
