import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `serialization without library support` {
  @Test(.enabled(if: !SQLiteLibrary.has(.serialization)))
  func `serialization throws notFound if SQLite does not support it`() throws {
    let db = try Connection()
    #expect(failure { try db.serialize() }?.code == .notFound)
    #expect(failure { try db.withSerialized { $0.count } }?.code == .notFound)
    #expect(failure { try db.deserialize([]) }?.code == .notFound)
  }
}

@Suite(.tags(.storage), .enabled(if: SQLiteLibrary.has(.serialization)))
struct `serialized databases` {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.fill(rows: 300)
  }

  @Test func `serialize returns the bytes of the database file`() throws {
    let folder = try TestFolder()
    let file = try Connection(path: folder.file())
    try file.fill(rows: 100)
    #expect(try file.serialize() == folder.bytes())
    #expect(try file.withSerialized { $0.count } == folder.bytes().count)
  }

  @Test func `a deserialized database has the same content and is writable`() throws {
    let copy = try Connection()
    try copy.execute(sql: "CREATE TABLE old(x)")
    try copy.deserialize(db.serialize())
    #expect(try copy.content == db.content)
    try copy.execute(sql: "INSERT INTO t SELECT * FROM t; DELETE FROM t WHERE a < 5")
    #expect(try copy.value("PRAGMA integrity_check") == "ok")
    #expect(try db.integers("SELECT count(*) FROM t") == [300])
  }

  @Test func `an attached database is serialized and deserialized by its name`() throws {
    try db.attach(path: ":memory:", as: "it's")
    try db.execute(sql: "CREATE TABLE \"it's\".u(x); INSERT INTO \"it's\".u VALUES (7)")
    let bytes = try db.serialize(database: "it's")
    let other = try Connection()
    try other.attach(path: ":memory:", as: "b")
    try other.deserialize(bytes, database: "b")
    #expect(try other.integers("SELECT x FROM b.u") == [7])
    #expect(try other.integers("SELECT count(*) FROM main.sqlite_schema") == [0])
    for name in ["none", ""] {
      #expect(failure { try db.serialize(database: name) }?.code == .range)
      #expect(failure { try db.deserialize([], database: name) }?.code == .range)
    }
    #expect(failure { try db.serialize(database: "main\0") }?.code == .misuse)
    #expect(failure { try db.deserialize(bytes, database: "temp") }?.code == .error)
    try db.execute(sql: "CREATE TEMP TABLE v(x)")
    #expect(try db.serialize(database: "temp").starts(with: "SQLite format 3\0".utf8))
  }

  @Test func `a new database can be serialized and restored, and empty bytes give a new database`()
    throws
  {
    // Newer versions of SQLite serialize a new database as one page.
    let new = try Connection().serialize()
    try db.deserialize(new)
    #expect(try db.integers("SELECT count(*) FROM sqlite_schema") == [0])
    #expect(new.isEmpty != SQLiteVersion.newDatabaseHasPage)
    try db.deserialize([])
    #expect(try db.integers("SELECT count(*) FROM sqlite_schema") == [0])
    try db.execute(sql: "CREATE TABLE fresh(x); INSERT INTO fresh VALUES (1)")
    #expect(try db.integers("SELECT x FROM fresh") == [1])
  }

  @Test func `a WAL database is serialized in full and deserialized without WAL mode`() throws {
    let folder = try TestFolder()
    let wal = try Connection(path: folder.file(), configuration: .impatientWAL)
    try wal.fill(rows: 20)
    let bytes = try wal.serialize()
    let copy = try Connection()
    try copy.deserialize(bytes)
    #expect(try copy.content == wal.content)
    #expect(try copy.value("PRAGMA journal_mode") != "wal")
    try copy.execute(sql: "DELETE FROM t")
  }

  @Test func `deserializing over a database file does not change the file`() throws {
    let folder = try TestFolder()
    let file = try Connection(path: folder.file())
    try file.fill(rows: 10)
    let before = try folder.bytes()
    try file.deserialize(db.serialize())
    try file.execute(sql: "DELETE FROM t")
    try file.close()
    #expect(try folder.bytes() == before)
    #expect(try folder.content == ["app.db"])
  }

  @Test func `deserializing bytes that are not a database, or reading the result, throws`() throws {
    let content = try db.content
    for bytes in [[7], Array("SQLite format 3".utf8), [UInt8](repeating: 0, count: 4096)] {
      #expect(failure { try db.deserialize(bytes) }?.code == .notADatabase)
    }
    #expect(try db.content == content)
    var damaged = try db.serialize()
    for index in 16..<damaged.count { damaged[index] = 7 }
    for bytes in [damaged, Array("SQLite format 3\0".utf8)] {
      let other = try Connection()
      try other.deserialize(bytes)
      #expect(failure { try other.content }?.code.primary == .notADatabase)
      do {
        try other.deserialize([])
        try other.execute(sql: "CREATE TABLE fresh(x)")
      } catch SQLiteError.notADatabase {
        // Newer versions of SQLite read the existing database before they replace it.
        #expect(SQLiteVersion.deserializeReads)
      }
    }
  }

  @Test func `a deserialized database can be read-only or limited in size`() throws {
    let bytes = try db.serialize()
    let grow = "INSERT INTO t SELECT * FROM t"
    let copy = try Connection()
    try copy.deserialize(bytes, readOnly: true)
    #expect(failure { try copy.execute(sql: "DELETE FROM t") }?.code.primary == .readOnly)
    try copy.deserialize(bytes, isResizable: false)
    #expect(failure { try copy.execute(sql: grow) }?.code == .full)
    try copy.execute(sql: "UPDATE t SET a = 0")
    #expect(failure { try copy.deserialize(bytes, sizeLimit: bytes.count - 1) }?.code == .tooBig)
    #expect(failure { try copy.deserialize(bytes, sizeLimit: -1) }?.code == .tooBig)
    try copy.deserialize(bytes, sizeLimit: bytes.count + 8192)
    #expect(failure { try copy.execute(sql: grow) }?.code == .full)
    try copy.execute(sql: "INSERT INTO t VALUES (1, zeroblob(4000))")
    try copy.deserialize(bytes, sizeLimit: .max)
    try copy.execute(sql: grow)
  }

  @Test func `a statement prepared before deserialization uses the new schema`() throws {
    let one = try Connection()
    try one.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
    let two = try Connection()
    try two.execute(
      sql: "CREATE TABLE x(p); CREATE TABLE t(b, a, c); INSERT INTO t VALUES (20, 10, 30)")
    try two.execute(sql: "PRAGMA schema_version = 1; INSERT INTO x VALUES (99)")
    #expect(try one.value("PRAGMA schema_version") == 1)
    let statement = try one.prepare(sql: "SELECT * FROM t")
    let insert = try one.prepare(sql: "INSERT INTO t(a) VALUES (?)")
    #expect(try one.column("SELECT a FROM t") == [1])
    #expect(try statement.first(.values)?.count == 2)
    try one.deserialize(two.serialize())
    #expect(try one.column("SELECT a FROM t") == [10])
    #expect(try statement.first(.values)?.count == 3)
    try insert.bind(11).execute()
    #expect(try one.column("SELECT a FROM t") == [10, 11])
    #expect(try one.option(.stableQueryPlans) == false)
  }

  @Test func `deserialize throws while the database is in use`() throws {
    let bytes = try db.serialize()
    let statement = try db.prepare(sql: "SELECT a FROM t")
    let hasRow = try statement.step() != nil
    #expect(hasRow)
    #expect(failure { try db.deserialize(bytes) }?.code == .busy)
    try statement.reset()
    let blob = try db.openBlob(table: "t", column: "b", rowid: 1)
    #expect(failure { try db.deserialize(bytes) }?.code == .busy)
    try blob.close()
    let backup = try Backup(of: db, to: Connection())
    #expect(failure { try db.deserialize(bytes) }?.code == .busy)
    try backup.cancel()
    try db.transaction { db, _ in
      #expect(failure { try db.deserialize(bytes) }?.code == .misuse)
    }
    try db.addFunction("f", arity: 0) { [unowned db] _ in
      #expect(failure { try db.deserialize(bytes) }?.code == .misuse)
      return .integer(Int64(try db.serialize().count))
    }
    #expect(try db.integers("SELECT f()") == [bytes.count])
    try db.deserialize(bytes)
  }

  @Test func `the closure of withSerialized cannot use the connection`() throws {
    try db.deserialize(db.serialize())
    let statement = try db.prepare(sql: "SELECT a FROM t")
    let hasRow = try statement.step() != nil
    #expect(hasRow)
    try db.withSerialized { bytes in
      #expect(bytes.count > 30_000 && bytes[0] == UInt8(ascii: "S"))
      for _ in 0..<2 {
        #expect(failure { try db.execute(sql: "DELETE FROM t") }?.code == .misuse)
        #expect(failure { try statement.step() != nil }?.code == .misuse)
        #expect(failure { try db.deserialize([]) }?.code == .misuse)
        #expect(failure { try db.serialize() }?.code == .misuse)
        #expect(failure { try db.restore(from: "x") }?.code == .misuse)
        #expect(failure { try db.close() }?.code == .misuse)
        #expect(failure { try db.openBlob(table: "t", column: "b", rowid: 1) }?.code == .misuse)
        #expect(failure { try db.begin() }?.code == .misuse)
      }
    }
    #expect(throws: ForeignError.self) { try db.withSerialized { _ in throw ForeignError() } }
    let rest = try statement.rows().count
    #expect(rest == 300)
    try db.execute(sql: "DELETE FROM t")
  }

  @Test func `withSerialized inside a write transaction passes a copy, and its closure can write`()
    throws
  {
    try db.deserialize(db.serialize())
    try db.transaction { db, _ in
      try db.execute(sql: "UPDATE t SET a = 1")
      try db.withSerialized { bytes in
        try db.execute(sql: "DELETE FROM t")
        #expect(bytes[0] == UInt8(ascii: "S"))
      }
    }
    #expect(try db.integers("SELECT count(*) FROM t") == [0])
  }

  @Test func `serialize throws busy while another connection has an exclusive lock`() throws {
    let folder = try TestFolder()
    let file = try Connection(path: folder.file(), configuration: .impatient)
    try file.fill(rows: 5)
    let other = try Connection(path: folder.file())
    try other.execute(sql: "BEGIN EXCLUSIVE")
    #expect(failure { try file.serialize() }?.code == .busy)
    try other.rollback()
    #expect(try file.serialize().isEmpty == false)
  }

  @Test func `deserialize throws on the queue of a file but succeeds on an in-memory queue`()
    async throws
  {
    let folder = try TestFolder()
    let bytes = try Connection().serialize()
    let queue = try ConnectionQueue(path: folder.file())
    try await queue.perform { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(
      await awaitedFailure { try await queue.perform { try $0.deserialize(bytes) } }?.code
        == .misuse)
    try await queue.perform { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(try Connection(path: folder.file()).integers("SELECT a FROM t") == [1])
    let memory = try ConnectionQueue()
    try await memory.perform { try $0.deserialize(bytes) }
  }
}
