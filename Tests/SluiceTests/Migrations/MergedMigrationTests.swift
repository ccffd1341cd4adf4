import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `merged migrations` {
  private let db: Connection

  init() throws { db = try Connection() }

  private static let old = [
    Migration(1, "create", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY)"),
    Migration(2, "name", sql: "ALTER TABLE person ADD COLUMN name TEXT"),
    Migration(3, "age", sql: "ALTER TABLE person ADD COLUMN age INTEGER"),
  ]
  private static let schema = Migration(
    1...3, "schema",
    sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER)")
  private static let city = Migration(4, "city", sql: "ALTER TABLE person ADD COLUMN city TEXT")

  private func record(_ db: Connection) throws -> [DatabaseValue] {
    try db.column("SELECT number || ' ' || name FROM sluice_migration ORDER BY number")
  }

  @Test func `a new database runs the merged migration instead of the ones that it replaces`()
    throws
  {
    let migrator = try Migrator([Self.schema, Self.city])
    #expect(migrator.steps.map(\.number) == [3, 4])
    #expect(try migrator.pending(on: db).map(\.number) == [3, 4])
    #expect(try migrator.shouldMigrate(db))
    var progress: [MigrationProgress] = []
    let report = try migrator.migrate(db) { progress.append($0) }
    #expect(progress.map(\.completed) == [0, 1])
    #expect(progress.map(\.total) == [2, 2])
    #expect(report.applied == migrator.steps)
    #expect(report.version == 4)
    #expect(try record(db) == ["3 schema", "4 city"])
    #expect(try db.userVersion == 4)
    #expect(try migrator.drift(on: db).isEmpty)
    #expect(try !migrator.shouldMigrate(db))
    #expect(try migrator.migrate(db).applied.isEmpty)
  }

  @Test(arguments: [false, true])
  func
    `a database with all replaced migrations does not run the merged one and keeps their records`(
      _ isLast: Bool
    ) throws
  {
    try Migrator(Self.old).migrate(db)
    try db.execute(sql: "INSERT INTO person(name) VALUES ('Ada')")
    let migrator = try Migrator(isLast ? [Self.schema] : [Self.schema, Self.city])
    let before = try migrator.applied(on: db)
    #expect(try migrator.shouldMigrate(db) == !isLast)
    #expect(try migrator.version(on: db) == 3)
    #expect(try migrator.pending(on: db).map(\.number) == (isLast ? [] : [4]))
    #expect(try migrator.dryRun(on: db).steps.map(\.number) == (isLast ? [] : [4]))
    #expect(try migrator.drift(on: db).isEmpty)

    #expect(try migrator.migrate(db).applied.map(\.number) == (isLast ? [] : [4]))
    #expect(try Array(migrator.applied(on: db).prefix(3)) == before)
    #expect(before.map(\.step) == (try Migrator(Self.old).steps))
    #expect(try db.column("SELECT name FROM person") == ["Ada"])
    #expect(try !migrator.shouldMigrate(db))
    // An older version of the program, with the separate migrations, still knows its database.
    let older = try Migrator(isLast ? Self.old : Self.old + [Self.city])
    #expect(try older.migrate(db).applied.isEmpty)
    #expect(try older.drift(on: db).isEmpty)
  }

  @Test func `an older program refuses a database that has run the merged migration`() throws {
    // Without checksums, only the numbers show the difference.
    let merged = try Migrator([Migration(1...3, "schema") { _ in }])
    try merged.migrate(db)
    let older = try Migrator((1...3).map { Migration($0, "m\($0)") { _ in } })
    #expect(refusal { try older.migrate(db) } == .missing(older.steps[0]))
    #expect(refusal { try older.shouldMigrate(db) } == .missing(older.steps[0]))
    #expect(
      refusal { try older.migrate(db) }?.description
        == "The database has migrations after 1 \"m1\", but not 1 \"m1\" itself: its record was deleted, or a newer"
        + " version of this program has applied a merged migration that replaces it")
    let oldest = try Migrator([Migration(1, "m1") { _ in }])
    #expect(refusal { try oldest.migrate(db) } == .fromTheFuture(merged.steps[0]))
    #expect(try record(db) == ["3 schema"])
  }

  @Test func `replaced migrations that are alike are not mistaken for the merged one`() throws {
    let sql = "CREATE TABLE IF NOT EXISTS a(b)"
    try Migrator([Migration(1, sql: sql), Migration(2, sql: sql)]).migrate(db)
    let migrator = try Migrator([Migration(1...2, sql: "CREATE TABLE a(b)")])
    #expect(try migrator.migrate(db).version == 2)
    #expect(try !migrator.shouldMigrate(db))
  }

  @Test func `a database with only some of the replaced migrations throws and does not change`()
    throws
  {
    try Migrator(Self.old).migrate(db, upTo: 1)
    let migrator = try Migrator([Self.schema, Self.city])
    #expect(partial { try migrator.migrate(db) } == "3 \"schema\" lacks 2, 3")
    let error = try #require(refusal { try migrator.migrate(db) })
    #expect(refusal { try migrator.migrate(db) } == error)
    #expect(refusal { try migrator.migrate(db, atomically: true) } == error)
    #expect(refusal { try migrator.pending(on: db) } == error)
    #expect(refusal { try migrator.shouldMigrate(db) } == error)
    #expect(refusal { try migrator.dryRun(on: db) } == error)
    #expect(refusal { try migrator.drift(on: db) } == error)
    #expect(refusal { try migrator.revert(db, to: 0) } == error)
    #expect(
      error.description
        == "The database has only some of the migrations that 3 \"schema\" merges: it has 1, but lacks 2, 3;"
        + " first run an older version of this program, which has all of them")
    #expect(try record(db) == ["1 create"])
    // The older version of the program applies the rest.
    try Migrator(Self.old).migrate(db)
    #expect(try !Migrator([Self.schema]).shouldMigrate(db))
    #expect(try migrator.migrate(db).applied == [migrator.steps[1]])
  }

  @Test func `a database with a later migration, but none of the replaced ones, throws`() throws {
    try Migrator(Self.old + [Self.city]).migrate(db)
    try db.execute(sql: "DELETE FROM sluice_migration WHERE number < 4")
    let migrator = try Migrator([Self.schema, Self.city])
    #expect(refusal { try migrator.migrate(db) } == .missing(migrator.steps[0]))
    try db.execute(sql: "INSERT INTO sluice_migration VALUES (2, '', NULL, 0, '')")
    #expect(partial { try migrator.migrate(db) } == "3 \"schema\" lacks 3")
  }

  @Test func `a merged migration that throws leaves no record`() throws {
    let failing = Migration(
      1...3, "schema", sql: "CREATE TABLE a(b); INSERT INTO missing VALUES (1)")
    #expect(failure { try Migrator([failing]).migrate(db) }?.message.contains("schema") == true)
    #expect(try db.schema.isEmpty)
  }

  @Test func `an edit of a merged migration is detected where it ran`() throws {
    let migrator = try Migrator([Self.schema])
    try migrator.migrate(db)
    let edited = try Migrator([Migration(1...3, "schema", sql: "CREATE TABLE person(id)")])
    #expect(
      refusal { try edited.migrate(db) }
        == .changed(applied: migrator.steps[0], listed: edited.steps[0]))
    let grown = try Connection()
    try Migrator(Self.old).migrate(grown)
    #expect(try edited.migrate(grown).applied.isEmpty)
  }

  @Test func `drift shows a merged migration that creates another schema`() throws {
    try Migrator(Self.old).migrate(db)
    let wrong = try Migrator([
      Migration(1...3, "schema", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)")
    ])
    #expect(try wrong.drift(on: db).map(\.object.name) == ["person"])
  }

  @Test(arguments: [false, true])
  func `numbered migrations can be merged again`(_ isNew: Bool) throws {
    if !isNew { try Migrator(Self.old).migrate(db) }
    try Migrator([Self.schema, Self.city]).migrate(db)
    let all = Migration(
      1...4, "all",
      sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER, city TEXT)")
    let migrator = try Migrator([all])
    let before = try record(db)
    #expect(try !migrator.shouldMigrate(db))
    #expect(try migrator.migrate(db).version == 4)
    #expect(try migrator.drift(on: db).isEmpty)
    #expect(try record(db) == before)
    #expect(before.count == (isNew ? 2 : 4))
  }

  @Test func `a database with a merged migration that a newer program has applied throws`() throws {
    try Migrator([Self.schema, Self.city]).migrate(db)
    let applied = try Migrator([]).applied(on: db)
    #expect(refusal { try Migrator([Self.schema]).migrate(db) } == .fromTheFuture(applied[1].step))
    #expect(
      partial { try Migrator([Migration(1...5, "all", sql: "SELECT 1")]).migrate(db) }
        == "5 \"all\" lacks 5")
  }

  @Test func `migrating up to a replaced migration throws`() throws {
    let migrator = try Migrator([Self.schema, Self.city])
    for number in [1, 2] {
      let error = failure { try migrator.migrate(db, upTo: number) }
      #expect(error?.code == .range)
      #expect(
        error?.message == "There is no migration \(number), because 3 \"schema\" merges it: pass 3")
    }
    #expect(try migrator.migrate(db, upTo: 3).applied.map(\.name) == ["schema"])
  }

  @Test func `a read-only connection sees a database that a merged migration fits`() throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    try Migrator(Self.old).migrate(Connection(url: file))
    let reader = try Connection(url: file, readOnly: true)
    let migrator = try Migrator([Self.schema])
    #expect(try !migrator.shouldMigrate(reader))
    #expect(try migrator.pending(on: reader).isEmpty)
    #expect(try migrator.dryRun(on: reader).steps.isEmpty)
    #expect(try migrator.migrate(reader).version == 3)
    #expect(try record(reader) == ["1 create", "2 name", "3 age"])
  }
}

