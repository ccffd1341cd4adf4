import Foundation
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `the command-line article` {
  private static let article = URL(filePath: #filePath).appending(
    path: "../../../Sources/Sluice/Sluice.docc/CommandLine.md"
  ).standardizedFileURL

  @Test(arguments: SluiceCommand.commands.map(\.name))
  func `the command-line article contains the help text of each command`(name: String) throws {
    let article = try String(contentsOf: Self.article, encoding: .utf8)
    #expect(article.contains("```text\n\(Run(name, "--help").output)```\n"))
  }

  @Test func `the command-line article contains the help text of the program`() throws {
    let article = try String(contentsOf: Self.article, encoding: .utf8)
    #expect(article.contains("```text\n\(Run("--help").output)```\n"))
  }
}
