import Foundation
import TestSupport
import Testing

/// Another process that writes to a file: see the source of `WriterProcess`.
struct OtherWriter {
  private let program: RunningProgram

  init(_ file: URL, _ arguments: [String]) throws {
    program = try RunningProgram("WriterProcess", [file.path] + arguments)
  }

  /// Waits until the process has opened the file.
  func expectReady() throws { #expect(try program.isReady()) }

  /// Signals to the process that it should start or continue.
  func start() throws { try program.start() }

  /// Signals to the process that no work is left.
  func end() throws { try program.end() }

  /// Waits for the process to end, and returns its output.
  func output() throws -> String {
    let (status, output) = try program.result()
    #expect(status == 0)
    return output
  }
}
