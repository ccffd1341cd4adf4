import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `schema drift` {
  private static let schema = """
    CREATE TABLE person(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, age INT DEFAULT 1 CHECK (age > 0),
      boss REFERENCES person ON DELETE SET NULL, size AS (age * 2));
    CREATE INDEX by_age ON person(age DESC, name COLLATE NOCASE) WHERE age > 10;
    CREATE INDEX by_length ON person(length(name));
    CREATE VIEW adult AS SELECT * FROM person WHERE age >= 18;
    CREATE TRIGGER note AFTER INSERT ON person BEGIN SELECT 'it''s'; END;
    CREATE TABLE keyed(a TEXT PRIMARY KEY, b) WITHOUT ROWID;
    \(search)
    """
  private static let search =
    SQLiteLibrary.has(.fts5) ? "CREATE VIRTUAL TABLE search USING fts5(body);" : ""

  /// Returns the differences between a database created by `sql` and one created by the migration `expected`.
  private func drift(_ expected: String, _ sql: String) throws -> [SchemaDifference] {
    let db = try Connection()
    let migrator = try Migrator([Migration(1, sql: expected)], adopting: .userVersion)
    try db.execute(sql: sql)
    try db.setUserVersion(1)
    return try migrator.drift(on: db)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5))) func `a migrated database has no drift`() throws {
    let db = try Connection()
    let migrator = try Migrator([
      Migration(1, sql: Self.schema),
      Migration(2) { connection in
        try connection.execute(
          sql: """
            ALTER TABLE person ADD COLUMN "new one" TEXT; ALTER TABLE keyed RENAME TO "Keyed Ü";
            ALTER TABLE person RENAME COLUMN age TO years; INSERT INTO search VALUES ('x'); ANALYZE
            """)
      },
    ])
    try migrator.migrate(db)
    try db.execute(sql: "INSERT INTO search VALUES ('x'); PRAGMA optimize; CREATE TEMP TABLE x(a)")
    #expect(try migrator.drift(on: db).isEmpty)
  }

  @Test func `drift is measured against the migrations that the database has applied`() throws {
    let db = try Connection()
    let migrator = try Migrator(People.all + [Migration(4, sql: "DROP TABLE person")])
    #expect(try migrator.drift(on: db).isEmpty)
    try migrator.migrate(db, upTo: 3)
    #expect(try migrator.drift(on: db).isEmpty)
    try db.execute(sql: "CREATE TABLE extra(a)")
    #expect(try migrator.drift(on: db).map(\.object.name) == ["extra"])
    #expect(try db.schema == ["extra", "person", "sluice_migration"])
  }

  @Test func `the tables that Litestream adds are no drift`() throws {
    let db = try Connection()
    let migrator = try Migrator([Migration(1, sql: Self.schema)])
    try migrator.migrate(db)
    try db.execute(
      sql: """
        CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
        CREATE TABLE _litestream_lock (id INTEGER); CREATE TABLE _litestream_other (id)
        """)
    #expect(try migrator.drift(on: db).map(\.object.name) == ["_litestream_other"])
  }

  @Test func `drift reports missing and unexpected objects with their SQL`() throws {
    let db = try Connection()
    let migrator = try Migrator([Migration(1, sql: Self.schema)])
    try migrator.migrate(db)
    try db.execute(
      sql: """
        DROP INDEX by_age; DROP VIEW adult; DROP TRIGGER note; DROP TABLE keyed;
        CREATE TABLE note(a); CREATE INDEX by_name ON person(name); CREATE INDEX by_a ON note(a)
        """)
    let drift = try migrator.drift(on: db)
    #expect(
      drift.map(\.description) == [
        "The table \"keyed\" is missing: CREATE TABLE keyed(a TEXT PRIMARY KEY, b) WITHOUT ROWID",
        "The view \"adult\" is missing: CREATE VIEW adult AS SELECT * FROM person WHERE age >= 18",
        "The index \"by_age\" is missing: CREATE INDEX by_age ON person(age DESC, name COLLATE NOCASE)"
          + " WHERE age > 10",
        "The trigger \"note\" is missing: CREATE TRIGGER note AFTER INSERT ON person"
          + " BEGIN SELECT 'it''s'; END",
        "Unexpected table \"note\": CREATE TABLE note(a)",
        "Unexpected index \"by_name\": CREATE INDEX by_name ON person(name)",
      ])
  }

  @Test func `schemas that differ only in spelling have no drift`() throws {
    let other = """
      create table "PERSON"(
        -- the key
        id integer primary key,name text not null unique , [age] INT default 1 check(age>0),
        `boss` references "person" on delete set null, size as(age*2));
      create index by_age on person(age desc, name collate nocase) where age>10;
      create index by_length on person(LENGTH("name"));
      create view adult as select * from person where age >= 18;
      create trigger note after insert on person begin select 'it''s'; end;
      create table keyed(a TEXT PRIMARY KEY, "b") without rowid;
      \(Self.search.lowercased())
      """
    #expect(try drift(Self.schema, other).map(\.description) == [])
  }

  @Test(
    arguments: [
      (
        "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(a, CHECK (a > 1)); ALTER TABLE t ADD COLUMN b REFERENCES p",
        "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(a, b, CHECK (a > 1), FOREIGN KEY(b) REFERENCES p)"
      ),
      ("CREATE TABLE t(a UNIQUE, b)", "CREATE TABLE t(a, b, CONSTRAINT x UNIQUE(a))"),
      ("CREATE TABLE t(a PRIMARY KEY)", "CREATE TABLE t(a, PRIMARY KEY(a))"),
      (
        "CREATE TABLE t(a); CREATE INDEX i ON t(a)", "CREATE TABLE t(a); CREATE INDEX i ON t(a ASC)"
      ),
      ("CREATE TABLE o(a); ALTER TABLE o RENAME TO t", "CREATE TABLE t(a)"),
    ])
  func `schemas with the same meaning have no drift`(_ one: String, _ other: String) throws {
    #expect(try drift(one, other).map(\.description) == [])
    #expect(try drift(other, one).map(\.description) == [])
  }

  @Test(
    arguments: [
      ("t(a, b)", "t(a)", "column \"b\" is missing"),
      ("t(a)", "t(a, b)", "column \"b\" is unexpected"),
      ("t(a, b)", "t(b, a)", "the columns are in a different order"),
      ("t(a TEXT)", "t(a INT)", "column \"a\" is INT instead of TEXT"),
      ("t(a TEXT NOT NULL)", "t(a TEXT)", "column \"a\" is TEXT instead of TEXT NOT NULL"),
      (
        "t(a DEFAULT 1)", "t(a DEFAULT 2)",
        "column \"a\" has a different default or position in the primary key"
      ),
      (
        "t(a DEFAULT 'x')", "t(a DEFAULT 'X')",
        "column \"a\" has a different default or position in the primary key"
      ),
      (
        "t(a INTEGER PRIMARY KEY)", "t(a INTEGER)",
        "column \"a\" is INTEGER instead of INTEGER in the primary key"
      ),
      ("t(a UNIQUE)", "t(a)", "the unique or primary keys differ"),
      ("t(a, b, UNIQUE(a, b))", "t(a, b, UNIQUE(b, a))", "the unique or primary keys differ"),
      (
        "t(i INTEGER PRIMARY KEY, a REFERENCES t)", "t(i INTEGER PRIMARY KEY, a)",
        "the foreign keys differ"
      ),
      (
        "t(i INTEGER PRIMARY KEY, a REFERENCES t ON DELETE CASCADE)",
        "t(i INTEGER PRIMARY KEY, a REFERENCES t ON DELETE RESTRICT)",
        "the foreign keys differ"
      ),
      (
        "t(i INTEGER PRIMARY KEY, a REFERENCES t DEFERRABLE INITIALLY DEFERRED)",
        "t(i INTEGER PRIMARY KEY, a REFERENCES t DEFERRABLE INITIALLY IMMEDIATE)",
        "its constraints or expressions differ"
      ),
      ("t(a INT) STRICT", "t(a INT)", "STRICT or WITHOUT ROWID differs"),
      ("t(a CHECK (a > 1))", "t(a CHECK (a > 2))", "its constraints or expressions differ"),
      ("t(a COLLATE NOCASE)", "t(a COLLATE RTRIM)", "its constraints or expressions differ"),
      ("t(a, b AS (a + 1))", "t(a, b AS (a + 2))", "its constraints or expressions differ"),
      (
        "t(a INTEGER PRIMARY KEY AUTOINCREMENT)", "t(a INTEGER PRIMARY KEY)",
        "its constraints or expressions differ"
      ),
      (
        "t(a UNIQUE ON CONFLICT IGNORE)", "t(a UNIQUE ON CONFLICT REPLACE)",
        "its constraints or expressions differ"
      ),
    ])
  func `drift reports how two tables differ`(
    _ mine: String, _ other: String, _ detail: String
  ) throws {
    let found = try drift("CREATE TABLE \(mine)", "CREATE TABLE \(other)")
    #expect(found.count == 1)
    guard case .different(let expected, let actual, let details)? = found.first else { return }
    #expect(details == [detail])
    #expect(expected.sql == "CREATE TABLE \(mine)")
    #expect(actual.sql == "CREATE TABLE \(other)")
    #expect(found.first?.description.contains("expected: CREATE TABLE \(mine)") == true)
  }

  @Test(
    arguments: [
      ("INDEX x ON t(a)", "INDEX x ON t(b)"), ("INDEX x ON t(a)", "UNIQUE INDEX x ON t(a)"),
      ("INDEX x ON t(a)", "INDEX x ON t(a DESC)"),
      ("INDEX x ON t(a)", "INDEX x ON t(a COLLATE NOCASE)"), ("INDEX x ON t(a)", "INDEX x ON u(a)"),
      ("INDEX x ON t(a) WHERE a > 1", "INDEX x ON t(a) WHERE a > 2"),
      ("INDEX x ON t(a) WHERE a > 1", "INDEX x ON t(a)"),
      ("INDEX x ON t(a + 1)", "INDEX x ON t(a + 2)"),
      ("VIEW x AS SELECT 1 AS a", "VIEW x AS SELECT 2 AS a"),
      ("VIEW x AS SELECT 'a'", "VIEW x AS SELECT 'A'"),
      (
        "TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
        "TRIGGER x AFTER INSERT ON t BEGIN SELECT 2; END"
      ),
    ])
  func `drift reports different indexes, views and triggers`(
    _ mine: String, _ other: String
  ) throws {
    try expectDifference(mine, other)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `drift reports different virtual tables`() throws {
    try expectDifference("VIRTUAL TABLE x USING fts5(a)", "VIRTUAL TABLE x USING fts5(a, b)")
  }

  /// Checks that drift reports two definitions of `x` as different.
  private func expectDifference(_ mine: String, _ other: String) throws {
    let tables = "CREATE TABLE t(a, b); CREATE TABLE u(a, b); CREATE "
    let found = try drift(tables + mine, tables + other)
    #expect(found.map(\.object.name) == ["x"])
    guard case .different? = found.first else {
      Issue.record("\(found)")
      return
    }
  }

  @Test func `drift compares objects whose names contain any characters`() throws {
    let sql =
      "CREATE TABLE \"a\"\"b'; 🐦\"(\"x\"\"y]\" TEXT, \"é\"); CREATE INDEX \"i'\"\"\" ON \"a\"\"b'; 🐦\"(\"é\")"
    #expect(try drift(sql, sql).isEmpty)
    let changed = sql.replacing("TEXT", with: "INT")
    #expect(try drift(sql, changed).count == 1)
  }

  @Test func `drift reports a table and a view with the same name as two objects`() throws {
    let found = try drift("CREATE TABLE x(a)", "CREATE VIEW x AS SELECT 1 AS a")
    #expect(found.map(\.object.kind) == [.table, .view])
  }
}
