import SluiceCore
import TestSupport
import Testing

/// Requires an SQLite library that supports encryption: see Tests/OtherSQLite.
@Suite(.enabled(if: SQLiteLibrary.has(.encryption)))
struct `SQLCipher settings` {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private static let salt = [UInt8](1...16)
  static let settings = [
    CipherSettings(compatibility: 1), CipherSettings(compatibility: 2),
    CipherSettings(compatibility: 3), CipherSettings(pageSize: 8192),
    CipherSettings(kdfIterations: 1000),
    CipherSettings(compatibility: 3, pageSize: 2048, kdfIterations: 5000),
  ]
  static let all =
    settings + [
      CipherSettings(), CipherSettings(compatibility: 4),
      CipherSettings(plaintextHeaderSize: 32, salt: salt),
    ]

  private func configuration(_ settings: CipherSettings) throws -> Configuration {
    var configuration = Configuration()
    configuration.encryptionKey = try EncryptionKey(passphrase: "secret", settings: settings)
    return configuration
  }

  private func open(
    _ settings: CipherSettings = CipherSettings(), _ name: String = "app.db"
  ) throws -> Connection {
    try Connection(path: folder.file(name), configuration: configuration(settings))
  }

  @Test(arguments: all)
  func `a file opens with the cipher settings that created the file`(_ settings: CipherSettings)
    throws
  {
    try fill(open(settings))
    #expect(try !String(decoding: folder.bytes(), as: UTF8.self).contains("sentence"))
    #expect(try read(open(settings)) == "a sentence to be found")
  }

  @Test(arguments: settings)
  func `opening a file with other cipher settings throws an error that mentions settings`(
    _ settings: CipherSettings
  ) throws {
    try fill(open(settings))
    let error = failure { try open() }
    #expect(error?.code == .notADatabase)
    #expect(error?.message.contains("settings") == true)
    try fill(open(CipherSettings(), "other.db"))
    #expect(failure { try open(settings, "other.db") }?.code == .notADatabase)
    #expect(try read(open(settings)) == "a sentence to be found")
  }

  @Test func `a file with a plaintext header begins with SQLite's header string`() throws {
    let settings = CipherSettings(plaintextHeaderSize: 32, salt: Self.salt)
    try fill(open(settings))
    #expect(try folder.bytes().starts(with: "SQLite format 3\0".utf8))
    let other = CipherSettings(plaintextHeaderSize: 32, salt: Self.salt.reversed())
    #expect(failure { try open(other) }?.code == .notADatabase)
    var configuration = Configuration()
    configuration.encryptionKey = try EncryptionKey(
      rawKey: Array(1...48), settings: CipherSettings(plaintextHeaderSize: 32))
    let file = folder.file("raw.db")
    try fill(Connection(path: file, configuration: configuration))
    let db = try Connection(path: file, configuration: configuration)
    #expect(try read(db) == "a sentence to be found")
    try db.attach(path: file, as: "same")
    #expect(try read(db, "same.t") == "a sentence to be found")
  }

  @Test(arguments: [
    CipherSettings(compatibility: 0), CipherSettings(compatibility: 99),
    CipherSettings(pageSize: 0), CipherSettings(pageSize: 512), CipherSettings(pageSize: 3000),
    CipherSettings(pageSize: .max),
    CipherSettings(kdfIterations: 0), CipherSettings(kdfIterations: -1),
    CipherSettings(kdfIterations: .max), CipherSettings(plaintextHeaderSize: -16),
    CipherSettings(plaintextHeaderSize: 17), CipherSettings(plaintextHeaderSize: 8192),
    CipherSettings(plaintextHeaderSize: .max), CipherSettings(salt: []),
    CipherSettings(salt: Array(1...17)),
  ])
  func `a key with an invalid cipher setting throws`(_ settings: CipherSettings) throws {
    #expect(failure { try open(settings) }?.code == .range)
    let db = try Connection()
    let key = try EncryptionKey(passphrase: "secret", settings: settings)
    let path = folder.file("new.db")
    let code: ResultCode = settings.salt == nil ? .range : .misuse
    if settings.plaintextHeaderSize != 8192 {
      #expect(failure { try db.attach(path: path, as: "a", encryptionKey: key) }?.code == code)
    }
    #expect(failure { try db.export(to: path, encryptionKey: key) }?.code == .range)
    #expect(try db.databases().map(\.name) == ["main"])
  }

