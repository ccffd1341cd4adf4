import Foundation
import SluiceCore
import Testing

/// The version of Sluice, which several files name.
@Suite struct VersionTests {
  private func text(_ file: String) throws -> String {
    try String(contentsOf: DocumentationTests.root.appending(path: file), encoding: .utf8)
  }

  @Test func `the changelog, the README and the article name the version of the program`() throws {
    let headings = try text("CHANGELOG.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
    let newest = try #require(headings.first { $0.hasPrefix("## \(SluiceVersion.text), ") })
    #expect(newest.wholeMatch(of: /## \d+\.\d+\.\d+, \d{4}-\d\d-\d\d/) != nil)
    #expect(headings.first == newest || headings.first == "## Unreleased")
    let requirement = ".upToNextMinor(from: \"\(SluiceVersion.text)\")"
    for file in ["README.md", "Sources/Sluice/Sluice.docc/Stability.md"] {
      #expect(try text(file).contains(requirement), "\(file)")
    }
  }
}
