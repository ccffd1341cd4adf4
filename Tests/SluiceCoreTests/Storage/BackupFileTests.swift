import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `backups to files` {
  let folder: TestFolder
  let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file())
    try db.fill(rows: 100)
  }

  private func read(_ name: String) throws -> DatabaseValue {
    try Connection(path: folder.file(name), create: false).content
  }

  @Test(arguments: ["b.db", "a b?mode=memory#x", "file:x", "ä→🙂%20"])
  func `a backup creates its file and no other files`(name: String) throws {
    try db.backup(to: folder.file(name))
    #expect(try read(name) == db.content)
    #expect(try folder.content == ["app.db", name].sorted())
    #expect(try folder.bytes(name).count == folder.bytes().count)
  }

  @Test func `a backup includes the content of the WAL`() throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let wal = try Connection(path: folder.file("wal.db"), configuration: configuration)
    try wal.fill(rows: 50)
    try wal.backup(to: folder.file("b.db"))
    #expect(try folder.content == ["app.db", "b.db", "wal.db", "wal.db-shm", "wal.db-wal"])
    #expect(try read("b.db") == wal.content)
  }

  @Test func `a backup overwrites an existing database only if requested`() throws {
    try db.backup(to: folder.file("b.db"))
    let before = try folder.bytes("b.db")
    try db.execute(sql: "DELETE FROM t")
    let error = failure { try db.backup(to: folder.file("b.db")) }
    #expect(error?.code == .cantOpen)
    #expect(error?.message.contains("b.db") == true)
    #expect(try folder.bytes("b.db") == before)
    try db.backup(to: folder.file("b.db"), overwriting: true)
    #expect(try Connection(path: folder.file("b.db")).integers("SELECT count(*) FROM t") == [0])
  }

  @Test func `a backup can fill an empty file`() throws {
    try folder.write([], to: "b.db")
    try db.backup(to: folder.file("b.db"))
    #expect(try read("b.db") == db.content)
  }

  @Test(arguments: [true, false])
  func `a backup to a file that is not a database throws and leaves the file unchanged`(
    overwriting: Bool
  ) throws {
    let bytes = [UInt8](repeating: 7, count: 5000)
    try folder.write(bytes, to: "b.db")
    let error = failure { try db.backup(to: folder.file("b.db"), overwriting: overwriting) }
    #expect(error?.code == .notADatabase)
    #expect(try folder.bytes("b.db") == bytes)
  }

  @Test func `a cancelled backup leaves no new file and does not change an existing file`() throws {
    let cancel = { (_: Int, _: Int) throws in throw ForeignError() }
    #expect(throws: ForeignError.self) {
      try db.backup(to: folder.file("b.db"), pagesPerStep: 1, progress: cancel)
    }
    #expect(try folder.content == ["app.db"])
    try db.backup(to: folder.file("b.db"))
    let before = try folder.bytes("b.db")
    try db.execute(sql: "DELETE FROM t")
    #expect(throws: ForeignError.self) {
      try db.backup(
        to: folder.file("b.db"), overwriting: true, pagesPerStep: 1, progress: cancel)
    }
    #expect(try folder.bytes("b.db") == before)
    #expect(try folder.content == ["app.db", "b.db"])
    try folder.write([], to: "c.db")
    #expect(throws: ForeignError.self) {
      try db.backup(to: folder.file("c.db"), pagesPerStep: 1, progress: cancel)
    }
    #expect(try folder.bytes("c.db") == [])
  }

  @Test func `an error that the progress closure throws after the last step is ignored`() throws {
    var told: [Int] = []
    let progress = { (remaining: Int, _: Int) throws in
      told.append(remaining)
      if remaining == 0 { throw ForeignError() }
    }
    try db.backup(to: folder.file("b.db"), progress: progress)
    #expect(try read("b.db") == db.content)
    let other = try Connection()
    try db.backup(to: other, pagesPerStep: 1, progress: progress)
    #expect(try other.content == db.content)
    let restored = try Connection()
    try restored.restore(from: folder.file("b.db"), progress: progress)
    #expect(try restored.content == db.content)
    #expect(told.count { $0 == 0 } == 3)
  }

  @Test func `copying a file to itself throws, even under another path`() throws {
    let before = try folder.bytes()
    for overwriting in [true, false] {
      #expect(failure { try db.backup(to: folder.file(), overwriting: overwriting) } != nil)
    }
    let other = folder.path + "/../" + folder.path.split(separator: "/").last! + "/app.db"
    #expect(failure { try db.backup(to: other, overwriting: true) }?.code == .misuse)
    #expect(failure { try db.restore(from: other) }?.code == .misuse)
    #expect(try folder.bytes() == before)
  }

  @Test(arguments: ["", ":memory:", "no folder/b.db", "b\0"])
  func `a backup or vacuum to an invalid path throws`(
    name: String
  ) throws {
    let expected: ResultCode = name.contains("\0") ? .misuse : .cantOpen
    let path = name.contains("/") ? folder.file(name) : name
    #expect(failure { try db.backup(to: path) }?.code == expected)
    #expect(failure { try db.vacuum(into: path) }?.code == expected)
    #expect(try folder.content == ["app.db"])
  }

  @Test func `a file database or an in-memory database can be restored from a file`() throws {
    try db.backup(to: folder.file("b.db"))
    let content = try db.content
    try db.execute(sql: "DROP TABLE t")
    var told = 0
    try db.restore(from: folder.file("b.db"), pagesPerStep: 1) { _, _ in told += 1 }
    #expect(told > 2)
    #expect(try db.content == content)
    let memory = try Connection()
    try memory.attach(path: ":memory:", as: "b")
    try memory.restore(from: folder.file("b.db"), database: "b")
    #expect(try memory.integers("SELECT count(*) FROM b.t") == [100])
    #expect(try memory.integers("SELECT count(*) FROM main.sqlite_schema") == [0])
  }

  @Test func `a failed restore leaves the database unchanged`() throws {
    let content = try db.content
    try folder.write([], to: "empty.db")
    try folder.write([UInt8](repeating: 7, count: 5000), to: "none.db")
    #expect(failure { try db.restore(from: folder.file("empty.db")) }?.code == .notADatabase)
    #expect(failure { try db.restore(from: folder.file("none.db")) }?.code == .notADatabase)
    #expect(failure { try db.restore(from: folder.file("missing.db")) }?.code == .cantOpen)
    #expect(failure { try db.restore(from: "") }?.code == .cantOpen)
    #expect(try db.content == content)
    #expect(try folder.content == ["app.db", "empty.db", "none.db"])
  }

  @Test func `a read-only connection can be backed up but not restored`() throws {
    try db.backup(to: folder.file("b.db"))
    let reader = try Connection(path: folder.file(), readOnly: true)
    try reader.backup(to: folder.file("c.db"))
    #expect(try read("c.db") == db.content)
    #expect(failure { try reader.restore(from: folder.file("b.db")) }?.code == .readOnly)
  }

  @Test func `a backup does not inherit the connection's journal mode or deletion on close`() throws
  {
    var configuration = Configuration()
    configuration.deletesFileOnClose = true
    configuration.journalMode = .wal
    let temporary = try Connection(path: folder.file("t.db"), configuration: configuration)
    try temporary.fill(rows: 10)
    try temporary.backup(to: folder.file("b.db"))
    try temporary.close()
    #expect(try folder.content == ["app.db", "b.db"])
    #expect(try Connection(path: folder.file("b.db")).integers("SELECT count(*) FROM t") == [10])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.encryption)))
  func `a backup of an encrypted database is encrypted with the same key`() throws {
    var configuration = Configuration()
    configuration.encryptionKey = try EncryptionKey(passphrase: "secret")
    let secret = try Connection(path: folder.file("s.db"), configuration: configuration)
    try secret.fill(rows: 50)
    try secret.backup(to: folder.file("b.db"))
    #expect(try !folder.bytes("b.db").starts(with: "SQLite format 3".utf8))
    let copy = try Connection(path: folder.file("b.db"), configuration: configuration)
    #expect(try copy.content == secret.content)
    try secret.execute(sql: "DELETE FROM t")
    try secret.restore(from: folder.file("b.db"))
    #expect(try copy.content == secret.content)
    // SQLCipher refuses to copy an encrypted database to an unencrypted one.
    #expect(failure { try secret.backup(to: Connection(path: folder.file("p.db"))) } != nil)
    #expect(failure { try secret.backup(to: folder.file(), overwriting: true) } != nil)
    #expect(try db.integers("SELECT count(*) FROM t") == [100])
  }
}

