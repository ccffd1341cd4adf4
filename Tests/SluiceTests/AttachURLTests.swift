import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.connections)) struct `attaching databases by URL` {
  let folder: TestFolder
  let db: Connection
  init() throws {
    folder = try TestFolder()
    db = try Connection()
  }

  @Test(arguments: ["app.db", "a b.db", "a?mode=ro", "a#b", "a%20b", "ä→🙂.db", "a+b;c"])
  func `a file URL attaches the file at its path`(name: String) throws {
    try db.attach(url: folder.url.appending(path: name), as: "b")
    try db.execute(sql: "CREATE TABLE b.t(a)")
    #expect(try folder.content == [name])
  }

  @Test func `attaching a URL passes its query to SQLite`() throws {
    let url = folder.url.appending(path: "app.db")
    try Connection(url: url).execute(sql: "CREATE TABLE t(a)")
    try db.attach(url: url.appending(queryItems: [.init(name: "mode", value: "ro")]), as: "b")
    #expect(try db.database(named: "b").isReadOnly)
  }

  @Test(arguments: ["https://x/a.db", "data:,a.db", "a.db", "//x/a.db"])
  func `attaching a URL that is not a file URL throws`(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(failure { try db.attach(url: url, as: "b") }?.code == .cantOpen)
    #expect(try db.databases().count == 1)
  }
}
