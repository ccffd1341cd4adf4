import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `foreign keys in migrations` {
  private let db: Connection
  private let tables = Migration(
    1, "tables",
    sql: """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE pet(id INTEGER PRIMARY KEY, owner REFERENCES person ON DELETE CASCADE);
      INSERT INTO person VALUES (1, 'Ada'), (2, 'Alan');
      INSERT INTO pet VALUES (10, 1), (20, 2);
      """)

  init() throws { db = try Connection() }

  @Test func `re-creating a table in a migration preserves the rows that refer to the table`()
    throws
  {
    let anew = Migration(
      2, "names are there",
      sql: """
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        INSERT INTO new_person SELECT * FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;
        """)
    try Migrator([tables, anew]).migrate(db)
    #expect(try db.column("SELECT id FROM pet") == [10, 20])
    #expect(try db.option(.foreignKeys))
    #expect(failure { try db.execute(sql: "INSERT INTO pet VALUES (30, 3)") } != nil)
    try db.execute(sql: "DELETE FROM person WHERE id = 1")
    #expect(try db.column("SELECT id FROM pet") == [20])
  }

  @Test func `a migration can re-create a table together with its view, trigger and index`()
    throws
  {
    let more = Migration(
      2,
      sql: """
        CREATE INDEX by_name ON person(name) WHERE name > 'A';
        CREATE VIEW names AS SELECT name FROM person;
        CREATE TABLE log(name);
        CREATE TRIGGER note AFTER UPDATE ON person BEGIN INSERT INTO log VALUES (NEW.name); END;
        """)
    let rebuilding = """
      CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      INSERT INTO new_person SELECT * FROM person;
      DROP TABLE person;
      ALTER TABLE new_person RENAME TO person;
      """
    let again = """
      CREATE VIEW names AS SELECT name FROM person;
      CREATE INDEX by_name ON person(name) WHERE name > 'A';
      CREATE TRIGGER note AFTER UPDATE ON person BEGIN INSERT INTO log VALUES (NEW.name); END;
      """
    let careless = try Migrator([tables, more, Migration(3, sql: rebuilding)])
    // SQLite refuses to rename the table while a view names the dropped table.
    #expect(failure { try careless.migrate(db) }?.message.contains("error in view names") == true)
    #expect(try careless.applied(on: db).count == 2)
    #expect(try db.column("SELECT name FROM names") == ["Ada", "Alan"])
    let careful = try Migrator([
      tables, more, Migration(3, sql: "DROP VIEW names;" + rebuilding + again),
    ])
    #expect(try careful.dryRun(on: db).schema.count == 6)
    try careful.migrate(db)
    try db.execute(sql: "UPDATE person SET name = 'Eve' WHERE id = 1")
    #expect(try db.column("SELECT name FROM names") == ["Eve", "Alan"])
    #expect(try db.column("SELECT name FROM log") == ["Eve"])
    #expect(try db.column("SELECT id FROM pet") == [10, 20])
    #expect(try careful.drift(on: db).isEmpty)
  }

  @Test(arguments: [false, true])
  func `a migration that violates a foreign key is rolled back`(_ atomically: Bool) throws {
    let breaking = Migration(2, "lose Alan", sql: "DELETE FROM person WHERE id = 2")
    let migrator = try Migrator([tables, breaking])
    try migrator.migrate(db, upTo: 1)
    let error = failure { try migrator.migrate(db, atomically: atomically) }
    #expect(error?.code == .constraintForeignKey)
    #expect(
      error?.message
        == "Migration 2 \"lose Alan\": foreign keys: row 20 of \"pet\" refers to a missing row"
        + " of \"person\"")
    #expect(try db.column("SELECT id FROM person") == [1, 2])
    #expect(try migrator.applied(on: db).count == 1)
    #expect(try db.userVersion == 1)
    #expect(try db.option(.foreignKeys))
    #expect(db.isInAutocommit)
  }

  @Test func `a migration also reports a foreign key violation in a WITHOUT ROWID table`() throws {
    let migrator = try Migrator([
      Migration(
        1,
        sql: """
          CREATE TABLE a(id INTEGER PRIMARY KEY);
          CREATE TABLE b(id TEXT PRIMARY KEY, a REFERENCES a) WITHOUT ROWID;
          INSERT INTO b VALUES ('x', 1)
          """)
    ])
    let error = failure { try migrator.migrate(db) }
    #expect(error?.message.contains("a row of \"b\" refers to a missing row of \"a\"") == true)
    #expect(try db.schema.isEmpty)
  }

  @Test func `foreign keys are enforced in a migration that requests enforcement`() throws {
    let cascading = Migration(
      2, "lose Alan", foreignKeys: .enforced, sql: "DELETE FROM person WHERE id = 2")
    try Migrator([tables, cascading]).migrate(db)
    #expect(try db.column("SELECT id FROM pet") == [10])
  }

  @Test func `a migration without checks keeps the rows of a rebuilt table and those that dangle`()
    throws
  {
    let rebuilding = """
      CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      INSERT INTO new_person SELECT * FROM person WHERE id = 1;
      DROP TABLE person;
      ALTER TABLE new_person RENAME TO person;
      """
    let unchecked = Migration(2, foreignKeys: .unchecked, sql: rebuilding, revert: "SELECT 1")
    let migrator = try Migrator([tables, unchecked])
    try migrator.migrate(db)
    #expect(try db.column("SELECT id FROM pet") == [10, 20])
    #expect(try db.foreignKeyViolations().map(\.rowid) == [20])
    #expect(try db.option(.foreignKeys))
    try migrator.revert(db, to: 1)
    #expect(try db.option(.foreignKeys))
    let checked = try Migrator([tables, Migration(2, sql: rebuilding)])
    #expect(failure { try checked.migrate(db) }?.code == .constraintForeignKey)
  }

  @Test(arguments: [true, false])
  func `foreign keys of an attached database are checked`(_ inTransaction: Bool) throws {
    try db.attach(path: ":memory:", as: "other one")
    try db.execute(
      sql: """
        CREATE TABLE "other one".a(id INTEGER PRIMARY KEY);
        CREATE TABLE "other one".b(id INTEGER PRIMARY KEY, a REFERENCES a);
        INSERT INTO "other one".a VALUES (1);
        INSERT INTO "other one".b VALUES (5, 1);
        """)
    let breaking = Migration(
      2, inTransaction: inTransaction, sql: "DELETE FROM \"other one\".a")
    let error = failure { try Migrator([tables, breaking]).migrate(db) }
    #expect(error?.code == .constraintForeignKey)
    #expect(
      error?.message
        == "Migration 2: foreign keys: row 5 of \"other one\".\"b\" refers to a missing row of \"a\""
    )
    #expect(try db.column("SELECT count(*) FROM \"other one\".a") == [inTransaction ? 1 : 0])
  }

  private static let renaming = """
    ALTER TABLE person RENAME TO old_person;
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO person SELECT * FROM old_person;
    DROP TABLE old_person;
    """

  @Test(arguments: [Migration.ForeignKeys.checked, .enforced], [false, true])
  func `the last migration throws if the table of a foreign key does not exist`(
    _ foreignKeys: Migration.ForeignKeys, _ atomically: Bool
  ) throws {
    // No row shows that the foreign key of `pet` now refers to `old_person`.
    let migrator = try Migrator([
      Migration(
        1, foreignKeys: foreignKeys,
        sql: """
          CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE pet(owner REFERENCES person);
          INSERT INTO person VALUES (1, 'Ada');
          """),
      Migration(2, "names", foreignKeys: foreignKeys, sql: Self.renaming),
    ])
    let error = failure { try migrator.migrate(db, atomically: atomically) }
    #expect(error?.code == .constraintForeignKey)
    #expect(
      error?.message
        == "Migration 2 \"names\": foreign keys: \"pet\" refers to the table \"old_person\", which does not exist"
    )
    #expect(try migrator.applied(on: db).count == (atomically ? 0 : 1))
    #expect(failure { try migrator.dryRun(on: db) }?.code == .constraintForeignKey)
  }

  @Test func `a later migration can create the table of a foreign key`() throws {
    let pet = "CREATE TABLE Pet(owner REFERENCES Person)"
    let complete = try Migrator([
      Migration(1, sql: pet), Migration(2, sql: "CREATE TABLE person(id INTEGER PRIMARY KEY)"),
    ])
    #expect(try complete.migrate(db, upTo: 1).version == 1)
    #expect(try complete.migrate(db).version == 2)
    let unchecked = try Migrator([Migration(1, foreignKeys: .unchecked, sql: pet)])
    #expect(try unchecked.migrate(Connection()).version == 1)
    let incomplete = try Migrator([Migration(1, sql: pet)])
    let other = try Connection()
    #expect(failure { try incomplete.migrate(other) }?.code == .constraintForeignKey)
    try other.setOption(.foreignKeys, false)
    #expect(try incomplete.migrate(other).version == 1)
  }

  @Test func `a migration whose commit fails is rolled back`() throws {
    let deferred = Migration(
      1, foreignKeys: .enforced,
      sql: """
        CREATE TABLE a(id INTEGER PRIMARY KEY, b REFERENCES a DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO a VALUES (1, 2)
        """)
    let migrator = try Migrator([deferred])
    #expect(failure { try migrator.migrate(db) }?.code == .constraintForeignKey)
    #expect(try db.schema.isEmpty)
    #expect(try db.userVersion == 0)
    #expect(db.isInAutocommit)
  }

  @Test func `an atomic run rejects migrations that treat foreign keys differently`() throws {
    let enforced = Migration(2, foreignKeys: .enforced, sql: "SELECT 1")
    let migrator = try Migrator([tables, enforced])
    #expect(failure { try migrator.migrate(db, atomically: true) }?.code == .misuse)
    #expect(try db.schema.isEmpty)
    #expect(try migrator.migrate(db).version == 2)
  }

  @Test func `migrations do not check foreign keys if the connection does not enforce them`() throws
  {
    try db.setOption(.foreignKeys, false)
    let breaking = Migration(2, sql: "DELETE FROM person WHERE id = 2")
    try Migrator([tables, breaking]).migrate(db)
    #expect(try db.option(.foreignKeys) == false)
  }

  @Test(arguments: [false, true])
  func `connection options that a migration changes are restored`(_ fails: Bool) throws {
    let switching = Migration(1) { connection in
      for anOption in [
        ConnectionOption.foreignKeys, .legacyAlterTable, .writableSchema, .trustedSchema,
      ] {
        try connection.setOption(anOption, !connection.option(anOption))
      }
      if fails { throw ForeignError() }
    }
    let before = ConnectionOption.allCases.map { try? db.option($0) }
    let migrator = try Migrator([switching])
    if fails {
      #expect(throws: ForeignError()) { try migrator.migrate(db) }
    } else {
      try migrator.migrate(db)
    }
    #expect(ConnectionOption.allCases.map { try? db.option($0) } == before)
  }
}
