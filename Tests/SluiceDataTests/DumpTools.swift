import Foundation
import SluiceCore
import TestSupport

/// Programs of other vendors that read and write SQL scripts.
enum DumpTools {
  /// The `sqlite3` shell, if it is installed.
  static let shell = find("sqlite3")
  /// Python with its module `sqlite3`, if it is installed.
  static let python = find("python3").flatMap { python in
    (try? run(python, ["-c", "import sqlite3"])).map { _ in python }
  }

  private static func find(_ name: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(filePath: String($0)).appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Runs a program with files as its standard input and output, and throws if it fails or reports an error.
  static func run(
    _ program: URL?, _ arguments: [String], input: String? = nil, output: String? = nil
  ) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput =
      try input.map { try FileHandle(forReadingFrom: URL(filePath: $0)) } ?? FileHandle.nullDevice
    if let output { _ = FileManager.default.createFile(atPath: output, contents: nil) }
    process.standardOutput =
      try output.map { try FileHandle(forWritingTo: URL(filePath: $0)) } ?? FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let message = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0, message.isEmpty else {
      throw ForeignError("\(arguments): \(String(decoding: message, as: UTF8.self))")
    }
  }
}
