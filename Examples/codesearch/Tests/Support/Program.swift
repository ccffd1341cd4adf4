import Foundation

/// A run of the built program as a child process, as if a user had started it.
struct Program {
  let status: Int32
  let reason: Process.TerminationReason
  /// The standard output.
  let output: String
  /// The standard error.
  let messages: String

  /// The lines of the standard output.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Runs the program until it ends.
  init(_ arguments: [String], in folder: URL) throws {
    // The output goes to files, which need no reader, so the child never waits for this process.
    let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let files = ["output", "messages"].map { scratch.appending(path: $0) }
    for file in files { try Data().write(to: file) }

    let process = Self.process(arguments, in: folder)
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try Self.runToEnd(process) {}
    status = process.terminationStatus
    reason = process.terminationReason
    output = try Self.text(of: files[0])
    messages = try Self.text(of: files[1])
  }

  /// Runs the program, and kills it after it has reported `count` batches.
  ///
  /// The child cannot end before it is killed. Its reports go to a pipe with space for about a thousand of them,
  /// and this process stops reading the pipe. With more batches than that, the child must wait.
  init(_ arguments: [String], in folder: URL, killedAfterBatches count: Int) throws {
    let process = Self.process(arguments, in: folder)
    let pipe = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = pipe
    var messages = Data()
    try Self.runToEnd(process) {
      var lines = 0
      while lines < count {
        let more = pipe.fileHandleForReading.availableData
        if more.isEmpty { break }
        messages += more
        lines += more.count { $0 == UInt8(ascii: "\n") }
      }
      kill(process.processIdentifier, SIGKILL)
    }
    status = process.terminationStatus
    reason = process.terminationReason
    output = ""
    self.messages = String(decoding: messages, as: UTF8.self)
  }

  /// Runs the program, and stops it when `step` returns false.
  ///
  /// `step` is called with all lines so far whenever the program writes more output.
  static func follow(
    _ arguments: [String], in folder: URL, _ step: (_ lines: [String]) throws -> Bool
  ) throws {
    let process = process(arguments, in: folder)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    var output = Data()
    var failure: (any Error)?
    try runToEnd(process) {
      do {
        repeat {
          let more = pipe.fileHandleForReading.availableData
          if more.isEmpty { break }
          output += more
        } while try step(
          String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init))
      } catch { failure = error }
      kill(process.processIdentifier, SIGTERM)
    }
    if let failure { throw failure }
  }

  /// The location of the program, which is built into the same folder as the tests.
  static let executable = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "codesearch")

  /// Returns the text of a file without `Data(contentsOf:)`, which leaks memory on Linux for an empty file.
  private static func text(of file: URL) throws -> String {
    let data = try FileHandle(forReadingFrom: file).readToEnd() ?? Data()
    return String(decoding: data, as: UTF8.self)
  }

  private static func process(_ arguments: [String], in folder: URL) -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    return process
  }

  private static func runToEnd(_ process: Process, _ meanwhile: () -> Void) throws {
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    try process.run()
    meanwhile()
    end.wait()
    // The process has ended. Without this call, the thread's run loop would retain it.
    process.waitUntilExit()
  }
}
