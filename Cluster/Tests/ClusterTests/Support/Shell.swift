import Foundation
import LocalNodes

/// Runs commands of the system.
enum Shell {
  /// The folders in which commands are looked for: those of administrators are not in the `PATH` of all users.
  static let searchPath =
    (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin:/usr/bin:/bin"

  /// Runs a script of `sh`, which ends at the first command that fails.
  ///
  /// - Throws: ``NodeFailure`` with everything that the script printed, if it fails.
  static func run(_ script: String) throws {
    let (status, output) = try outcome(of: script)
    guard status == 0 else {
      let reason = output.isEmpty ? "status \(status)" : output
      throw NodeFailure("\(reason)\nThe script was:\n\(script)")
    }
  }

  /// Runs a script of `sh`, and returns its exit status and everything that it printed.
  static func outcome(of script: String) throws -> (status: Int32, output: String) {
    let process = command(script)
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: bytes, as: UTF8.self)
    return (process.terminationStatus, text.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Returns a process that does not run yet, which executes a script of `sh`.
  static func command(_ script: String) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-euc", "PATH=\(searchPath)\n" + script]
    return process
  }
}
