import SluiceCore
import TestSupport
import Testing

/// Requires an SQLite library that supports encryption: see Tests/OtherSQLite.
@Suite(.tags(.library), .enabled(if: SQLiteLibrary.has(.encryption)))
struct `encrypted databases` {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private func configuration(
    _ passphrase: String? = "secret", journalMode: Configuration.JournalMode? = nil
  ) throws -> Configuration {
    var configuration = Configuration()
    configuration.journalMode = journalMode
    if let passphrase { configuration.encryptionKey = try EncryptionKey(passphrase: passphrase) }
    return configuration
  }

  private func open(_ passphrase: String?, _ name: String = "app.db") throws -> Connection {
    try Connection(path: folder.file(name), configuration: configuration(passphrase))
  }

  @Test func `an encrypted database is readable only with its key`() throws {
    try fill(open("secret"))
    let bytes = try folder.bytes()
    #expect(!bytes.starts(with: "SQLite format 3".utf8))
    #expect(!String(decoding: bytes, as: UTF8.self).contains("sentence"))

    #expect(try read(open("secret")) == "a sentence to be found")
    for wrong in ["Secret", "secret ", "x"] {
      #expect(failure { try open(wrong) }?.code == .notADatabase)
    }
    #expect(failure { try read(open(nil)) }?.code == .notADatabase)
    #expect(try folder.bytes() == bytes)
  }

  @Test func `opening an unencrypted file with a key throws and leaves the file unchanged`() throws
  {
    try fill(open(nil))
    let bytes = try folder.bytes()
    #expect(failure { try open("secret") }?.code == .notADatabase)
    #expect(try folder.bytes() == bytes)
  }

