import Foundation

/// Prints a line immediately, because a killed process cannot print it later.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Another process of this program.
enum Child {
  enum Status: Equatable {
    case exited(Int32)
    case signaled(Int32)
  }

  /// Runs the process to its end.
  ///
  /// Its output is printed, or discarded if `isSilent`.
  static func run(_ arguments: [String], isSilent: Bool = false) throws -> Status {
    let process = make(arguments)
    if isSilent {
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
    }
    try process.run()
    process.waitUntilExit()
    return process.terminationReason == .exit
      ? .exited(process.terminationStatus) : .signaled(process.terminationStatus)
  }

  static func make(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    process.arguments = arguments
    // Printing the backtrace of a crashed canary would take seconds.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    return process
  }
}

/// A temporary folder, which is deleted together with its content.
final class Scratch {
  let path: String

  /// Creates the folder on disk, or in `/dev/shm` if `inMemory` and if that folder exists.
  init(inMemory: Bool = false) throws {
    let parent =
      inMemory && FileManager.default.fileExists(atPath: "/dev/shm")
      ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    path = parent + "/sluice-trust-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
