import Foundation
import Sluice
import Testing

@Suite struct URLValuesTests {
  let db: Connection
  init() throws { db = try Connection() }

  @Test(arguments: [
    "https://example.org/a?b=c#d", "file:///tmp/a%20b", "mailto:a@b.c", "relative/path", "?q=1",
    "https://example.org/%00", "https://[::1]:80/",
  ])
  func `a URL comes back`(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(try db.select(.urlString, .urlString(url)) == url)
    #expect(try db.select(.value, .urlString(url)) == .text(text))
  }

  @Test func `a URL that is relative to another is stored whole`() throws {
    let url = try #require(URL(string: "b", relativeTo: URL(string: "https://example.org/a/")))
    #expect(try db.select(.value, .urlString(url)) == "https://example.org/a/b")
  }

  @Test(arguments: ["", "http://[", .null, .blob([0xff])] as [DatabaseValue])
  func `what is not a URL throws`(value: DatabaseValue) {
    #expect(failure { try db.select(.urlString, .value(value)) }?.code == .mismatch)
  }
}
