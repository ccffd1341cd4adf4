import Foundation
import Sluice
import Testing

/// Runs the program as another process.
@Suite(.enabled(if: SQLiteLibrary.has(.fts5)), .timeLimit(.minutes(5))) struct `The program` {
  private let stage: Stage
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init() throws {
    stage = try Stage()
    // The program is built into the same folder as the tests.
    process.executableURL = URL(filePath: CommandLine.arguments[0])
      .deletingLastPathComponent().appending(path: "notes")
    process.standardInput = input
    process.standardOutput = output
  }

  @Test func `it answers requests until it receives SIGTERM`() throws {
    process.arguments = ["serve", stage.file]
    try process.run()
    let request = #"{"id": 1, "do": "create", "title": "Note G"}"# + "\n"
    try input.fileHandleForWriting.write(contentsOf: Data(request.utf8))
    let answer = output.fileHandleForReading.availableData
    #expect(String(decoding: answer, as: UTF8.self).hasSuffix("\"id\":1,\"status\":200}\n"))
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    let connection = try Connection(path: stage.file)
    let titles = try connection.query(.column(.string), sql: "SELECT title FROM note")
    #expect(titles == ["Note G"])
  }

  @Test func `it answers all requests of an input that has ended`() throws {
    process.arguments = ["serve", stage.file]
    try process.run()
    let requests = (1...20).map { #"{"id": \#($0), "do": "create", "title": "Note \#($0)"}"# }
    let lines = requests.joined(separator: "\n") + "\n"
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    try input.fileHandleForWriting.close()
    let answers = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: answers, as: UTF8.self).split(separator: "\n")
    #expect(text.count == 20 && text.allSatisfy { $0.hasSuffix("\"status\":200}") }, "\(text)")
  }

  @Test func `the load test of two processes finds no error in a second`() throws {
    process.arguments = [
      "load", stage.file, "--seconds", "1", "--tasks", "20", "--second-process",
    ]
    try process.run()
    let report = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: report, as: UTF8.self))")
  }
}
