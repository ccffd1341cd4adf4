import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `the history of a database` {
  private let db: Connection

  init() throws { db = try Connection() }

  private func expectRefusal(_ migrator: Migrator, _ error: MigrationError) throws {
    let before = try db.column("SELECT sql FROM sqlite_schema")
    #expect(refusal { try migrator.migrate(db) } == error)
    #expect(refusal { try migrator.migrate(db, atomically: true) } == error)
    #expect(refusal { try migrator.pending(on: db) } == error)
    #expect(refusal { try migrator.dryRun(on: db) } == error)
    #expect(refusal { try migrator.drift(on: db) } == error)
    #expect(!error.description.isEmpty)
    #expect(try db.column("SELECT sql FROM sqlite_schema") == before)
    #expect(db.isInAutocommit)
  }

  @Test func `migrating a database that a newer program has migrated throws`() throws {
    let newer = try Migrator(People.all)
    try newer.migrate(db)
    try expectRefusal(
      Migrator(Array(People.all.prefix(1))), .fromTheFuture(newer.steps[1]))
    try expectRefusal(Migrator([]), .fromTheFuture(newer.steps[0]))
  }

  @Test func `migrating a database with unknown or reordered migrations throws`() throws {
    let (a, b, c) = (
      Migration("a", sql: "SELECT 1"), Migration("b", sql: "SELECT 2"),
      Migration("c", sql: "SELECT 3")
    )
    let migrator = try Migrator([a, b])
    try migrator.migrate(db)
    try expectRefusal(Migrator([a, c]), .unknown(migrator.steps[1]))
    try expectRefusal(
      Migrator([a, c, Migration("d", sql: "SELECT 1")]), .unknown(migrator.steps[1]))
    let other = try Migrator([b, a])
    try expectRefusal(other, .reordered(applied: migrator.steps[0], listed: other.steps[0]))
    let between = try Migrator([a, c, b])
    try expectRefusal(between, .reordered(applied: migrator.steps[1], listed: between.steps[1]))
  }

  @Test func `a numbered migration can be renamed`() throws {
    try Migrator([Migration(1, "a", sql: "SELECT 1")]).migrate(db)
    try Migrator([Migration(1, "b", sql: "SELECT 1")]).migrate(db)
  }

  @Test func `migrating a database with a migration that was edited afterwards throws`() throws {
    let migrator = try Migrator(People.all)
    try migrator.migrate(db, upTo: 1)
    let edited = try Migrator([Migration(1, "create person", sql: "CREATE TABLE person(id)")])
    try expectRefusal(edited, .changed(applied: migrator.steps[0], listed: edited.steps[0]))
  }

  @Test func `a fingerprint detects a changed migration in Swift`() throws {
    try Migrator([Migration(1, "a", fingerprint: "v1") { _ in }]).migrate(db)
    #expect(try Migrator([Migration(1, "a", fingerprint: "v1") { _ in }]).pending(on: db).isEmpty)
    #expect(try Migrator([Migration(1, "a") { _ in }]).pending(on: db).isEmpty)
    let edited = try Migrator([Migration("a", fingerprint: "v2") { _ in }])
    guard case .changed = refusal({ try edited.migrate(db) }) else {
      Issue.record("It was not refused")
      return
    }
  }

  @Test func `migrating a database that lacks an earlier migration throws`() throws {
    let migrator = try Migrator(People.all)
    try migrator.migrate(db)
    try db.execute(sql: "DELETE FROM sluice_migration WHERE number = 2")
    try expectRefusal(migrator, .missing(migrator.steps[1]))
    try db.execute(sql: "UPDATE sluice_migration SET number = -5 WHERE number = 1")
    try expectRefusal(migrator, .missing(migrator.steps[0]))
  }

  @Test func `migrating a database with an invalid record table throws`() throws {
    let migrator = try Migrator(People.all)
    try db.execute(sql: "CREATE TABLE Sluice_Migration(number, name)")
    #expect(failure { try migrator.migrate(db) }?.code == .error)
    try db.execute(
      sql: """
        DROP TABLE sluice_migration;
        CREATE TABLE sluice_migration(number, name, checksum, applied_at, sqlite_version);
        INSERT INTO sluice_migration VALUES (NULL, x'ff', 'a', 'never', NULL)
        """)
    #expect(failure { try migrator.migrate(db) }?.code == .mismatch)
    #expect(failure { try migrator.applied(on: db) }?.code == .mismatch)
    #expect(try db.schema == ["sluice_migration"])
  }
}

@Suite(.tags(.migrations)) struct `the user_version of a database` {
  private let db: Connection

  init() throws { db = try Connection() }

  @Test func `a user_version counts the applied migrations`() throws {
    let migrator = try Migrator(People.all)
    try migrator.migrate(db, upTo: 2)
    #expect(try db.userVersion == 2)
    try migrator.migrate(db)
    #expect(try db.userVersion == 3)
  }

  @Test func `migrating a database with a user_version but without a record throws`() throws {
    try db.setUserVersion(2)
    let migrator = try Migrator(People.all)
    #expect(refusal { try migrator.migrate(db) } == .unrecorded(userVersion: 2))
    #expect(try db.userVersion == 2)
    #expect(try db.schema.isEmpty)
  }

  @Test func `a user_version without a record is adopted on request`() throws {
    try db.execute(
      sql:
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO person VALUES (7, 'A ')"
    )
    try db.setUserVersion(2)
    let migrator = try Migrator(People.all, adopting: .userVersion)
    #expect(try migrator.pending(on: db).map(\.number) == [3])
    #expect(try migrator.drift(on: db).isEmpty)
    #expect(try db.schema == ["person"])
    #expect(try migrator.migrate(db).applied.map(\.number) == [3])
    #expect(try migrator.applied(on: db).map(\.step) == migrator.steps)
    #expect(try db.column("SELECT id || name FROM person") == ["7A"])
    #expect(try db.userVersion == 3)
    #expect(try Migrator(People.all).pending(on: db).isEmpty)
  }

  @Test(arguments: [false, true])
  func `adopting a user_version that counts all migrations records them`(_ atomically: Bool) throws
  {
    try db.setUserVersion(3)
    let migrator = try Migrator(People.all, adopting: .userVersion)
    #expect(try migrator.migrate(db, atomically: atomically).applied.isEmpty)
    #expect(try migrator.applied(on: db).count == 3)
    #expect(try db.userVersion == 3)
  }

  @Test func `a user_version above the last migration or below zero is not adopted`() throws {
    let migrator = try Migrator(People.all, adopting: .userVersion)
    try db.setUserVersion(4)
    #expect(
      refusal { try migrator.migrate(db) }?.description
        == "The database has migration 4, but this program only has earlier ones")
    for version: Int32 in [-1, .min] {
      try db.setUserVersion(version)
      #expect(refusal { try migrator.migrate(db) } == .unrecorded(userVersion: version))
    }
    #expect(try db.schema.isEmpty)
  }

  @Test func `a user_version is left unchanged on request`() throws {
    try db.setUserVersion(77)
    try Migrator(People.all, userVersion: .ignored).migrate(db)
    #expect(try db.userVersion == 77)
    #expect(try db.column("SELECT name FROM person") == ["Ada"])
  }

  @Test func `a migration record takes precedence over the user_version`() throws {
    let migrator = try Migrator(People.all, adopting: .userVersion)
    try migrator.migrate(db, upTo: 1)
    try db.setUserVersion(3)
    #expect(try migrator.migrate(db).applied.map(\.number) == [2, 3])
  }
}
