import Foundation

/// Prints a line at once: what is killed could not do that later.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Another process of this program.
enum Child {
  enum Status: Equatable {
    case exited(Int32)
    case signaled(Int32)
  }

  /// Runs it to its end; its output is that of this process, or nobody's.
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
    // To write down where a canary crashed takes seconds.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    return process
  }
}

/// A folder for files, which goes with all that it holds.
final class Scratch {
  let path: String

  /// On the disk, or in the memory of the system where there is such a place.
  init(inMemory: Bool = false) throws {
    let parent =
      inMemory && FileManager.default.fileExists(atPath: "/dev/shm")
      ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    path = parent + "/sluice-trust-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
