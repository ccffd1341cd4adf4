import Foundation
import SluiceCore
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `differences between files` {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    for (name, age) in [("old.db", 36), ("new.db", 37)] {
      let connection = try Connection(path: folder.file(name))
      try connection.execute(
        sql: """
          CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
          INSERT INTO person VALUES (1, 'Ada', \(age));
          """)
      try connection.close()
    }
  }

  private var new: URL { URL(filePath: folder.file("new.db")) }

  @Test func `a diff changes no file`() throws {
    let (old, new) = try (folder.bytes("old.db"), folder.bytes("new.db"))
    let connection = try Connection(path: folder.file("old.db"), readOnly: true)
    let diff = try DatabaseDiff(from: connection, to: self.new)
    #expect(try diff.writeSQL(to: URL(filePath: folder.file("update.sql"))))
    try diff.close()
    #expect(try connection.databases().map(\.name) == ["main"])
    try connection.close()
    #expect(try folder.bytes("old.db") == old)
    #expect(try folder.bytes("new.db") == new)
    #expect(try folder.content == ["new.db", "old.db", "update.sql"])
    #expect(
      String(decoding: try folder.bytes("update.sql"), as: UTF8.self).contains(
        "UPDATE \"person\" SET \"age\" = 37 WHERE \"id\" = 1;\n"))
  }

  @Test func `a released diff detaches its database`() throws {
    let connection = try Connection(path: folder.file("old.db"))
    do {
      let diff = try DatabaseDiff(from: connection, to: new)
      #expect(try diff.summary().count == 1)
    }
    #expect(try connection.databases().map(\.name) == ["main"])
  }

  @Test func `the database is attached until the transaction that uses it ends`() throws {
    let connection = try Connection(path: folder.file("old.db"))
    try connection.transaction { connection in
      let diff = try DatabaseDiff(from: connection, to: new)
      #expect(try diff.summary().count == 1)
      #expect(failure { try diff.close() }?.code == .error)
    }
    #expect(try connection.value("SELECT age FROM person") == 36)
  }

  @Test func `files that are missing, no database or of another encoding are refused`() throws {
    let connection = try Connection(path: folder.file("old.db"))
    func code(_ name: String) -> ResultCode? {
      failure { try DatabaseDiff(from: connection, to: URL(filePath: folder.file(name))) }?.code
    }
    #expect(code("gone.db") == .cantOpen)
    #expect(!fileExists(folder.file("gone.db")))
    try folder.write(Array("no database, but long enough to be looked at".utf8), to: "text.db")
    #expect(code("text.db") == .notADatabase)
    let other = try Connection(path: folder.file("utf16.db"))
    try other.execute(sql: "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a)")
    try other.close()
    #expect(code("utf16.db") == .error)
    #expect(
      failure { try DatabaseDiff(from: connection, to: URL(string: "https://a/b")!) }?.code
        == .cantOpen)
    #expect(failure { try DatabaseDiff(connection, to: "gone") }?.code == .range)
    #expect(try connection.databases().map(\.name) == ["main"])
  }

  @Test func `an existing file is kept unless it may be overwritten`() throws {
    let connection = try Connection(path: folder.file("old.db"))
    let diff = try DatabaseDiff(from: connection, to: new)
    let url = URL(filePath: folder.file("update.sql"))
    try folder.write([1, 2, 3], to: "update.sql")
    #expect(failure { try diff.writeSQL(to: url) }?.code == .cantOpen)
    #expect(try folder.bytes("update.sql") == [1, 2, 3])
    try diff.writeSQL(to: url, overwriting: true)
    #expect(try folder.bytes("update.sql").count > 80)
  }

  @Test func `UTF-16 databases are compared byte by byte`() throws {
    for encoding in ["UTF-16le", "UTF-16be"] {
      let connection = try Connection()
      try connection.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a, b UNIQUE)")
      let path = folder.file("\(encoding).db")
      let other = try Connection(path: path)
      try other.execute(
        sql: """
          PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a, b UNIQUE);
          INSERT INTO t VALUES ('é😀', 1), (CAST(x'd800' AS TEXT), 2), (CAST(x'00d8' AS TEXT), 3),
            ('a' || char(0), 4), (CAST(x'fffe' AS TEXT), 5);
          """)
      try other.close()
      try connection.execute(
        sql: "INSERT INTO t VALUES ('é', 1), (CAST(x'd801' AS TEXT), 2), (CAST(x'01d8' AS TEXT), 3)"
      )
      let diff = try DatabaseDiff(from: connection, to: URL(filePath: path))
      var sql: [UInt8] = []
      try diff.writeSQL { sql += $0 }
      try connection.execute(sql: String(decoding: sql, as: UTF8.self))
      #expect(
        try DiffContent(of: connection) == DiffContent(of: connection, diff.to), "\(encoding)")
      #expect(try diff.isEmpty)
    }
  }

  @Test func `a closed connection, and a diff that is closed, are refused`() throws {
    let connection = try Connection(path: folder.file("old.db"))
    let diff = try DatabaseDiff(from: connection, to: new)
    try diff.close()
    try diff.close()
    #expect(failure { try diff.summary() }?.code == .error)
    try connection.close()
    #expect(failure { try diff.summary() }?.code == .misuse)
    #expect(failure { try DatabaseDiff(from: connection, to: new) }?.code == .misuse)
  }

  @Test func `a cancelled task stops writing`() async throws {
    let path = folder.file("old.db")
    let new = self.new
    let task = Task {
      let connection = try Connection(path: path)
      let diff = try DatabaseDiff(from: connection, to: new)
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try diff.writeSQL { _ in }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
