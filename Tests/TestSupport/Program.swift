import Dispatch
package import Foundation

/// The executables that are built together with the tests.
package enum Program {
  /// Runs a program and returns its exit status and everything that it prints.
  ///
  /// A program that runs for five minutes is killed, so that it fails its test. Otherwise, it would block a thread of
  /// the task pool, and two such programs would block all tests. The output goes to a file: a process that outlives the
  /// program would keep a pipe open.
  package static func run(
    _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String) {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let file = try FileHandle(forWritingTo: url)
    let process = Process()
    process.executableURL = products.appending(path: name)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = file
    process.standardError = file
    process.environment = ownEnvironment.merging(environment) { $1 }
    try process.run()
    let id = process.processIdentifier
    let limit = DispatchWorkItem { kill(id, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: limit)
    defer { limit.cancel() }
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: try Data(contentsOf: url), as: UTF8.self))
  }

  /// The environment of a program, which prints no backtrace when it crashes: with a sanitizer, that never ends.
  fileprivate static var ownEnvironment: [String: String] {
    ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
  }

  /// The folder of the build products.
  ///
  /// The test executable is in this folder, on macOS inside a bundle.
  package static var products: URL {
    var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
    return folder
  }
}

/// A program that runs alongside a test.
///
/// It is killed after five minutes, or when its last reference is released, so that a program that hangs cannot hang the
/// test.
package final class RunningProgram {
  private let process = Process()
  private let input = Pipe()
  private let printed = Pipe()
  private let limit: DispatchWorkItem

  package init(_ name: String, _ arguments: [String]) throws {
    process.executableURL = Program.products.appending(path: name)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = printed
    process.environment = Program.ownEnvironment
    try process.run()
    let id = process.processIdentifier
    limit = DispatchWorkItem { kill(id, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: limit)
  }

  deinit {
    limit.cancel()
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Waits for the first six bytes that the program prints, and returns whether they are "ready" and a newline.
  package func isReady() throws -> Bool {
    try printed.fileHandleForReading.read(upToCount: 6) == Data("ready\n".utf8)
  }

  /// Signals to the program that it should start or continue.
  package func start() throws {
    try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
  }

  /// Signals to the program that no work is left.
  package func end() throws { try input.fileHandleForWriting.close() }

  /// Waits for the program to end, and returns its exit status and the rest of its output.
  package func result() throws -> (status: Int32, output: String) {
    let output = try printed.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    limit.cancel()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
