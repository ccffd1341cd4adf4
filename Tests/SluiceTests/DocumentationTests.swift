import Foundation
import Testing

/// The README is code: what it shows is compiled as a snippet, and run here.
@Suite struct DocumentationTests {
  static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
  static let snippets = ["QuickStart", "Queues", "Tasks", "Transactions", "Values", "Functions"]

  @Test func `each code sample of the README is part of a snippet`() throws {
    let shown = try Self.snippets.map(shownCode)
    let samples = try blocks(of: "swift", in: "README.md").filter {
      !$0.hasPrefix("// in Package.swift")
    }
    #expect(samples.count == Self.snippets.count)
    for sample in samples {
      #expect(shown.contains { $0.contains(sample) }, "No snippet has:\n\(sample)")
    }
  }

  @Test func `each snippet is on the list`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.root.appending(path: "Snippets"), includingPropertiesForKeys: nil)
    let names = files.map { $0.deletingPathExtension().lastPathComponent }
    #expect(Set(names) == Set(Self.snippets))
  }

  @Test(arguments: snippets) func `a snippet runs`(_ name: String) throws {
    let (status, _) = try run(name)
    #expect(status == 0)
  }

  @Test func `the quick start prints what the README says`() throws {
    let (_, output) = try run("QuickStart")
    #expect(try blocks(of: "text", in: "README.md") == [output])
  }

  /// What documentation shows of a snippet.
  private func shownCode(_ snippet: String) throws -> String {
    let file = Self.root.appending(path: "Snippets/\(snippet).swift")
    var isShown = true
    var lines: [Substring] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      switch line.trimmingCharacters(in: .whitespaces) {
      case "// snippet.hide": isShown = false
      case "// snippet.show": isShown = true
      default: if isShown { lines.append(line) }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The blocks of a document that are fenced as `language`.
  private func blocks(of language: String, in document: String) throws -> [String] {
    let text = try String(contentsOf: Self.root.appending(path: document), encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  /// Runs a program that was built together with these tests.
  private func run(_ program: String) throws -> (status: Int32, output: String) {
    let pipe = Pipe()
    let process = Process()
    process.executableURL = Self.products.appending(path: program)
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// The folder of what was built, in which the test program lies, on macOS inside of a bundle.
  static var products: URL {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
    return folder
  }
}
