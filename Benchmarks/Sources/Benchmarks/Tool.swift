import Foundation

/// The external programs that the benchmarks run.
enum Tool {
  /// Runs the program with this name, and returns its output.
  ///
  /// If the program is missing, the error says which `package` to install.
  @discardableResult
  static func run(_ name: String, _ arguments: [String], package: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    // A fixed hash seed makes the number of hash collisions reproducible.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    switch process.terminationStatus {
    case 0: return text
    case 127:
      throw Failure(
        "\(name) is missing: install \(package), for example with apt-get")
    default: throw Failure("\(name) failed: \(text)")
    }
  }
}

/// A folder that is deleted when its last reference is released.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "benchmarks-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// This program, the program that is built with it, and their sources.
enum Program {
  static let url = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
  static let memoryOfSluice = url.deletingLastPathComponent().appending(path: "MemoryOfSluice")
  static let sources = URL(filePath: #filePath).appending(path: "../..").standardizedFileURL
}
