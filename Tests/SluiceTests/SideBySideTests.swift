import Foundation
import Testing

/// The article that compares the lengths of examples with those of other libraries.
@Suite struct `examples side by side` {
  private static let article = URL(filePath: #filePath).appending(
    path: "../../../Sources/SluiceModels/SluiceModels.docc/SideBySide.md"
  ).standardizedFileURL

  @Test func `the lengths in the table are those of the examples`() throws {
    let text = try String(contentsOf: Self.article, encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.firstMatch(of: /^\| \d/) != nil }.map {
      $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let examples = text.components(separatedBy: "\n### ").dropFirst()
    #expect(rows.count == 10)
    #expect(examples.count == rows.count)
    var longer: [String] = []
    for (row, example) in zip(rows, examples) {
      #expect(example.hasPrefix("\(row[0])\n"))
      let code = example.components(separatedBy: "```swift\n")[1].components(separatedBy: "```")[0]
      let lines = code.split(separator: "\n").map {
        $0.prefix(upTo: $0.firstRange(of: "//")?.lowerBound ?? $0.endIndex)
      }
      .filter { !$0.allSatisfy(\.isWhitespace) }
      #expect(Int(row[4]) == lines.count, "\(row[0])")
      #expect(Int(row[5]) == lines.joined().filter { !$0.isWhitespace }.count, "\(row[0])")
      let peer = try #require(Int(row[2]))
      #expect(lines.count <= peer, "\(row[0])")
      if try #require(Int(row[5])) > #require(Int(row[3])) {
        longer.append(String(row[0].prefix { $0 != "." }))
      }
    }
    // The page explains each example that has more characters than the one of the other library.
    #expect(text.matches(of: /\n- Example (\d+):/).map { String($0.1) } == longer)
  }

  @Test func `the calls of the other tasks are compiled`() throws {
    let text = try String(contentsOf: Self.article, encoding: .utf8)
    let section = text.components(separatedBy: "\n## Twenty more tasks\n")[1]
      .components(separatedBy: "\n## ")[0]
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
    #expect(rows.count == 20)
    let file = Self.article.appending(path: "../../../../Snippets/SideBySideTasks.swift")
    let code = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
      .filter { !$0.isWhitespace }
    for row in rows {
      let cells = row.components(separatedBy: " | ")
      #expect(cells.count == 4, "\(row)")
      let calls = cells[1].matches(of: /`([^`]+)`/).map { $0.1.filter { !$0.isWhitespace } }
      #expect(calls.count == 1, "\(row)")
      for call in calls { #expect(code.contains(call), "\(row)") }
    }
  }
}
