import Dispatch
package import Foundation

/// The executables that are built together with the tests.
package enum Program {
  /// Runs a program and returns its exit status and everything that it prints.
  ///
  /// A program that runs for five minutes is killed, so that it fails its test. Otherwise, it would block a thread of
  /// the task pool, and two such programs would block all tests.
  package static func run(
    _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String) {
    let pipe = Pipe()
    let process = Process()
    process.executableURL = products.appending(path: name)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try process.run()
    let id = process.processIdentifier
    let limit = DispatchWorkItem { kill(id, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: limit)
    defer { limit.cancel() }
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// The folder of the build products.
  ///
  /// The test executable is in this folder, on macOS inside a bundle.
  package static var products: URL {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
    return folder
  }
}
