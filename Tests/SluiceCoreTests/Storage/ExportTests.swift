import SluiceCore
import TestSupport
import Testing

/// Requires an SQLite library that supports encryption: see Tests/OtherSQLite.
@Suite(.enabled(if: SQLiteLibrary.has(.encryption)))
struct `exporting encrypted and plain databases` {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private func key(_ settings: CipherSettings = CipherSettings()) throws -> EncryptionKey {
    try EncryptionKey(passphrase: "secret", settings: settings)
  }

  private func open(
    _ name: String, _ key: EncryptionKey? = nil, _ mode: Configuration.JournalMode? = nil
  ) throws -> Connection {
    var configuration = Configuration()
    configuration.encryptionKey = key
    configuration.journalMode = mode
    return try Connection(path: folder.file(name), configuration: configuration)
  }

  private static let script = """
    PRAGMA auto_vacuum = full;
    CREATE TABLE parent(id INTEGER PRIMARY KEY AUTOINCREMENT, a, "b 'c'" GENERATED ALWAYS AS (a || '!') STORED,
      d AS (id * 2));
    CREATE TABLE child(parent REFERENCES parent, x CHECK (x <> 0));
    CREATE TABLE keyed(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    CREATE TABLE log(text);
    CREATE INDEX child_x ON child(x DESC) WHERE x > 1;
    CREATE UNIQUE INDEX keyed_v ON keyed(lower(v));
    CREATE VIEW both AS SELECT * FROM parent JOIN child ON parent.id = child.parent;
    CREATE TRIGGER logs AFTER INSERT ON child BEGIN INSERT INTO log VALUES (new.x); END;
    CREATE VIRTUAL TABLE words USING fts5(text);
    INSERT INTO parent(id, a) VALUES (1, 'a sentence to be found'), (7, 1.5), (8, NULL),
      (9, x'00ff'), (10, -9223372036854775808), (11, '');
    DELETE FROM parent WHERE id = 8;
    INSERT INTO child(rowid, parent, x) VALUES (100, 7, 3), (5, 1, 'text');
    INSERT INTO keyed VALUES ('b', 'B'), ('a', NULL);
    INSERT INTO words VALUES ('a sentence to be found'), ('another one');
    ANALYZE;
    PRAGMA user_version = 42;
    PRAGMA application_id = -7;
    """

  /// Returns the content that a copy must reproduce.
  private func content(_ db: Connection) throws -> [[DatabaseValue]] {
    try Self.queries.map { try db.column($0) }
  }

  private static let queries = [
    "SELECT type || name || tbl_name || ifnull(sql, '') FROM sqlite_schema ORDER BY 1",
    "SELECT rowid || typeof(a) || quote(a) || quote(\"b 'c'\") || d FROM parent ORDER BY rowid",
    "SELECT rowid || quote(parent) || quote(x) FROM child ORDER BY rowid",
    "SELECT quote(k) || quote(v) FROM keyed ORDER BY k", "SELECT rowid || text FROM log",
    "SELECT name || seq FROM sqlite_sequence", "SELECT quote(stat) FROM sqlite_stat1",
    "SELECT rowid || text FROM words WHERE words MATCH 'found OR one' ORDER BY rowid",
    "SELECT quote(x) FROM both ORDER BY 1", "PRAGMA user_version", "PRAGMA application_id",
    "PRAGMA auto_vacuum", "PRAGMA integrity_check", "PRAGMA foreign_key_check",
  ]

  private func showsNothing(_ name: String) throws -> Bool {
    let bytes = try folder.bytes(name)
    let text = String(decoding: bytes, as: UTF8.self)
    return !bytes.starts(with: "SQLite format 3".utf8) && !text.contains("sentence")
      && !text.contains("CREATE")
  }

  @Test(arguments: [
    CipherSettings(), CipherSettings(compatibility: 3), CipherSettings(pageSize: 65_536),
  ])
  func `a plain database can be exported as encrypted, and back as plain`(
    _ settings: CipherSettings
  ) throws {
    let plain = try open("plain.db", nil, .wal)
    try plain.execute(sql: Self.script)
    let content = try content(plain)
    #expect(content[9] == [42] && content[12] == ["ok"])
    try plain.export(to: folder.file("encrypted.db"), encryptionKey: key(settings))
    #expect(try self.content(plain) == content)
    #expect(try !plain.databases().map(\.name).contains("sluice_export"))
    #expect(try showsNothing("encrypted.db"))

    let encrypted = try open("encrypted.db", key(settings), .wal)
    #expect(try self.content(encrypted) == content)
    try encrypted.execute(sql: "INSERT INTO child VALUES (1, 'another sentence')")
    #expect(try showsNothing("encrypted.db-wal"))

    try encrypted.export(to: folder.file("again.db"), encryptionKey: nil)
    #expect(try folder.bytes("again.db").starts(with: "SQLite format 3\0".utf8))
    #expect(try self.content(open("again.db")) == self.content(encrypted))
  }

