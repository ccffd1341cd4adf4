import Foundation

/// On what, with what and when something is measured.
struct Machine {
  let processor: String
  let coreCount: Int
  /// The version of the compiler.
  let swift: String
  /// Such as 2026-11-21.
  let date: String
}

extension Machine {
  /// This one, today.
  static func current() throws -> Machine {
    Machine(
      processor: processorName ?? "an unknown processor",
      coreCount: ProcessInfo.processInfo.activeProcessorCount,
      swift: swift(in: try Tool.run("swift", ["--version"], package: "Swift")) ?? "unknown",
      date: Date.now.formatted(.iso8601.year().month().day()))
  }

  /// Linux lists its processors in a file, and macOS has a command.
  private static var processorName: String? {
    if let list = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) {
      return processor(in: list)
    }
    let name = try? Tool.run("sysctl", ["-n", "machdep.cpu.brand_string"], package: "sysctl")
    return name?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The name of the first processor that `/proc/cpuinfo` lists.
  static func processor(in list: String) -> String? {
    list.split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
  }

  /// The version in what the compiler says of itself.
  static func swift(in text: String) -> String? {
    text.firstRange(of: "Swift version ").map { words in
      String(text[words.upperBound...].prefix { !$0.isWhitespace })
    }
  }
}
