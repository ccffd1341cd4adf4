import Foundation
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `The article on the command line` {
  private static let article = URL(filePath: #filePath).appending(
    path: "../../../Sources/Sluice/Sluice.docc/CommandLine.md"
  ).standardizedFileURL

  @Test(arguments: SluiceCommand.commands.map(\.name))
  func `shows the help of each command as it is`(name: String) throws {
    let article = try String(contentsOf: Self.article, encoding: .utf8)
    #expect(article.contains("```text\n\(Run(name, "--help").output)```\n"))
  }

  @Test func `shows the help of the program as it is`() throws {
    let article = try String(contentsOf: Self.article, encoding: .utf8)
    #expect(article.contains("```text\n\(Run("--help").output)```\n"))
  }
}
