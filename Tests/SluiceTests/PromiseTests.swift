import Foundation
import Testing

/// The article about guarantees.
///
/// Each row of its tables names an existing test or make target that verifies the promise.
@Suite struct PromiseTests {
  private let page: String

  init() throws {
    let file = DocumentationTests.root.appending(path: "Sources/Sluice/Sluice.docc/Promises.md")
    page = try String(contentsOf: file, encoding: .utf8)
  }

  /// The rows of the tables of promises.
  private var rows: [Substring] {
    var isOfPromises = false
    return page.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      if line == "| Guarantee | Test |" { isOfPromises = true }
      if !line.hasPrefix("|") { isOfPromises = false }
      return isOfPromises && !line.hasPrefix("|---") && !line.hasPrefix("| Guarantee |")
    }
  }

  @Test func `each promise names an existing test or make target`() throws {
    let makefile = try String(
      contentsOf: DocumentationTests.root.appending(path: "Makefile"), encoding: .utf8)
    let targets = Set(
      makefile.matches(of: /(?m)^([a-z -]+):/).flatMap { $0.1.split(separator: " ") })
    let files = Dictionary(grouping: CFunctions.files("Tests", ["swift"])) {
      $0.deletingPathExtension().lastPathComponent
    }
    #expect(rows.count > 30)
    for row in rows {
      if let match = row.firstMatch(of: /`(\w+Tests)`: (.+) \|$/) {
        let found = try (files[String(match.1)] ?? []).contains { file in
          try String(contentsOf: file, encoding: .utf8).contains("func `\(match.2)`(")
        }
        #expect(found, "\(row)")
      } else if let match = row.firstMatch(of: /`make ([a-z-]+)` \|$/) {
        #expect(targets.contains(match.1), "\(row)")
      } else {
        Issue.record("Nothing shows this: \(row)")
      }
    }
  }
}
