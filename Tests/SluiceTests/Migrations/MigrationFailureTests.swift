import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `failing migrations` {
  private let db: Connection

  init() throws { db = try Connection() }

  @Test func `a migration that throws leaves the version and schema of the previous migration`()
    throws
  {
    let migrator = try Migrator([
      People.create,
      Migration(2) { connection in
        try connection.execute(sql: "CREATE TABLE pet(a); INSERT INTO person VALUES (1, 'x')")
        throw ForeignError()
      },
    ])
    #expect(throws: ForeignError()) { try migrator.migrate(db) }
    try expectFirst(migrator, db)
    #expect(throws: ForeignError()) { try migrator.migrate(db) }
    try expectFirst(migrator, db)
    #expect(try Migrator(People.all).migrate(db).applied.count == 2)
  }

  @Test func `a throwing migration in an atomic run leaves no changes of any migration`() throws {
    let migrator = try Migrator([People.create, Migration(2) { _ in throw ForeignError() }])
    #expect(throws: ForeignError()) { try migrator.migrate(db, atomically: true) }
    #expect(try db.schema.isEmpty)
    #expect(try db.userVersion == 0)
  }

  @Test func `the error of a failing migration names the migration and the line`() throws {
    let sql = "CREATE TABLE a(x);\n\nCREATE TABLE b(x)\n;\n  SELEC 1"
    let error = failure { try Migrator([Migration(1, "first", sql: sql)]).migrate(db) }
    #expect(error?.message == "Migration 1 \"first\": line 5: near \"SELEC\": syntax error")
    #expect(error?.sql == "SELEC 1")
    #expect(error?.offset == 0)
    #expect(try db.schema.isEmpty)

    let late = "CREATE TABLE a(x UNIQUE);\nINSERT INTO a VALUES (1);\r\n\nINSERT INTO a VALUES (1);"
    let second = failure { try Migrator([Migration("first", sql: late)]).migrate(db) }
    #expect(second?.code == .constraintUnique)
    #expect(second?.message == "Migration 1 \"first\": line 4: UNIQUE constraint failed: a.x")

    let trigger = """
      -- é
      CREATE TABLE a(x);
      EXPLAIN CREATE TRIGGER b AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END;
      CREATE TRIGGER b AFTER INSERT ON a BEGIN
        SELECT CASE 1 WHEN 1 THEN 2 END; SELECT 3; END
      ; /* ;
      */ INSERT INTO a
      VALUES (1, 2)
      """
    let third = failure { try Migrator([Migration(1, sql: trigger)]).migrate(db) }
    #expect(
      third?.message == "Migration 1: line 7: table a has 1 columns but 2 values were supplied")
    #expect(try db.schema.isEmpty)
  }

  @Test func `a migration that damages the migration record is rolled back`() throws {
    for sql in [
      "DROP TABLE sluice_migration", "INSERT INTO sluice_migration VALUES (2, '', '', 0, '')",
    ] {
      let db = try Connection()
      let migrator = try Migrator([People.create, Migration(2, sql: sql)])
      #expect(failure { try migrator.migrate(db) } != nil)
      try expectFirst(migrator, db)
    }
  }

  @Test func `a migration that fills the disk is rolled back to the previous migration`() throws {
    let folder = try TestFolder()
    let db = try Connection(url: folder.url.appending(path: "a.db"))
    let migrator = try Migrator([
      People.create,
      Migration(2, sql: "CREATE TABLE big(a); INSERT INTO big VALUES (zeroblob(99999))"),
    ])
    try migrator.migrate(db, upTo: 1)
    try db.execute(sql: "PRAGMA max_page_count = 10")
    #expect(failure { try migrator.migrate(db) }?.code == .full)
    try expectFirst(migrator, db)
    try db.execute(sql: "PRAGMA max_page_count = 1000")
    #expect(try migrator.migrate(db).version == 2)
  }

  @Test func `migrating inside a transaction throws misuse`() throws {
    let migrator = try Migrator(People.all)
    try db.begin()
    #expect(failure { try migrator.migrate(db) }?.code == .misuse)
    #expect(failure { try migrator.dryRun(on: db) }?.code == .misuse)
    #expect(try migrator.pending(on: db).count == 3)
    #expect(!db.isInAutocommit)
    try db.rollback()
    try db.transaction { db, _ in
      #expect(failure { try migrator.migrate(db) }?.code == .misuse)
    }
    #expect(try db.schema.isEmpty)
  }

  @Test func `a read-only database can be inspected but not migrated`() throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    let migrator = try Migrator(People.all)
    try migrator.migrate(Connection(url: file), upTo: 1)
    let reader = try Connection(url: file, readOnly: true)
    #expect(try migrator.pending(on: reader).map(\.number) == [2, 3])
    #expect(try migrator.drift(on: reader).isEmpty)
    #expect(try migrator.migrate(reader, upTo: 1).applied.isEmpty)
    #expect(failure { try migrator.migrate(reader) }?.code == .readOnly)
    try expectFirst(migrator, reader)
  }

  @Test func `migrating a busy database throws busy and changes nothing`() throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    let migrator = try Migrator(People.all)
    let writer = try Connection(url: file)
    try migrator.migrate(writer, upTo: 1)
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let other = try Connection(url: file, configuration: configuration)
    try writer.begin(.immediate)
    #expect(failure { try migrator.migrate(other) }?.code == .busy)
    try expectFirst(migrator, other)
    try writer.rollback()
    #expect(try migrator.migrate(other).version == 3)
  }

  @Test func `statements prepared before a migration can run after it`() throws {
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    let kept = try db.prepare(sql: "SELECT * FROM t")
    let cached = { try self.db.query(.values, sql: "SELECT * FROM t") }
    #expect(try cached().count == 2)
    let standing = try db.prepare(sql: "SELECT a FROM t")
    let hasRow = try standing.step() != nil
    #expect(hasRow)
    try Migrator([
      Migration(1, sql: "ALTER TABLE t ADD COLUMN b DEFAULT 7"),
      Migration(2) { connection in
        let left = try connection.prepare(sql: "SELECT * FROM t")
        _ = try left.step()
      },
    ]).migrate(db)
    #expect(try cached().map(\.values) == [[1, 7], [2, 7]])
    #expect(try kept.rows().map(\.values) == [[1, 7], [2, 7]])
    let isNext = try standing.step() != nil
    #expect(isNext)
  }

  @Test func `a statement on a row prevents its table from being dropped`() throws {
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    let standing = try db.prepare(sql: "SELECT a FROM t")
    let hasRow = try standing.step() != nil
    #expect(hasRow)
    let migrator = try Migrator([Migration(1, sql: "DROP TABLE t")])
    #expect(failure { try migrator.migrate(db) }?.code == .locked)
    #expect(try db.schema == ["t"])
    try standing.reset()
    #expect(try migrator.migrate(db).version == 1)
  }
}
