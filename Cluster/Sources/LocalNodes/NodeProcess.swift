import Foundation

/// A process of `sluice-node`, which ends with this process at the latest.
package final class NodeProcess: Sendable {
  private let process: Process
  /// The standard input of the process, whose end ends a supervised node.
  private let input = Pipe()

  /// Starts the `sluice-node` that was built with this program, and appends its output to a file.
  ///
  /// A `launcher` is a command that starts the program by replacing itself, such as `ip netns exec NAME`.
  package init(_ arguments: [String], output: String, launcher: [String] = []) throws {
    let descriptor = unsafe open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw NodeFailure("\(output) cannot be created") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    process = Process()
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "sluice-node")
    process.executableURL = launcher.isEmpty ? program : URL(filePath: "/usr/bin/env")
    process.arguments = launcher.isEmpty ? arguments : launcher + [program.path] + arguments
    process.standardInput = input
    process.standardOutput = file
    process.standardError = file
    try process.run()
  }

  package var id: Int32 { process.processIdentifier }

  package var isRunning: Bool { process.isRunning }

  package func signal(_ number: Int32) {
    if process.isRunning { Foundation.kill(process.processIdentifier, number) }
  }

  package func closeInput() throws { try input.fileHandleForWriting.close() }

  /// Waits for the end of the process, kills it after a time, and returns its exit status, or the negative signal.
  package func wait(_ limit: Duration) -> Int32 {
    let deadline = ContinuousClock.now + limit
    while process.isRunning, ContinuousClock.now < deadline { usleep(2000) }
    kill()
    let status = process.terminationStatus
    return process.terminationReason == .uncaughtSignal ? -status : status
  }

  /// Kills the process, and waits for its end.
  package func kill() {
    signal(SIGKILL)
    process.waitUntilExit()
  }
}