@Suite(.tags(.storage)) struct `VACUUM INTO` {
  @Test func `VACUUM INTO copies all rows of one database and omits its free pages`() throws {
    let folder = try TestFolder()
    let db = try Connection(path: folder.file())
    try db.fill(rows: 500)
    try db.execute(sql: "DELETE FROM t WHERE a % 2")
    try db.vacuum(into: folder.file("file:b?x"))
    let copy = try Connection(path: folder.file("file:b?x"))
    #expect(try copy.content == db.content)
    #expect(try folder.bytes("file:b?x").count < folder.bytes().count)
    try db.attach(path: ":memory:", as: "a \"b\"")
    try db.execute(sql: "CREATE TABLE \"a \"\"b\"\"\".u(x)")
    try db.vacuum(into: folder.file("c.db"), database: "a \"b\"")
    #expect(
      try Connection(path: folder.file("c.db")).column("SELECT name FROM sqlite_schema") == ["u"])
  }

  @Test
  func `VACUUM INTO throws for a nonempty target, an unknown database or an open transaction`()
    throws
  {
    let folder = try TestFolder()
    let db = try Connection(path: folder.file())
    try db.fill(rows: 5)
    let before = try folder.bytes()
    #expect(failure { try db.vacuum(into: folder.file()) }?.code == .error)
    #expect(try folder.bytes() == before)
    #expect(failure { try db.vacuum(into: folder.file("b"), database: "x") }?.code == .range)
    try db.transaction { db, _ in
      #expect(failure { try db.vacuum(into: folder.file("b")) }?.code == .error)
    }
    #expect(try folder.content == ["app.db"])
    try Connection(path: folder.file(), readOnly: true).vacuum(into: folder.file("b"))
    #expect(try folder.content == ["app.db", "b"])
  }

  @Test func `a VACUUM INTO that fails midway leaves no file`() throws {
    let folder = try TestFolder()
    let db = try Connection(path: folder.file())
    try db.fill(rows: 500)
    var hasFile = false
    let token = try db.onProgress(every: 100) {
      hasFile = try folder.content.contains("b.db")
      if hasFile { throw ForeignError("enough") }
    }
    #expect(throws: ForeignError("enough")) { try db.vacuum(into: folder.file("b.db")) }
    #expect(hasFile)
    #expect(try folder.content == ["app.db"])
    token.cancel()
    try db.vacuum(into: folder.file("b.db"))
    let before = try folder.bytes("b.db")
    #expect(failure { try db.vacuum(into: folder.file("b.db")) }?.code == .error)
    #expect(try folder.bytes("b.db") == before)
  }
}
