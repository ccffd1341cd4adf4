import Foundation
import Sluice
import TestSupport
import Testing

@Suite struct ConnectionURLTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  @Test(arguments: ["app.db", "a b.db", "a?mode=ro", "a#b", "a%20b", "ä→🙂.db", "a&b=c", "a+b;c"])
  func `a file URL opens the file at its path`(name: String) throws {
    try Connection(url: folder.url.appending(path: name)).execute(sql: "CREATE TABLE t(a)")
    #expect(try folder.content == [name])
  }

  @Test func `a relative file URL resolves against its base URL`() throws {
    let url = URL(fileURLWithPath: "app.db", relativeTo: folder.url.appending(path: "x"))
    try Connection(url: url).execute(sql: "CREATE TABLE t(a)")
    #expect(try folder.content == ["app.db"])
  }

  @Test(arguments: [
    "https://x/a.db", "http://localhost/a.db", "ftp://x/a.db", "data:,a.db", "a.db", "//x/a.db",
  ])
  func `opening a URL that is not a file URL throws and creates no file`(text: String) throws {
    let url = try #require(URL(string: text))
    let error = failure { try Connection(url: url) }
    #expect(error?.code == .cantOpen)
    #expect(error?.message.contains(text) == true)
    #expect(!FileManager.default.fileExists(atPath: "/a.db"))
    #expect(!FileManager.default.fileExists(atPath: "a.db"))
  }

  @Test func `opening the URL of a pipe throws, and does not wait for another program`() throws {
    let url = folder.url.appending(path: "pipe")
    try #require(unsafe mkfifo(url.path, 0o600) == 0)
    let errors = [
      failure { try Connection(url: url, readOnly: true) },
      failure { try ConnectionReadQueue(url: url) }, failure { try ConnectionQueue(url: url) },
    ]
    #expect(errors.allSatisfy { $0?.message.contains("named pipe") == true })
  }

  @Test func `opening the URL of a missing file throws if creation is off`() throws {
    let url = folder.url.appending(path: "app.db")
    #expect(failure { try Connection(url: url, create: false) }?.code == .cantOpen)
    #expect(failure { try Connection(url: url, readOnly: true) }?.code == .cantOpen)
    #expect(try folder.content == [])
  }

  @Test func `opening a URL applies the readOnly argument and the configuration`() throws {
    let url = folder.url.appending(path: "app.db")
    try Connection(url: url).execute(sql: "CREATE TABLE t(a)")
    let db = try Connection(url: url, readOnly: true, configuration: .sqliteDefaults)
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .readOnly)
    #expect(try db.first(.column(.int), sql: "PRAGMA foreign_keys") == 0)
  }

  @Test func `opening a URL passes its query to SQLite`() throws {
    let url = folder.url.appending(path: "app.db")
    try Connection(url: url).execute(sql: "CREATE TABLE t(a)")
    let db = try Connection(
      url: url.appending(queryItems: [URLQueryItem(name: "mode", value: "ro")]))
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .readOnly)
  }

  @Test func `opening a URL whose path contains a NUL throws`() throws {
    let url = try #require(URL(string: folder.url.absoluteString + "/a%00b"))
    #expect(failure { try Connection(url: url) }?.code == .misuse)
    #expect(try folder.content == [])
  }

  @Test func `opening the URL of a folder throws`() throws {
    #expect(failure { try Connection(url: folder.url) }?.code.primary == .cantOpen)
  }
}
