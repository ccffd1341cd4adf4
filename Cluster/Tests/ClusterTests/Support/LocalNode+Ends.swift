import Foundation
import LocalNodes
import Testing

extension LocalNode {
  /// Whether the process runs that the test has started.
  var isRunning: Bool { process?.isRunning ?? false }

  /// Sends a signal to the process.
  func signal(_ number: Int32) throws {
    try #require(process, "node \(id) does not run").signal(number)
  }

  /// Ends the process by SIGTERM, and returns its exit status.
  func terminate() throws -> Int32 {
    let process = try #require(takeProcess(), "node \(id) does not run")
    process.signal(SIGTERM)
    return process.wait(TestCluster.patience)
  }

  /// Closes the standard input of the process, and returns its exit status.
  func closeInput() throws -> Int32 {
    let process = try #require(takeProcess(), "node \(id) does not run")
    try process.closeInput()
    return process.wait(TestCluster.patience)
  }

  /// Kills the process, and fails the test if it had ended before.
  func end() {
    guard let process = takeProcess() else { return }
    if !process.isRunning {
      Issue.record("Node \(id) ended with the status \(process.wait(.zero)): \(output)")
    }
    process.kill()
  }

  /// Waits for the end of a process that the test does not end itself, and returns its exit status.
  func waitForEnd() throws -> Int32 {
    try #require(takeProcess(), "node \(id) does not run").wait(TestCluster.patience)
  }
}

extension NodeProcess {
  /// Runs `sluice-node` until it ends, and returns its exit status and everything that it printed.
  static func run(_ arguments: String...) async throws -> (status: Int32, output: String) {
    try await run(arguments)
  }

  /// Runs `sluice-node` until it ends, and returns its exit status and everything that it printed.
  static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let file = FileManager.default.temporaryDirectory.path + "/sluice-node-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let process = try NodeProcess(arguments, output: file)
    let status = await blocking { process.wait(TestCluster.patience) }
    return (status, try String(contentsOfFile: file, encoding: .utf8))
  }
}
