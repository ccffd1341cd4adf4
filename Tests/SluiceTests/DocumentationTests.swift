import Foundation
import Sluice
import TestSupport
import Testing

/// Documentation is code: each sample is compiled as part of a snippet, and the snippets run here.
@Suite struct DocumentationTests {
  static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
  static let snippets = files("Snippets", "swift").map {
    $0.deletingPathExtension().lastPathComponent
  }
  /// The guides for users of other libraries, whose tables compare calls.
  static let guides = documents.filter { $0.lastPathComponent.hasPrefix("ComingFrom") }
  static let documents = [root.appending(path: "README.md")] + files("Sources", "md")
  /// The part of each snippet that documentation shows.
  static let shown = Result {
    try Dictionary(uniqueKeysWithValues: snippets.map { ($0, try shownCode(of: $0)) })
  }
  static let samples = Result { try documents.flatMap(samples) }

  @Test(arguments: documents) func `each code sample in a document is part of a snippet`(
    _ document: URL
  ) throws {
    let shown = try Self.shown.get().values
    for sample in try Self.samples(in: document) {
      #expect(shown.contains { $0.contains(sample) }, "No snippet has:\n\(sample)")
    }
  }

  @Test(arguments: snippets) func `each snippet with visible code appears in a document`(
    _ name: String
  ) throws {
    let samples = try Self.samples.get()
    let shown = try #require(Self.shown.get()[name])
    // A snippet that appears only in documentation comments shows no code.
    #expect(shown.isEmpty || samples.contains { shown.contains($0) })
  }

  @Test func `each code sample in a documentation comment is part of a snippet`() throws {
    let snippets = try Self.snippets.map { unindented(try Self.text(ofSnippet: $0)) }
    var count = 0
    for file in Self.files("Sources", "swift") {
      let comments = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix("///") }
        .map { $0.dropFirst(3) }
      for sample in Self.blocks(of: " ```swift", in: comments.joined(separator: "\n")) {
        count += 1
        #expect(
          snippets.contains { $0.contains(unindented(sample)) },
          "\(file.lastPathComponent): no snippet has:\n\(sample)")
      }
    }
    #expect(count > 30)
  }

  @Test(arguments: guides)
  func
    `each row of a guide shows calls in a snippet, a symbol link, or that there is no counterpart`(
      _ guide: URL
    ) throws
  {
    let name = guide.deletingPathExtension().lastPathComponent.dropFirst("Coming".count)
    let code = try Self.snippets.filter { $0.hasPrefix(name) }.map {
      try Self.text(ofSnippet: $0).filter { !$0.isWhitespace }
    }
    let rows = try String(contentsOf: guide, encoding: .utf8).split(separator: "\n").filter {
      $0.hasPrefix("| ") && !$0.hasPrefix("| ---")
    }
    for row in rows where !row.hasSuffix("| Sluice |") && !row.hasSuffix("| SluiceModels |") {
      let cell = try #require(row.components(separatedBy: " | ").last)
        .replacing("\\|", with: "|")
      // Double backquotes enclose the name of a symbol, which the documentation build checks.
      let isLink = cell.contains("``") || cell.contains("<doc:") || cell.contains("](")
      let calls = cell.components(separatedBy: "``").enumerated().filter { $0.offset % 2 == 0 }
        .flatMap { $0.element.components(separatedBy: "`").enumerated() }
        .filter { $0.offset % 2 == 1 }.map { $0.element.filter { !$0.isWhitespace } }
      #expect(isLink || !calls.isEmpty || cell.hasPrefix("Not"), "\(row)")
      for call in calls {
        #expect(code.contains { shows($0, pieces(of: call)) }, "No snippet has \(call)")
      }
    }
    #expect(rows.count > 10)
  }

  /// Returns the parts of a call in a table.
  ///
  /// The call may contain `…` for any code, or only the labels of the arguments.
  private func pieces(of call: String) -> [String] {
    guard call.hasSuffix(":)"), let start = call.lastIndex(of: "(") else {
      return call.components(separatedBy: "…")
    }
    let labels = call[call.index(after: start)...].dropLast().split(separator: ":")
    return [String(call[...start])] + labels.filter { $0 != "_" }.map { $0 + ":" }
  }

  /// Returns whether the pieces occur in `code` in this order, each within 400 characters of the one before.
  private func shows(_ code: String, _ pieces: [String]) -> Bool {
    var starts = code.ranges(of: pieces[0]).map(\.upperBound)
    for piece in pieces.dropFirst() {
      starts = starts.compactMap { start in
        let end = code.index(start, offsetBy: 400, limitedBy: code.endIndex) ?? code.endIndex
        return piece.isEmpty ? start : code[start..<end].firstRange(of: piece)?.upperBound
      }
    }
    return !starts.isEmpty
  }

  @Test(arguments: snippets)
  func `each snippet runs, or reports a capability that the linked SQLite lacks`(_ name: String)
    throws
  {
    // The folder of a snippet may remain: a connection may be closing on another thread while the snippet deletes it.
    let folder = try TestFolder()
    let (status, output) = try Program.run(name, environment: ["TMPDIR": folder.path])
    // An SQLite library other than the system's may lack a feature that a snippet shows.
    let lacks = output.contains("The linked SQLite \(SQLiteLibrary.version) lacks ")
    #expect(status == 0 || lacks, "\(output)")
  }

  @Test func `the quick start prints the output in the README`() throws {
    let (_, output) = try Program.run("QuickStart")
    let readme = try String(contentsOf: Self.documents[0], encoding: .utf8)
    #expect(Self.blocks(of: "```text", in: readme) == [output])
  }

  private static func text(ofSnippet name: String) throws -> String {
    try String(contentsOf: root.appending(path: "Snippets/\(name).swift"), encoding: .utf8)
  }

  /// Returns the part of a snippet that documentation shows, without the first line, which describes the snippet.
  ///
  /// If all shown lines are indented, such as in a condition, the common indentation is removed.
  private static func shownCode(of snippet: String) throws -> String {
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
    let indents = lines.filter { !$0.isEmpty }.map { line in line.prefix { $0 == " " }.count }
    lines = lines.map { $0.dropFirst(indents.min() ?? 0) }
    return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
  }

  /// Returns the code samples of a document, except for package manifests.
  private static func samples(in document: URL) throws -> [String] {
    blocks(of: "```swift", in: try String(contentsOf: document, encoding: .utf8)).filter {
      !$0.hasPrefix("// swift-tools-version")
    }
  }

  /// Returns the blocks of a text that begin with `fence`.
  private static func blocks(of fence: String, in text: String) -> [String] {
    text.components(separatedBy: fence + "\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  /// Returns the lines of a text without surrounding white space, for comparison as whole lines.
  private func unindented(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    return "\n" + lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  /// Returns the files of a kind in a folder and its subfolders.
  private static func files(_ folder: String, _ kind: String) -> [URL] {
    let folder = root.appending(path: folder)
    let paths = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    return paths.filter { $0.hasSuffix("." + kind) }.sorted().map { folder.appending(path: $0) }
  }
}
