import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `copying databases by URL` {
  let folder: TestFolder
  let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (7)")
  }

  @Test func `backup, restore and VACUUM INTO accept file URLs`() throws {
    let file = folder.url.appending(path: "ä b?c.db")
    var told = 0
    try db.backup(to: file, pagesPerStep: 1) { _, _ in told += 1 }
    #expect(told == 2)
    try db.execute(sql: "DELETE FROM t")
    #expect(throws: SQLiteError.self) { try db.backup(to: file) }
    try db.restore(from: file)
    #expect(try db.first(.column(.int), sql: "SELECT a FROM t") == 7)
    let small = folder.url.appending(path: "small.db")
    try db.vacuum(into: small)
    #expect(try Connection(url: small).first(.column(.int), sql: "SELECT a FROM t") == 7)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.encryption)))
  func `export accepts a file URL and rejects a web URL`() throws {
    let file = folder.url.appending(path: "ä b?c.db")
    var configuration = Configuration()
    configuration.encryptionKey = try EncryptionKey(passphrase: "secret")
    try db.export(to: file, encryptionKey: configuration.encryptionKey)
    let copy = try Connection(url: file, configuration: configuration)
    #expect(try copy.first(.column(.int), sql: "SELECT a FROM t") == 7)
    let web = try #require(URL(string: "https://example.org/a.db"))
    #expect { try db.export(to: web, encryptionKey: nil) } throws: { ResultCode.cantOpen ~= $0 }
  }

  @Test(arguments: ["https://example.org/a.db", "file:///tmp/a.db?mode=ro"])
  func `backup, restore and VACUUM INTO reject a web URL or a URL with a query`(text: String) throws
  {
    let url = try #require(URL(string: text))
    for body in [
      { try db.backup(to: url) }, { try db.restore(from: url) }, { try db.vacuum(into: url) },
    ] {
      #expect { try body() } throws: { ResultCode.cantOpen ~= $0 }
    }
    #expect(!FileManager.default.fileExists(atPath: "/tmp/a.db"))
  }
}