  @Test func `an export converts a SQLCipher 3 file to the format of the linked version`() throws {
    let old = try key(CipherSettings(compatibility: 3))
    let db = try open("old.db", old)
    try db.execute(sql: Self.script)
    try db.export(to: folder.file("new.db"), encryptionKey: key())
    #expect(try content(open("new.db", key())) == content(db))
    #expect(failure { try open("new.db", old) }?.code == .notADatabase)
  }

  @Test func `an export uses the plaintext header and the salt of its key`() throws {
    let db = try Connection()
    try db.execute(sql: Self.script)
    let key = try key(CipherSettings(plaintextHeaderSize: 32, salt: Array(1...16)))
    try db.export(to: folder.file("new.db"), encryptionKey: key)
    #expect(try folder.bytes("new.db").starts(with: "SQLite format 3\0".utf8))
    #expect(try content(open("new.db", key)) == content(db))
  }

  @Test func `an attached database is exported by its schema name`() throws {
    let db = try Connection()
    try db.attach(path: ":memory:", as: "a \"b\"")
    try db.execute(sql: #"CREATE TABLE "a ""b""".u(x); PRAGMA "a ""b""".user_version = 3"#)
    try db.export(to: folder.file("new.db"), encryptionKey: key(), database: "a \"b\"")
    let copy = try open("new.db", key())
    #expect(try copy.column("SELECT name FROM sqlite_schema") == ["u"])
    #expect(try copy.userVersion == 3)
    let error = failure {
      try db.export(to: folder.file("no.db"), encryptionKey: key(), database: "none")
    }
    #expect(error?.code == .range)
    #expect(try folder.content == ["new.db"])
  }

  @Test func `exporting to a file that is not empty throws and leaves the file unchanged`() throws {
    let db = try Connection()
    try db.execute(sql: Self.script)
    try open("plain.db").execute(sql: "CREATE TABLE t(a)")
    try open("encrypted.db", key()).execute(sql: "CREATE TABLE t(a)")
    for name in ["plain.db", "encrypted.db"] {
      let bytes = try folder.bytes(name)
      let errors = try [nil, key()].map { key in
        failure { try db.export(to: folder.file(name), encryptionKey: key) }?.code
      }
      #expect(Set(errors) == [.cantOpen, .notADatabase])
      #expect(try folder.bytes(name) == bytes)
    }
    #expect(failure { try db.export(to: ":memory:", encryptionKey: key()) }?.code == .cantOpen)
    #expect(failure { try db.export(to: "", encryptionKey: key()) }?.code == .cantOpen)
    try folder.write([], to: "empty.db")
    try db.export(to: folder.file("empty.db"), encryptionKey: key())
    #expect(try content(open("empty.db", key())) == content(db))
  }

  @Test func `a failed export leaves no file and can be retried`() throws {
    let db = try Connection()
    let lower = { (text: String) in text.lowercased() }
    try db.addFunction("small", options: [.deterministic, .usableInSchema], lower)
    try db.execute(sql: Self.script)
    try db.execute(sql: "CREATE INDEX small ON keyed(small(k))")
    try db.removeFunction("small", arity: 1)
    for key in [nil, try key()] {
      let error = failure { try db.export(to: folder.file("new.db"), encryptionKey: key) }
      #expect(error?.message.contains("small") == true)
      #expect(try folder.content.isEmpty)
    }
    #expect(try db.databases().map(\.name) == ["main"])
    #expect(db.isInAutocommit)
    try db.addFunction("small", options: [.deterministic, .usableInSchema], lower)
    try db.export(to: folder.file("new.db"), encryptionKey: key())
    #expect(try folder.content == ["new.db"])
  }

  @Test func `export throws in a transaction, in an SQL function and on a read-only connection`()
    throws
  {
    let path = folder.file("new.db")
    let db = try open("app.db")
    try db.execute(sql: Self.script)
    try db.transaction { db in
      #expect(failure { try db.export(to: path, encryptionKey: nil) }?.code == .misuse)
    }
    try db.addFunction("exports", arity: 0) { [unowned db] _ in
      try db.export(to: path, encryptionKey: nil)
      return .null
    }
    #expect(failure { try db.execute(sql: "SELECT exports()") }?.code == .misuse)
    let reader = try Connection(path: folder.file("app.db"), readOnly: true)
    #expect(failure { try reader.export(to: path, encryptionKey: key()) }?.code == .readOnly)
    #expect(try folder.content == ["app.db"])
  }
}
