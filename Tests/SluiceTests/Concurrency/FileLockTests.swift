import Foundation
import Sluice
import SluiceData
import TestSupport
import Testing

/// A process that closes a file loses all its locks on the file, whoever acquired them.
@Suite(.tags(.concurrency)) struct `locks on a database file` {
  let folder: TestFolder
  let connection: Connection
  let url: URL

  init() throws {
    folder = try TestFolder()
    url = URL(filePath: folder.file())
    connection = try Connection(path: url.path)
    try connection.execute(sql: "CREATE TABLE counter(value); INSERT INTO counter VALUES (1)")
  }

  /// Calls `body` in a transaction that has written, with its connection and another one, the file and a link to it, and
  /// checks that another process then still finds the file locked.
  private func expectLocked(_ body: (Connection, URL) throws -> Void) throws {
    let link = URL(filePath: folder.file("link.db"))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    try connection.execute(sql: "BEGIN IMMEDIATE; UPDATE counter SET value = 2")
    let reasons = [
      (connection, "db belongs to a database of this connection"),
      (try Connection(), "app.db is an SQLite database"),
    ]
    for (connection, reason) in reasons {
      for url in [url, link] {
        let error = #expect(throws: SQLiteError.self) { try body(connection, url) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "no error")")
      }
    }
    let other = try Program.run("WriterProcess", [url.path, "lock"])
    #expect(other.status == 0 && other.output == "busy\n", "\(other.output)")
    try connection.execute(sql: "COMMIT")
    #expect(try connection.first(.column(.int), sql: "SELECT value FROM counter") == 2)
    #expect(try connection.integrityProblems().isEmpty)
  }

  @Test func `a dump that must not replace the database leaves its locks`() throws {
    try expectLocked { try $0.dump(to: $1, overwriting: true) }
  }

  @Test func `an export that must not replace the database leaves its locks`() throws {
    try expectLocked { _ = try $0.exportRows("SELECT 1", as: .csv, to: $1, overwriting: true) }
  }

  @Test func `loading the database as a script leaves its locks`() throws {
    try expectLocked { try $0.load(from: $1) }
  }

  @Test func `importing the database as CSV leaves its locks`() throws {
    try expectLocked { _ = try $0.importRows(from: $1, as: .csv, into: "counter") }
  }

  @Test func `a file is compared with a database without a change of any file`() throws {
    // SQLite would delete the WAL of an empty database, and make files beside one that has a WAL.
    try connection.setPragma(.journalMode, to: .wal)
    try connection.close()
    let files = [
      ("empty.csv", ""), ("empty.csv-wal", "not SQLite's"), ("a.csv", "value\n7\n"),
      ("a.csv-journal", "not SQLite's"), ("damaged.db", "SQLite format 3\0\u{1}\u{1}"),
    ]
    for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: folder.file(name))) }
    let before = try folder.content
    let other = try Connection()
    try other.execute(sql: "CREATE TABLE counter(value)")
    for name in ["app.db", "damaged.db"] {
      let file = URL(filePath: folder.file(name))
      let error = #expect(throws: SQLiteError.self) { try other.dump(to: file, overwriting: true) }
      #expect(error?.message.hasSuffix("is an SQLite database, which is not replaced") == true)
      #expect(throws: SQLiteError.self) { try other.load(from: file) }
    }
    let table = URL(filePath: folder.file("a.csv"))
    #expect(try other.importRows(from: table, into: "counter").rowCount == 1)
    try other.dump(to: URL(filePath: folder.file("empty.csv")), overwriting: true)
    #expect(try folder.content == before)
    #expect(try folder.bytes("empty.csv-wal") == Array("not SQLite's".utf8))
  }

  /// The first bytes of these files do not identify them.
  @Test func `the own files of a connection are neither read nor replaced, by any path`() throws {
    let empty = folder.file("empty.db")
    let refused = URL(filePath: folder.file("refused.csv"))
    try Data("{\"value\": 1}\n".utf8).write(to: refused)
    try connection.setPragma(.journalMode, to: .wal)
    try connection.execute(sql: "INSERT INTO counter VALUES (2)")
    try connection.attach(path: empty, as: "empty")
    let other = folder.file("other.db")
    try Connection(path: other).execute(sql: "CREATE TABLE counter(value)")
    let diff = try DatabaseDiff(from: connection, to: URL(filePath: other))
    let manager = FileManager.default
    try manager.linkItem(atPath: empty, toPath: folder.file("hard.db"))
    let calls: [(String, (Connection, URL) throws -> Void)] = [
      ("dump", { try $0.dump(to: $1, overwriting: true) }),
      ("export", { _ = try $0.exportRows("SELECT 1", as: .csv, to: $1, overwriting: true) }),
      ("load", { try $0.load(from: $1) }),
      ("import", { _ = try $0.importRows(from: $1, as: .jsonLines, into: "counter") }),
      (
        "refusals",
        {
          _ = try $0.importRows(
            from: refused, as: .jsonLines, into: "counter",
            refusals: .write(to: $1, overwriting: true))
        }
      ),
    ]
    for (name, call) in calls {
      for file in ["app.db-wal", "app.db-shm", "empty.db-journal", "empty.db", "hard.db"] {
        let error = #expect(throws: SQLiteError.self, "\(name) \(file)") {
          try call(connection, URL(filePath: folder.file(file)))
        }
        #expect(
          error?.message
            == "\(folder.file(file)) belongs to a database of this connection; choose another file")
      }
    }
    for file in ["app.db-wal", "other.db"] {
      #expect(throws: SQLiteError.self, "\(file)") {
        try diff.writeSQL(to: URL(filePath: folder.file(file)), overwriting: true)
      }
    }
    #expect(try Data(contentsOf: URL(filePath: empty)).isEmpty)
    #expect(try connection.first(.column(.int), sql: "SELECT count(*) FROM counter") == 2)
  }

  @Test func `a WAL and a journal that do not exist yet are not replaced`() throws {
    try connection.setPragma(.journalMode, to: .wal)
    try connection.close()
    let reopened = try Connection(path: url.path)
    for suffix in ["-wal", "-journal", "-shm"] {
      let file = URL(filePath: url.path + suffix)
      try #require(!FileManager.default.fileExists(atPath: file.path))
      for url in [file, folder.url.appending(path: "./app.db" + suffix)] {
        #expect(throws: SQLiteError.self) { try reopened.dump(to: url, overwriting: true) }
      }
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
    #expect(try reopened.first(.column(.int), sql: "SELECT value FROM counter") == 1)
  }
}
