import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `dry runs` {
  private let folder: TestFolder
  private let file: URL

  init() throws {
    folder = try TestFolder()
    file = folder.url.appending(path: "it's ü.db")
  }

  @Test func `a dry run reports the steps and the schema, and leaves the file unchanged`() throws {
    let db = try Connection(url: file)
    let migrator = try Migrator(
      People.all + [Migration(4, sql: "CREATE INDEX by_name ON person(name)")])
    try migrator.migrate(db, upTo: 2)
    let before = try Data(contentsOf: file)
    let dryRun = try migrator.dryRun(on: db)
    #expect(dryRun.steps.map(\.number) == [3, 4])
    #expect(dryRun.schema.map(\.name) == ["person", "by_name"])
    #expect(dryRun.schema.map(\.kind) == [.table, .index])
    #expect(try migrator.dryRun(on: db, upTo: 3).steps.map(\.number) == [3])
    #expect(try migrator.dryRun(on: db, upTo: 3).schema.map(\.description) == ["table \"person\""])
    try db.close()
    #expect(try Data(contentsOf: file) == before)
    #expect(try folder.content == [file.lastPathComponent])
  }

  @Test func `a dry run migrates a copy with the content of the database`() throws {
    let db = try Connection(url: file)
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (1)")
    let migrator = try Migrator([
      Migration(1, sql: "UPDATE t SET a = 2"), Migration(2, sql: "CREATE UNIQUE INDEX i ON t(a)"),
    ])
    #expect(failure { try migrator.dryRun(on: db) }?.code == .constraintUnique)
    #expect(try db.column("SELECT a FROM t") == [1, 1])
    #expect(try db.schema == ["t"])
    #expect(try db.userVersion == 0)
  }

  @Test func `in-memory and read-only databases support dry runs`() throws {
    let migrator = try Migrator(People.all)
    let memory = try Connection()
    #expect(try migrator.dryRun(on: memory).steps.count == 3)
    #expect(try memory.schema.isEmpty)
    var configuration = Configuration()
    configuration.journalMode = .wal
    let writer = try Connection(url: file, configuration: configuration)
    try migrator.migrate(writer, upTo: 1)
    let reader = try Connection(url: file, readOnly: true)
    #expect(try migrator.dryRun(on: reader).steps.map(\.number) == [2, 3])
    #expect(try writer.column("PRAGMA journal_mode") == ["wal"])
  }

  @Test func `a connection that is configured as read-only supports dry runs and drift checks`()
    throws
  {
    let migrator = try Migrator(People.all)
    let writer = try Connection(url: file)
    try migrator.migrate(writer, upTo: 1)
    try writer.close()
    let before = try Data(contentsOf: file)
    var configuration = Configuration()
    configuration.readOnly = true
    let reader = try Connection(url: file, configuration: configuration)
    #expect(try migrator.dryRun(on: reader).steps.map(\.number) == [2, 3])
    #expect(try migrator.drift(on: reader).isEmpty)
    try reader.close()
    #expect(try Data(contentsOf: file) == before)
    #expect(try folder.content == [file.lastPathComponent])
  }

  @Test func `the copy for a dry run has the functions and collations of the preparation closure`()
    throws
  {
    let db = try Connection()
    let migrations = [
      Migration(1, sql: "CREATE TABLE t(a COLLATE mine); INSERT INTO t VALUES (half(4))")
    ]
    #expect(failure { try Migrator(migrations).dryRun(on: db) }?.code.primary == .error)
    let migrator = try Migrator(migrations) { copy in
      try copy.addFunction("half") { (x: Int) in x / 2 }
      try copy.addCollation("mine") { (a: String, b: String) in SQLOrder(a, b) }
    }
    #expect(try migrator.dryRun(on: db).steps.count == 1)
    try db.addFunction("half") { (x: Int) in x / 2 }
    try db.addCollation("mine") { (a: String, b: String) in SQLOrder(a, b) }
    try migrator.migrate(db)
    #expect(try migrator.drift(on: db).isEmpty)
  }

  @Test func `a dry run checks foreign keys if the connection enforces them`() throws {
    let migrator = try Migrator([
      Migration(
        1,
        sql: """
          CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(a REFERENCES a);
          INSERT INTO b VALUES (1)
          """)
    ])
    let db = try Connection()
    #expect(failure { try migrator.dryRun(on: db) }?.code == .constraintForeignKey)
    try db.setOption(.foreignKeys, false)
    #expect(try migrator.dryRun(on: db).steps.count == 1)
  }

  @Test func `a migration that attaches a file makes dry runs and drift checks throw`()
    throws
  {
    let other = folder.url.appending(path: "other.db")
    let migrator = try Migrator([
      Migration(1, sql: "ATTACH ':memory:' AS empty; CREATE TABLE empty.t(a)"),
      Migration(2) { try $0.execute("ATTACH \(other.path) AS other") },
    ])
    let db = try Connection()
    #expect(try migrator.dryRun(on: db, upTo: 1).steps.count == 1)
    #expect(failure { try migrator.dryRun(on: db) }?.code == .misuse)
    try migrator.migrate(db)
    try db.execute(sql: "CREATE TABLE other.t(a)")
    let before = try Data(contentsOf: other)
    #expect(failure { try migrator.drift(on: db) }?.code == .misuse)
    #expect(try Data(contentsOf: other) == before)
  }

  @Test func `a statement that is on a row does not prevent a dry run`() throws {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    let standing = try db.prepare(sql: "SELECT a FROM t")
    let hasRow = try standing.step() != nil
    #expect(hasRow)
    #expect(try Migrator(People.all).dryRun(on: db).steps.count == 3)
    #expect(try standing.step()?.get(.int, at: 0) == 2)
  }

  // `VACUUM INTO` fails here: SQLite omits the CHECK from a schema that it can only read.
  @Test(arguments: [Configuration(), .untrusted])
  func `a dry run on a read-only connection copies a table with a CHECK and a generated column`(
    _ configuration: Configuration
  ) throws {
    let migrator = try Migrator([
      Migration(
        1, sql: "CREATE TABLE doc(body TEXT CHECK (length(body) > 0), n AS (body || 'x'))"),
      Migration(2, sql: "ALTER TABLE doc ADD COLUMN b"),
    ])
    let db = try Connection(url: file)
    try migrator.migrate(db, upTo: 1)
    try db.execute(sql: "INSERT INTO doc(body) VALUES ('a')")
    var reading = configuration
    reading.readOnly = true
    let reader = try Connection(url: file, configuration: reading)
    #expect(try migrator.dryRun(on: reader).steps.map(\.number) == [2])
  }
}
