import Foundation
import Sluice
import SluiceTesting
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5))) struct `Arbitrary queries` {
  @Test func `random queries cause no error`() throws {
    let folder = try Folder(["a.txt": "needle AND thread, NEAR(a b) OR \"quotes\" {col}: *^+-\n"])
    _ = try folder.codesearch()
    var random = SeededGenerator(seed: 42)
    for _ in 1...100 {
      let words = (1...Int.random(in: 1...3, using: &random)).map { _ in random.word() }
      let run = try Program(["--"] + words, in: folder.url)
      #expect([0, 1].contains(run.status), "\(words)")
      #expect(run.messages == "Nothing has changed.\n", "\(words)")
    }
  }

  @Test(arguments: [
    "\"", "\"\"", "*", "a*", "NOT", "needle AND", "text:needle", "NEAR(needle thread)", "(",
    "^needle",
    "-", "{text}:needle", "needle\"; DROP TABLE file; --", "🍎", "\u{301}", "\"\u{301}",
    "a\u{10FFF0}b",
  ])
  func `FTS5 or SQL syntax in a query causes no error`(query: String) throws {
    let folder = try Folder(["a.txt": "needle and thread\n"])
    let run = try folder.codesearch("--", query)
    #expect([0, 1].contains(run.status))
    #expect(run.output.hasSuffix(run.status == 1 ? "No line matches.\n" : "in 1 file\n"))
    #expect(try folder.indexedPaths() == ["a.txt"])
  }
}

extension SeededGenerator {
  /// Returns a random sequence of fragments of FTS5's query syntax and of other languages.
  mutating func word() -> String {
    let pieces = [
      "\"", "'", "*", "^", "+", "-", "(", ")", "{", "}", ":", ",", ".", "\\", "%", ";", " ", "\t",
      "\n", "\u{1}", "AND", "OR", "NOT", "NEAR", "NEAR(", "needle", "text", "rowid", "a", "ä", "🍎",
      "\u{301}", "\u{FEFF}", "\u{200D}", "0", "=", "[", "]", "|", "/", "?", "$1", "@x", "#",
    ]
    return (1...Int.random(in: 1...8, using: &self))
      .map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
  }
}
