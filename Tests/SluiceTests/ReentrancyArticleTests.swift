import Foundation
import SluiceCore
import Testing

@Suite struct ReentrancyArticleTests {
  /// The first cell of each row in the article, by call frame.
  private static let rows: [CallFrame: String] = [
    .idle: "a function, an aggregate, the cursor of a virtual table",
    .compile: "the creation of a virtual table",
    .connect: "a virtual table while SQLite connects it (`xConnect`)",
    .plan: "a virtual table while SQLite plans a query (`xBestIndex`)",
    .supplyCollation: "a handler for unknown collations",
    .compare: "a collation",
    .hook: "a hook, an authorizer, a busy handler, the table filter of a session",
    .apply: "a stream, filter or conflict handler passed to `apply`",
    .afterCommit: "a closure passed to ``Connection/onWALCommit(_:)``",
    .tokenizer: "a tokenizer",
    .fileSystem: "a file system in Swift",
    .lend: "a closure passed to ``Connection/withSerialized(database:_:)``",
    .restore: "a backup whose target is the connection",
  ]
  private static let columns: [Operations] = [
    .use, .write, .addCollation, .changeModules,
  ]

  @Test(arguments: CallFrame.allCases)
  func `each row of the Reentrancy article matches the operations that its call frame refuses`(
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

  @Test func `the Reentrancy article has one row for each call frame`() throws {
    let article = DocumentationTests.root
      .appending(path: "Sources/Sluice/Sluice.docc/Reentrancy.md")
    let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
    // The first two lines are the table's header.
    #expect(lines.filter { $0.hasPrefix("|") }.count == Self.rows.count + 2)
  }
}
