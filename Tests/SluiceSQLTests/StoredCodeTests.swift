import Foundation
import Sluice
import SluiceSQL
import TestSupport
import Testing

/// Views and triggers, which a schema stores as text and SQLite compiles only when they are used.
@Suite(.tags(.checkedSQL)) struct `views and triggers in migrations` {
  private static let tables = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a, g AS (a));
    CREATE TABLE u(t_id);

    """

  /// Returns the diagnostics of a project with one migration.
  private func problems(of sql: String, limit: Int? = nil) throws -> [String] {
    let scratch = try TestFolder()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    let migrations = folder.appending(path: "Migrations")
    try FileManager.default.createDirectory(at: migrations, withIntermediateDirectories: true)
    try Data(sql.utf8).write(to: migrations.appending(path: "1_a.sql"))
    var project = Project(folder: folder)
    if let limit { project.instructionsOfMigration = limit }
    var check = ProjectCheck(project, only: nil)
    return try check.run().diagnostics.map {
      $0.description.replacing("\(migrations.path)/", with: "")
    }
  }

  @Test(arguments: [
    (
      "CREATE VIEW w AS SELECT a FROM t;\nCREATE VIEW if not exists main.v AS SELECT nope FROM w;",
      "4:1: error: in view v: no such column: nope"
    ),
    (
      "CREATE VIEW v AS SELECT nope FROM t;\nCREATE VIEW w AS SELECT * FROM v;",
      "3:1: error: in view v: no such column: nope"
    ),
    (
      "CREATE VIEW v AS SELECT * FROM u;\nDROP TABLE u;",
      "3:1: error: in view v: no such table: main.u"
    ),
    (
      """
      CREATE TRIGGER fine AFTER INSERT ON t BEGIN INSERT INTO u(t_id) VALUES (new.id); END;
      CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO u(t_id, name) VALUES (new.id, 1); END;
      """, "4:1: error: in trigger tr: table u has no column named name"
    ),
    (
      "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO gone(a) VALUES (new.id); END;",
      "3:1: error: in trigger tr: no such table: main.gone"
    ),
    (
      "CREATE TRIGGER tr BEFORE UPDATE OF a ON t BEGIN DELETE FROM u WHERE name = old.id; END;",
      "3:1: error: in trigger tr: no such column: name"
    ),
    (
      """
      CREATE TRIGGER first AFTER INSERT ON t BEGIN DELETE FROM u; END;
      CREATE TRIGGER tr AFTER DELETE ON u BEGIN SELECT old.name; END;
      """, "4:1: error: in trigger tr: no such column: old.name"
    ),
    (
      """
      CREATE VIEW v AS SELECT a FROM t;
      CREATE TRIGGER tr INSTEAD OF UPDATE ON v BEGIN UPDATE t SET b = new.a; END;
      """, "4:1: error: in trigger tr: no such column: b"
    ),
  ])
  func `a broken view or trigger is reported at the position where it was created`(
    _ sql: String, _ expected: String
  ) throws {
    #expect(try problems(of: Self.tables + sql) == ["1_a.sql:\(expected)"])
  }

  @Test(arguments: [
    "CREATE VIEW v AS SELECT value FROM t, json_each(t.a);",
    "CREATE VIEW v AS SELECT ours(a) AS o FROM t ORDER BY a COLLATE our_collation;",
    "CREATE VIEW v AS SELECT value FROM our_series(1, 3);",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT ours(new.g); END;",
    "CREATE TRIGGER tr AFTER UPDATE OF a ON t WHEN new.g BEGIN INSERT INTO u VALUES (old.g); END;",
    "CREATE TRIGGER tr BEFORE DELETE ON t BEGIN SELECT raise(abort, 'no'); END;",
    """
    CREATE VIEW v AS SELECT a, id + 1 AS "an id" FROM t;
    CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN INSERT INTO t(a) VALUES (new."an id"); END;
    CREATE TRIGGER d INSTEAD OF DELETE ON v BEGIN DELETE FROM v WHERE a = old.a; END;
    """,
    """
    CREATE TABLE g(a TEXT PRIMARY KEY, b TEXT AS (a) STORED) STRICT, WITHOUT ROWID;
    CREATE TRIGGER tr AFTER UPDATE ON g BEGIN INSERT INTO u VALUES (new.b); END;
    """,
    """
    CREATE TABLE p(a UNIQUE); CREATE TABLE c(a REFERENCES p(a) ON DELETE CASCADE);
    CREATE TRIGGER tr AFTER DELETE ON p BEGIN DELETE FROM c; END;
    """,
  ])
  func `the check reports no error for valid views and triggers`(_ sql: String) throws {
    #expect(try problems(of: Self.tables + sql) == [])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `the check reports no error for a view and a trigger that use a full-text table`() throws {
    let sql = """
      CREATE VIRTUAL TABLE f USING fts5(a);
      CREATE VIEW v AS SELECT rowid, rank FROM f('x');
      CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO f(rowid, a) VALUES (new.id, new.a); END;
      """
    #expect(try problems(of: Self.tables + sql) == [])
  }

  @Test func `queries are checked with the triggers that migrations create`() throws {
    let scratch = try TestFolder()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    for (path, text) in [
      (
        "Migrations/1_a.sql",
        "CREATE TABLE t(a);\nCREATE VIEW v AS SELECT a FROM t;\n"
          + "CREATE TRIGGER tr INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (new.a); END;"
      ), ("Queries/q.sql", "-- @query q\nINSERT INTO v VALUES (1);"),
    ] {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    var check = ProjectCheck(Project(folder: folder), only: nil)
    #expect(try check.run().diagnostics.map(\.description) == [])
  }

  @Test func `the check stops a migration that does not end`() throws {
    let endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c;"
    #expect(
      try problems(of: "CREATE TABLE t(a);\n\(endless)", limit: 100_000) == [
        "1_a.sql:2:1: error: the statement was stopped after 100000 instructions; it may be endless"
      ])
    #expect(try problems(of: Self.tables, limit: 100_000) == [])
  }
}
