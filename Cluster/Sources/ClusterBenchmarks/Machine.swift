import Foundation

/// The machine, compiler and date of a measurement.
struct Machine {
  let processor: String
  let coreCount: Int
  /// The version of the compiler.
  let swift: String
  /// The date of the measurement, such as 2026-11-21.
  let date: String
  /// The load average of the last minute, without the measurement.
  let load: String

  /// Returns this machine, with its compiler and today's date.
  static func current() throws -> Machine {
    Machine(
      processor: line(of: "/proc/cpuinfo", after: "model name")?.split(separator: ": ").last
        .map(String.init) ?? "an unknown processor",
      coreCount: ProcessInfo.processInfo.activeProcessorCount,
      swift: try swiftVersion() ?? "unknown",
      date: Date.now.formatted(.iso8601.year().month().day()),
      load: line(of: "/proc/loadavg", after: "")?.split(separator: " ").first
        .map(String.init) ?? "unknown")
  }

  /// Returns the first line of a file with this prefix; nil if there is none.
  private static func line(of file: String, after prefix: String) -> String? {
    // A system without these files can still be measured.
    (try? String(contentsOfFile: file, encoding: .utf8))?.split(separator: "\n")
      .first { $0.hasPrefix(prefix) }.map(String.init)
  }

  private static func swiftVersion() throws -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift", "--version"]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return text.firstRange(of: "Swift version ").map { words in
      String(text[words.upperBound...].prefix { !$0.isWhitespace })
    }
  }
}
