import Foundation
import SluiceCore
import Testing

@Suite struct ReentrancyArticleTests {
  /// The first cell of each row in the article, by call frame.
  private static let rows: [CallFrame: String] = [
    .idle: "a function, an aggregate, the cursor of a virtual table",
    .compile: "the creation of a virtual table",
    .connect: "a virtual table that connects",
    .plan: "a virtual table that plans a query",
    .supplyCollation: "a handler of unknown collations",
    .compare: "a collation",
    .hook: "a hook, an authorizer, a busy handler, the filter of a session",
    .apply: "a stream, filter or conflict handler of `apply`",
    .afterCommit: "a closure of ``Connection/onWALCommit(_:)``",
    .tokenizer: "a tokenizer",
    .fileSystem: "a file system in Swift",
    .lend: "a closure that reads the bytes of a database",
    .restore: "a backup that writes into the connection",
  ]
  private static let columns: [Operations] = [
    .use, .write, .addCollation, .changeModules,
  ]

  @Test(arguments: CallFrame.allCases)
  func `each row of the article matches the operations that its call frame refuses`(
    _ frame: CallFrame
  ) throws {
    let article = DocumentationTests.root
      .appending(path: "Sources/Sluice/Sluice.docc/Reentrancy.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let title = try #require(Self.rows[frame])
    let answers = Self.columns.map { frame.refused.contains($0) ? "no" : "yes" }
    let row = "| " + ([title] + answers).joined(separator: " | ") + " |"
    #expect(text.contains("\n\(row)\n"))
  }

  @Test func `the article has one row for each call frame`() throws {
    let article = DocumentationTests.root
      .appending(path: "Sources/Sluice/Sluice.docc/Reentrancy.md")
    let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
    // The header of the table takes two lines.
    #expect(lines.filter { $0.hasPrefix("|") }.count == Self.rows.count + 2)
  }
}