@Suite(.tags(.migrations)) struct `lists with merged migrations` {
  private let db: Connection

  init() throws { db = try Connection() }

  private static let old = ["a", "b", "c"].map { Migration($0, sql: "SELECT 1") }
  private static let schema = Migration("b", merging: ["a", "b"], sql: "SELECT 2")
  private static let last = Migration("c", sql: "SELECT 1")

  @Test func `migrations that are identified by names can be merged`() throws {
    let migrator = try Migrator([Self.schema, Self.last])
    try migrator.migrate(db)
    #expect(try migrator.applied(on: db).map(\.step) == migrator.steps)
    #expect(
      refusal { try Migrator(Self.old).migrate(db) } == .missing(try Migrator(Self.old).steps[0]))
    let grown = try Connection()
    try Migrator(Self.old).migrate(grown)
    #expect(try !migrator.shouldMigrate(grown))
    #expect(try migrator.migrate(grown).version == 3)
    #expect(try migrator.applied(on: grown).map(\.step.name) == ["a", "b", "c"])
    #expect(try Migrator(Self.old).migrate(grown).version == 3)
    let incomplete = try Connection()
    try Migrator(Self.old).migrate(incomplete, upTo: "a")
    #expect(partial { try migrator.migrate(incomplete) } == "2 \"b\" lacks 2 \"b\"")
    // Without the record of "a", the record of "b" would be that of the merged migration.
    try grown.execute(sql: "DELETE FROM sluice_migration WHERE name = 'a'")
    guard case .changed = refusal({ try migrator.migrate(grown) }) else {
      Issue.record("The database was not refused")
      return
    }
  }

  @Test func `the names of the replaced migrations and their order must match the record`() throws {
    try Migrator(Self.old).migrate(db)
    let applied = try Migrator(Self.old).steps
    let unknown = try Migrator([Migration("x", merging: ["a", "x"], sql: "SELECT 2"), Self.last])
    #expect(refusal { try unknown.migrate(db) } == .unknown(applied[1]))
    let reordered = try Migrator([Migration("a", merging: ["b", "a"], sql: "SELECT 2"), Self.last])
    #expect(
      refusal { try reordered.migrate(db) }
        == .reordered(applied: applied[0], listed: reordered.steps[0]))
  }

  @Test func `a migration that replaces only itself is an ordinary one`() throws {
    let migrator = try Migrator([Migration("a", merging: ["a"], sql: "SELECT 1")])
    #expect(!migrator.migrations[0].isMerged)
    try Migrator(Self.old).migrate(db, upTo: "a")
    #expect(try !migrator.shouldMigrate(db))
    let edited = try Migrator([Migration("a", merging: ["a"], sql: "SELECT 2")])
    #expect(
      refusal { try edited.migrate(db) }
        == .changed(applied: migrator.steps[0], listed: edited.steps[0]))
  }

  @Test(arguments: [false, true])
  func `migrations with names can be merged again`(_ isNew: Bool) throws {
    if !isNew { try Migrator(Self.old).migrate(db) }
    try Migrator([Self.schema, Self.last]).migrate(db)
    let migrator = try Migrator([Migration("c", merging: ["a", "b", "c"], sql: "SELECT 3")])
    let before = try migrator.applied(on: db)
    #expect(before.map(\.step.name) == (isNew ? ["b", "c"] : ["a", "b", "c"]))
    #expect(try !migrator.shouldMigrate(db))
    #expect(try migrator.migrate(db).version == 3)
    #expect(try migrator.applied(on: db) == before)
    let longer = try Migrator([Migration("d", merging: ["a", "b", "c", "d"], sql: "SELECT 4")])
    #expect(partial { try longer.migrate(db) } == "4 \"d\" lacks 4 \"d\"")
  }

  @Test func `a record of GRDB with all replaced migrations is adopted as the merged one`() throws {
    try db.execute(sql: "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY)")
    try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('a')")
    let migrator = try Migrator([Self.schema, Self.last], adopting: .grdb)
    #expect(
      partial { try migrator.migrate(db) } == "2 \"b\" lacks 2 \"b\"")
    #expect(try db.schema == ["grdb_migrations"])
    try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('b')")
    let report = try migrator.migrate(db)
    #expect(report.adopted.map(\.name) == ["b"])
    #expect(report.applied.map(\.name) == ["c"])
    #expect(try migrator.applied(on: db).map(\.step) == migrator.steps)
  }

  @Test func `a record of GRDB with the merged migration itself is adopted`() throws {
    try db.execute(sql: "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY)")
    try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('b')")
    let migrator = try Migrator([Self.schema, Self.last], adopting: .grdb)
    #expect(try migrator.migrate(db).adopted.map(\.number) == [2])
    let gap = try Connection()
    try gap.execute(sql: "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY)")
    try gap.execute(sql: "INSERT INTO grdb_migrations VALUES ('c')")
    #expect(refusal { try migrator.migrate(gap) } == .missing(migrator.steps[0]))
  }

  @Test func `a user_version in the middle of a merged migration is not adopted`() throws {
    let migrator = try Migrator([Migration(1...3, "s", sql: "SELECT 1")], adopting: .userVersion)
    try db.setUserVersion(2)
    #expect(
      partial { try migrator.migrate(db) } == "3 \"s\" lacks 3")
    try db.setUserVersion(3)
    #expect(try migrator.migrate(db).adopted.map(\.number) == [3])
  }

  @Test func `a list whose merged migrations overlap, leave a gap or repeat a name throws`() throws
  {
    let sql = "SELECT 1"
    for list in [
      [Migration(1...3, sql: sql), Migration(3, sql: sql)],
      [Migration(1...3, sql: sql), Migration(5, sql: sql)],
      [Migration(2...3, sql: sql)], [Migration(0...3, sql: sql)],
      [Migration(1...Int.max, sql: sql)], [Migration(Int.min...Int.max, sql: sql)],
      [Migration("b", merging: ["b", "b"], sql: sql)],
      [Migration("a", merging: ["b", "a"], sql: sql), Migration("b", sql: sql)],
      [Migration("a", merging: ["", "a"], sql: sql)],
      [Migration("a", merging: ["b\0", "a"], sql: sql)],
    ] {
      #expect(failure { try Migrator(list) }?.code == .misuse)
    }
  }

  @Test func `a file name can contain a range of numbers`() throws {
    let folder = try TestFolder()
    for name in ["0001-0003_schema.sql", "4-5.sql", "6-b.sql", "7-2 c.sql", "8-9d.sql"] {
      try Data("SELECT 1".utf8).write(to: folder.url.appending(path: name))
    }
    let migrations = try Migration.files(in: folder.url)
    #expect(migrations.map(\.numbers) == [1...3, 4...5, 6...6, 7...7, 8...8])
    #expect(migrations.map(\.name) == ["schema", "", "b", "2 c", "9d"])
    #expect(try Migrator(migrations).migrate(db).version == 8)
  }
}

/// Returns the merged migration of a ``MigrationError/partlyMerged(_:applied:missing:)``, and the migrations that it
/// lacks.
private func partial<T>(_ body: () throws -> T) -> String? {
  guard case .partlyMerged(let step, _, let missing) = refusal(body) else { return nil }
  return "\(step) lacks \(missing.map(\.description).joined(separator: ", "))"
}
