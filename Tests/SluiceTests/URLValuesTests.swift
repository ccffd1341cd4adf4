import Foundation
import Sluice
import TestSupport
import Testing

@Suite struct URLValuesTests {
  let db: Connection
  init() throws { db = try Connection() }

  @Test(arguments: [
    "https://example.org/a?b=c#d", "file:///tmp/a%20b", "mailto:a@b.c", "relative/path", "?q=1",
    "https://example.org/%00", "https://[::1]:80/",
  ])
  func `a URL round-trips as its text`(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(try db.select(.urlString, .urlString(url)) == url)
    #expect(try db.select(.value, .urlString(url)) == .text(text))
  }

  @Test func `a relative URL is stored as an absolute URL`() throws {
    let url = try #require(URL(string: "b", relativeTo: URL(string: "https://example.org/a/")))
    #expect(try db.select(.value, .urlString(url)) == "https://example.org/a/b")
  }

  @Test func `a file URL with characters that need escaping round-trips`() throws {
    let url = URL(filePath: "/tmp/ü b?#%.db")
    #expect(try db.select(.urlString, .urlString(url)) == url)
  }

  @Test(
    arguments: [
      "", "http://[", "not a URL", "https://exämple.org", "http://a/%zz", "http://a/\0", "\0",
      .null, .blob([0xff]),
    ] as [DatabaseValue])
  func `reading a value that is not a URL throws a mismatch instead of repairing it`(
    value: DatabaseValue
  ) {
    let error = failure { try db.select(.urlString, .value(value)) }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasPrefix("Column 0 (?) is ") == true)
  }
}
