import Foundation

/// The machine, compiler and date of a measurement.
struct Machine {
  let processor: String
  let coreCount: Int
  /// The version of the compiler.
  let swift: String
  /// The date of the measurement, such as 2026-11-21.
  let date: String
}

extension Machine {
  /// Returns this machine, with its compiler and today's date.
  static func current() throws -> Machine {
    Machine(
      processor: processorName ?? "an unknown processor",
      coreCount: ProcessInfo.processInfo.activeProcessorCount,
      swift: swift(in: try Tool.run("swift", ["--version"], package: "Swift")) ?? "unknown",
      date: Date.now.formatted(.iso8601.year().month().day()))
  }

  /// The name of the processor, which Linux stores in a file, and macOS reports with a command.
  private static var processorName: String? {
    if let list = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) {
      return processor(in: list)
    }
    let name = try? Tool.run("sysctl", ["-n", "machdep.cpu.brand_string"], package: "sysctl")
    return name?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Returns the name of the first processor in the content of `/proc/cpuinfo`.
  static func processor(in list: String) -> String? {
    list.split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
  }

  /// Returns the version number in the compiler's description of itself.
  static func swift(in text: String) -> String? {
    text.firstRange(of: "Swift version ").map { words in
      String(text[words.upperBound...].prefix { !$0.isWhitespace })
    }
  }
}