  @Test func `a configured page size with a key throws an error that names CipherSettings`() throws
  {
    var configuration = try configuration(CipherSettings())
    configuration.pageSize = 8192
    let error = failure { try Connection(path: folder.file(), configuration: configuration) }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("CipherSettings") == true)
  }

  @Test(arguments: settings)
  func `pool connections and both sides of a backup use the cipher settings`(
    _ settings: CipherSettings
  ) throws {
    var configuration = try configuration(settings)
    configuration.journalMode = .wal
    let copy = folder.file("copy.db")
    let pool = try ConnectionPool(path: folder.file(), configuration: configuration)
    try pool.sync { db in
      try fill(db)
      try db.backup(to: copy)
    }
    #expect(try pool.syncRead { try read($0) } == "a sentence to be found")
    #expect(try read(open(settings, "copy.db")) == "a sentence to be found")
    try pool.sync { db in
      try db.execute(sql: "DELETE FROM t")
      try db.restore(from: copy)
    }
    #expect(try pool.sync { try read($0) } == "a sentence to be found")
  }

  @Test(arguments: all)
  func `changing the key preserves the cipher settings`(_ settings: CipherSettings) throws {
    let db = try open(settings)
    try fill(db)
    let new = try EncryptionKey(passphrase: "new")
    try db.changeEncryptionKey(to: new)
    #expect(
      try db.configuration.encryptionKey == EncryptionKey(passphrase: "new", settings: settings))
    try db.execute(sql: "INSERT INTO t VALUES ('more')")
    try db.close()
    var configuration = Configuration()
    configuration.encryptionKey = try EncryptionKey(passphrase: "new", settings: settings)
    let again = try Connection(path: folder.file(), configuration: configuration)
    #expect(try again.column("SELECT a FROM t") == ["a sentence to be found", "more"])
    #expect(failure { try open(settings) }?.code == .notADatabase)
  }

  @Test func `changing the key preserves cipher settings from the configured pragmas`() throws {
    var configuration = try configuration(CipherSettings())
    configuration.pragmas = ["cipher_hmac_algorithm": "HMAC_SHA256", "KDF_ITER": 1000]
    let db = try Connection(path: folder.file(), configuration: configuration)
    try fill(db)
    configuration.encryptionKey = try EncryptionKey(passphrase: "new")
    try db.changeEncryptionKey(to: EncryptionKey(passphrase: "new"))
    try db.close()
    let again = try Connection(path: folder.file(), configuration: configuration)
    #expect(try read(again) == "a sentence to be found")
  }

  @Test func `changing to a key with other settings throws and leaves the file unchanged`() throws {
    let db = try open(CipherSettings(compatibility: 3))
    try fill(db)
    let bytes = try folder.bytes()
    let new = try EncryptionKey(passphrase: "new", settings: CipherSettings(compatibility: 4))
    #expect(failure { try db.changeEncryptionKey(to: new) }?.code == .misuse)
    #expect(try folder.bytes() == bytes)
  }

  @Test(arguments: settings)
  func `a new or existing attached file uses the cipher settings of its key`(
    _ settings: CipherSettings
  )
    throws
  {
    try fill(open(settings, "other.db"))
    let key = try EncryptionKey(passphrase: "secret", settings: settings)
    for db in [try Connection(), try open(), try open(settings, "main.db")] {
      try db.attach(path: folder.file("other.db"), as: "other", encryptionKey: key)
      #expect(try read(db, "other.t") == "a sentence to be found")
      try db.attach(path: folder.file("new.db"), as: "new", encryptionKey: key)
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS new.t AS SELECT a FROM other.t")
      let wrong = try EncryptionKey(passphrase: "wrong", settings: settings)
      let error = failure {
        try db.attach(path: folder.file("other.db"), as: "wrong", encryptionKey: wrong)
      }
      #expect(error?.code == .notADatabase)
      #expect(error?.message.contains("settings") == true)
    }
    // Attaching must not have changed the defaults.
    try fill(open(CipherSettings(), "default.db"))
    #expect(
      try read(open(CipherSettings(compatibility: 4), "default.db")) == "a sentence to be found")
    #expect(try read(open(settings, "new.db")) == "a sentence to be found")
    let db = try open(settings, "main.db")
    try db.attach(path: folder.file("other.db"), as: "other")
    #expect(try read(db, "other.t") == "a sentence to be found")
  }

  @Test func `opening an encrypted connection during an ATTACH with settings throws misuse`() throws
  {
    try fill(open(CipherSettings(compatibility: 3), "old.db"))
    let key = try EncryptionKey(
      passphrase: "secret", settings: CipherSettings(compatibility: 3))
    let locker = try Connection(
      path: folder.file("old.db"), configuration: configuration(CipherSettings(compatibility: 3)))
    try locker.execute(sql: "PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE")
    let db = try Connection()
    var error: SQLiteError?
    try db.setBusyHandler { _ in
      error = failure { try open(CipherSettings(), "new.db") }
      return false
    }
    let attached = failure {
      try db.attach(path: folder.file("old.db"), as: "old", encryptionKey: key)
    }
    #expect(attached?.code.primary == .busy)
    #expect(error?.code == .misuse)
    try locker.rollback()
    try fill(open(CipherSettings(), "new.db"))
  }
}

private func fill(_ db: Connection) throws {
  try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('a sentence to be found')")
}

private func read(_ db: Connection, _ table: String = "t") throws -> DatabaseValue {
  try db.value("SELECT a FROM \(table)")
}
