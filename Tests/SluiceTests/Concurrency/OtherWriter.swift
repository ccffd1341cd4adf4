import Foundation
import TestSupport
import Testing

/// Another process that writes to a file: see the source of `WriterProcess`.
struct OtherWriter {
  private let process = Process()
  private let input = Pipe()
  private let printed = Pipe()

  init(_ file: URL, _ arguments: [String]) throws {
    process.executableURL = Program.products.appending(path: "WriterProcess")
    process.arguments = [file.path] + arguments
    process.standardInput = input
    process.standardOutput = printed
    try process.run()
  }

  /// Waits until the process has opened the file.
  func expectReady() throws {
    let line = try printed.fileHandleForReading.read(upToCount: 6)
    #expect(line == Data("ready\n".utf8))
  }

  /// Signals to the process that it should start or continue.
  func start() throws { try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8)) }

  /// Signals to the process that no work is left.
  func end() throws { try input.fileHandleForWriting.close() }

  /// Waits for the process to end, and returns its output.
  func output() throws -> String {
    let text = try printed.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: text, as: UTF8.self)
  }
}
