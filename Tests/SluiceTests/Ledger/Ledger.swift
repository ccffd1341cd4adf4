import Foundation

/// The page of the documentation that says where each function of C is in Swift.
struct Ledger {
  /// What it says of a function.
  struct Row {
    let function: String
    /// The version that it came with, or the build that has it; nil for what SQLite 3.40.1 has.
    let origin: String?
    /// Where it is in Swift, or why it is not there.
    let text: String
    let isReached: Bool

    /// The members and types that the text links to, as the compiler names them.
    var symbols: [String] {
      text.matches(of: /``([^`]+)``/).map { match in
        // What follows tells overloads apart.
        String(match.1.prefix { $0 != "-" }.replacing("/", with: "."))
      }
    }
  }

  let text: String
  let rows: [Row]

  init() throws {
    let page = DocumentationTests.root.appending(
      path: "Sources/Sluice/Sluice.docc/EveryFunction.md")
    text = try String(contentsOf: page, encoding: .utf8)
    let parts = text.components(separatedBy: "\n## What is left out\n")
    rows = parts.indices.flatMap { Self.rows(of: parts[$0], areReached: $0 == 0) }
  }

  private static func rows(of text: String, areReached: Bool) -> [Row] {
    text.split(separator: "\n").filter { $0.hasPrefix("| `sqlite3") }.flatMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return cells[0].matches(of: /`(sqlite3\w+)`(?:, ((?:since|in) [\w.]+))?/).map { match in
        Row(
          function: String(match.1), origin: match.2.map { String($0) },
          text: cells.count > 1 ? cells[1] : "", isReached: areReached)
      }
    }
  }

  /// A test for each function that is reached: in which file, and its name.
  static func tests() throws -> [String: (file: String, name: String)] {
    let list = DocumentationTests.root.appending(path: "Tests/Ledger/tests.txt")
    var tests: [String: (file: String, name: String)] = [:]
    for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
      let cells = line.components(separatedBy: " | ")
      if cells.count == 3 { tests[cells[0]] = (cells[1], cells[2]) }
    }
    return tests
  }
}
