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

  /// Calls `body` in a transaction that has written, and checks that another process then still finds the file locked.
  private func expectLocked(_ body: (Connection) throws -> Void) throws {
    try connection.execute(sql: "BEGIN IMMEDIATE; UPDATE counter SET value = 2")
    #expect(throws: SQLiteError.self) { try body(connection) }
    let other = try Program.run("WriterProcess", [url.path, "lock"])
    #expect(other.status != 0 && other.output.contains("locked"), "\(other.output)")
    try connection.execute(sql: "COMMIT")
    #expect(try connection.first(.column(.int), sql: "SELECT value FROM counter") == 2)
    #expect(try connection.integrityProblems().isEmpty)
  }

  @Test func `a dump that must not replace the database leaves its locks`() throws {
    try expectLocked { try $0.dump(to: url, overwriting: true) }
  }

  @Test func `an export that must not replace the database leaves its locks`() throws {
    try expectLocked { _ = try $0.exportRows("SELECT 1", as: .csv, to: url, overwriting: true) }
  }

  @Test func `loading the database as a script leaves its locks`() throws {
    try expectLocked { try $0.load(from: url) }
  }

  @Test func `importing the database as CSV leaves its locks`() throws {
    try expectLocked { _ = try $0.importRows(from: url, as: .csv, into: "counter") }
  }
}