  @Test(arguments: [32, 48])
  func `a file encrypted with a raw key opens only with the same raw key`(count: Int) throws {
    var configuration = Configuration()
    configuration.encryptionKey = try EncryptionKey(rawKey: (1...UInt8(count)).reversed())
    try fill(Connection(path: folder.file(), configuration: configuration))
    #expect(
      try read(Connection(path: folder.file(), configuration: configuration))
        == "a sentence to be found")
    configuration.encryptionKey = try EncryptionKey(rawKey: Array(1...UInt8(count)))
    #expect(
      failure { try Connection(path: folder.file(), configuration: configuration) }?.code
        == .notADatabase)
  }

  @Test func `queues use the configured key, and a read queue uses its write queue's key`() throws {
    let configuration = try configuration(journalMode: .wal)
    let queue = try ConnectionQueue(path: folder.file(), configuration: configuration)
    try queue.sync { try fill($0) }
    let wal = try folder.bytes("app.db-wal")
    #expect(!String(decoding: wal, as: UTF8.self).contains("sentence"))
    for reader in [
      try ConnectionReadQueue(writeQueue: queue),
      try ConnectionReadQueue(path: folder.file(), configuration: configuration),
    ] {
      #expect(try reader.sync { try read($0) } == "a sentence to be found")
    }
    #expect(failure { try ConnectionReadQueue(path: folder.file()).sync { try read($0) } } != nil)
    let wrong = try self.configuration("wrong")
    #expect(
      failure { try ConnectionReadQueue(path: folder.file(), configuration: wrong) }?.code
        == .notADatabase)
    #expect(
      failure { try ConnectionQueue(path: folder.file(), configuration: wrong) }?.code
        == .notADatabase)
  }

  @Test func `an attached database uses the connection's key or its own`() throws {
    try fill(open("secret", "same.db"))
    try fill(open("another", "other.db"))
    let db = try open("secret")
    try db.attach(path: folder.file("same.db"), as: "same")
    try db.attach(
      path: folder.file("other.db"), as: "other",
      encryptionKey: EncryptionKey(passphrase: "another"))
    #expect(try db.value("SELECT count(*) FROM same.t, other.t") == 1)
    #expect(
      failure { try db.attach(path: folder.file("other.db"), as: "wrong") }?.code == .notADatabase)
    #expect(try db.databases().map(\.name) == ["main", "same", "other"])

    try db.attach(path: folder.file("new.db"), as: "new")
    try db.execute(sql: "CREATE TABLE new.t AS SELECT * FROM same.t")
    try db.close()
    #expect(try read(open("secret", "new.db")) == "a sentence to be found")
  }

  @Test
  func `a connection without a key can attach an encrypted database with that database's key`()
    throws
  {
    try fill(open("secret"))
    let db = try Connection()
    #expect(failure { try db.attach(path: folder.file(), as: "b") }?.code == .notADatabase)
    try db.attach(
      path: folder.file(), as: "b", readOnly: true,
      encryptionKey: EncryptionKey(passphrase: "secret"))
    #expect(try db.value("SELECT a FROM b.t") == "a sentence to be found")
  }

  @Test(arguments: [Configuration.JournalMode.delete, .wal])
  func `changing the key replaces the old key`(mode: Configuration.JournalMode) throws {
    let db = try Connection(path: folder.file(), configuration: configuration(journalMode: mode))
    try fill(db)
    let new = try EncryptionKey(passphrase: "new")
    try db.changeEncryptionKey(to: new)
    #expect(db.configuration.encryptionKey == new)
    try db.execute(sql: "INSERT INTO t VALUES ('more')")
    try db.close()
    #expect(try open("new").value("SELECT count(*) FROM t") == 2)
    #expect(try open("new").value("PRAGMA integrity_check") == "ok")
    #expect(failure { try open("secret") }?.code == .notADatabase)
  }

  @Test(arguments: [Configuration.JournalMode.delete, .wal])
  func `changing the key during another connection's write throws busy and loses no data`(
    mode: Configuration.JournalMode
  ) throws {
    var impatient = try configuration(journalMode: mode)
    impatient.busyTimeout = .zero
    let db = try Connection(path: folder.file(), configuration: impatient)
    try fill(db)
    let other = try open("secret")
    try other.begin(.immediate)
    try other.execute(sql: "INSERT INTO t VALUES ('theirs')")
    let new = try EncryptionKey(passphrase: "new")
    #expect(failure { try db.changeEncryptionKey(to: new) }?.code == .busy)
    #expect(db.configuration.encryptionKey == impatient.encryptionKey)
    try other.commit()
    try db.execute(sql: "INSERT INTO t VALUES ('ours')")
    try db.close()
    try other.close()
    #expect(try open("secret").value("SELECT count(*) FROM t") == 3)
    #expect(try open("secret").value("PRAGMA integrity_check") == "ok")
  }

  @Test func `changing the key during another connection's read throws busy and loses no data`()
    throws
  {
    var impatient = try configuration(journalMode: .delete)
    impatient.busyTimeout = .zero
    let db = try Connection(path: folder.file(), configuration: impatient)
    try fill(db)
    let other = try open("secret")
    let statement = try other.prepare(sql: "SELECT a FROM t")
    let isAtRow = try statement.step() != nil
    #expect(isAtRow)
    let new = try EncryptionKey(passphrase: "new")
    #expect(failure { try db.changeEncryptionKey(to: new) }?.code == .busy)
    try statement.reset()
    try db.execute(sql: "INSERT INTO t VALUES ('ours')")
    try db.close()
    try other.close()
    #expect(try open("secret").value("SELECT count(*) FROM t") == 2)
    #expect(try open("secret").value("PRAGMA integrity_check") == "ok")
  }

  @Test func `changing the key throws in a transaction, during a statement and on a plain file`()
    throws
  {
    let new = try EncryptionKey(passphrase: "new")
    let db = try open("secret")
    try fill(db)
    try db.transaction { db, _ in
      #expect(failure { try db.changeEncryptionKey(to: new) }?.code == .misuse)
    }
    let statement = try db.prepare(sql: "SELECT a FROM t")
    let isAtRow = try statement.step() != nil
    #expect(isAtRow)
    #expect(failure { try db.changeEncryptionKey(to: new) }?.code == .misuse)
    try statement.reset()
    try db.addFunction("change", arity: 0) { [unowned db] _ in
      try db.changeEncryptionKey(to: new)
      return .null
    }
    #expect(failure { try db.execute(sql: "SELECT change()") }?.code == .misuse)
    try db.close()
    #expect(failure { try db.changeEncryptionKey(to: new) }?.code == .misuse)
    #expect(try read(open("secret")) == "a sentence to be found")
    try fill(open(nil, "plain.db"))
    #expect(failure { try open(nil, "plain.db").changeEncryptionKey(to: new) }?.code == .misuse)
    #expect(try read(open(nil, "plain.db")) == "a sentence to be found")
  }

  @Test func `the key of an in-memory or temporary database can be changed`() throws {
    for db in [
      try Connection(configuration: configuration()),
      try Connection.temporary(configuration: configuration()),
    ] {
      try fill(db)
      try db.changeEncryptionKey(to: EncryptionKey(passphrase: "new"))
      #expect(try read(db) == "a sentence to be found")
    }
  }

  @Test func `changing the key on a read-only connection throws and leaves the file unchanged`()
    throws
  {
    try fill(open("secret"))
    let bytes = try folder.bytes()
    let db = try Connection(path: folder.file(), readOnly: true, configuration: configuration())
    let new = try EncryptionKey(passphrase: "new")
    #expect(failure { try db.changeEncryptionKey(to: new) }?.code == .readOnly)
    #expect(try read(db) == "a sentence to be found")
    #expect(try folder.bytes() == bytes)
  }
}

private func fill(_ db: Connection) throws {
  try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('a sentence to be found')")
}

private func read(_ db: Connection) throws -> DatabaseValue { try db.value("SELECT a FROM t") }
