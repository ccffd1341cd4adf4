import Foundation

/// A process of `sluice-node`, which ends with this process at the latest.
final class NodeProcess: Sendable {
  private let process: Process
  /// The standard input of the process, whose end ends a supervised node.
  private let input = Pipe()

  /// Starts the `sluice-node` that was built with this program, and appends its output to a file.
  init(_ arguments: [String], output: String) throws {
    let descriptor = unsafe open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw NodeFailure("\(output) cannot be created") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "sluice-node")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = file
    process.standardError = file
    try process.run()
  }

  var isRunning: Bool { process.isRunning }

  /// Kills the process, and waits for its end.
  func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}
