import Foundation
import Testing

/// Documentation is code: what it shows is compiled as a part of a snippet, and run here.
@Suite struct DocumentationTests {
  static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
  static let snippets = files("Snippets", "swift").map {
    $0.deletingPathExtension().lastPathComponent
  }
  static let documents = [root.appending(path: "README.md")] + files("Sources", "md")

  @Test(arguments: documents) func `each code sample of a document is part of a snippet`(
    _ document: URL
  ) throws {
    let shown = try Self.snippets.map(shownCode)
    for sample in try samples(in: document) {
      #expect(shown.contains { $0.contains(sample) }, "No snippet has:\n\(sample)")
    }
  }

  @Test(arguments: snippets) func `each snippet is shown by a document`(_ name: String) throws {
    let samples = try Self.documents.flatMap(samples)
    let shown = try shownCode(of: name)
    // The one whose parts are in documentation comments shows nothing.
    #expect(shown.isEmpty || samples.contains { shown.contains($0) })
  }

  @Test func `each code sample of a documentation comment is part of a snippet`() throws {
    let snippets = try Self.snippets.map { unindented(try text(ofSnippet: $0)) }
    var count = 0
    for file in Self.files("Sources", "swift") {
      let comments = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix("///") }
        .map { $0.dropFirst(3) }
      for sample in blocks(of: " ```swift", in: comments.joined(separator: "\n")) {
        count += 1
        #expect(
          snippets.contains { $0.contains(unindented(sample)) },
          "\(file.lastPathComponent): no snippet has:\n\(sample)")
      }
    }
    #expect(count > 30)
  }

  @Test(arguments: snippets) func `a snippet runs`(_ name: String) throws {
    let (status, _) = try Program.run(name)
    #expect(status == 0)
  }

  @Test func `the quick start prints what the README says`() throws {
    let (_, output) = try Program.run("QuickStart")
    let readme = try String(contentsOf: Self.documents[0], encoding: .utf8)
    #expect(blocks(of: "```text", in: readme) == [output])
  }

  private func text(ofSnippet name: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: "Snippets/\(name).swift"), encoding: .utf8)
  }

  /// What documentation shows of a snippet, without its first line, which says what it is.
  private func shownCode(of snippet: String) throws -> String {
    var isShown = true
    var lines: [Substring] = []
    for line in try text(ofSnippet: snippet).split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropFirst(2) {
      switch line.trimmingCharacters(in: .whitespaces) {
      case "// snippet.hide": isShown = false
      case "// snippet.show": isShown = true
      default: if isShown { lines.append(line) }
      }
    }
    return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
  }

  /// The code samples of a document, without those that are no programs.
  private func samples(in document: URL) throws -> [String] {
    blocks(of: "```swift", in: try String(contentsOf: document, encoding: .utf8)).filter {
      !$0.hasPrefix("// swift-tools-version")
    }
  }

  /// The blocks of a text that begin with `fence`.
  private func blocks(of fence: String, in text: String) -> [String] {
    text.components(separatedBy: fence + "\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  /// The lines of a text without the white space around them, to be compared whole.
  private func unindented(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    return "\n" + lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  /// The files of a kind in a folder and in those that are inside of it.
  private static func files(_ folder: String, _ kind: String) -> [URL] {
    let folder = root.appending(path: folder)
    let paths = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    return paths.filter { $0.hasSuffix("." + kind) }.sorted().map { folder.appending(path: $0) }
  }
}
