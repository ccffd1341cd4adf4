import Sluice
import SluiceSQL
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `the RETURNING clause` {
  private static let declarations = """
    -- @type t.id: ID
    -- @type t.tags: [String] as json
    -- @type DATETIME: Date as timeIntervalSince1970
    """

  private static func connection() throws -> Connection {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT NOT NULL DEFAULT 5, f BOOLEAN NOT NULL DEFAULT 0,
          tags TEXT NOT NULL DEFAULT '[]', r REAL DEFAULT 1, i INTEGER NOT NULL DEFAULT '7',
          c DATETIME NOT NULL DEFAULT (datetime('now')), u TEXT UNIQUE, x, g INT AS (i + 1));
        CREATE TABLE w(k TEXT, l BOOLEAN, v INTEGER, PRIMARY KEY(k, l)) WITHOUT ROWID;
        CREATE TABLE st(id INTEGER PRIMARY KEY, t TEXT NOT NULL, o ANY) STRICT;
        CREATE TABLE "odd [name]"("a b" TEXT, "return" BOOLEAN);
        CREATE TABLE hidden(id INTEGER PRIMARY KEY, v TEXT);
        CREATE TEMP TABLE hidden(id INTEGER PRIMARY KEY, v BOOLEAN);
        CREATE VIEW vt AS SELECT id, n FROM t;
        CREATE TRIGGER vt_i INSTEAD OF INSERT ON vt BEGIN SELECT 1; END;
        """)
    return connection
  }

  /// Returns the names and types of the columns, followed by the diagnostics.
  private func types(_ sql: String) throws -> [String] {
    let (queries, diagnostics) = try check(
      "-- @query test\n\(sql)", in: Self.connection(), Self.declarations)
    return (queries.first?.columns.map { "\($0.name): \($0.type.swift)" } ?? []) + diagnostics
  }

  @Test(arguments: [
    ("INSERT INTO t DEFAULT VALUES RETURNING *", "SELECT * FROM t"),
    ("INSERT INTO t(id, n) VALUES (:id, :n) RETURNING id, n, t.f", "SELECT id, n, f FROM t"),
    ("INSERT INTO t(r, tags) VALUES (3, 'x') RETURNING r, tags", "SELECT r, tags FROM t"),
    (
      "INSERT INTO t(u, r) VALUES (:u, 1) ON CONFLICT (u) DO UPDATE SET c = unixepoch(), f = NOT f,"
        + " n = excluded.r RETURNING id, c, f, n, u, g", "SELECT id, c, f, n, u, g FROM t"
    ),
    ("INSERT OR REPLACE INTO t(f) SELECT max(f) FROM t RETURNING f", "SELECT f FROM t"),
    ("REPLACE INTO main.t(x) VALUES (1) RETURNING x, rowid AS k", "SELECT x, rowid AS k FROM t"),
    ("UPDATE t SET n = 5, f = 1, i = '7' RETURNING n, f, i", "SELECT n, f, i FROM t"),
    ("UPDATE OR IGNORE t AS z SET r = 1 RETURNING t.r, f", "SELECT r, f FROM t"),
    ("INSERT INTO t AS z(r) VALUES (1) RETURNING t.r, f", "SELECT r, f FROM t"),
    ("UPDATE t SET f = v FROM w WHERE l RETURNING f, n AS m", "SELECT f, n AS m FROM t"),
    ("DELETE FROM t WHERE id = 1 RETURNING id, c", "SELECT id, c FROM t"),
    ("INSERT INTO w VALUES ('k', 1, 1) RETURNING k, l, v", "SELECT k, l, v FROM w"),
    ("INSERT INTO st(t, o) VALUES (1, 2) RETURNING *", "SELECT * FROM st"),
    (
      "INSERT INTO \"Odd [Name]\" VALUES (1, 2) RETURNING [a b] AS a, \"return\"",
      "SELECT [a b] AS a, \"return\" FROM \"odd [name]\""
    ),
    ("INSERT INTO hidden(v) VALUES ('x') RETURNING id, v", "SELECT id, v FROM temp.hidden"),
    ("INSERT INTO main.hidden(v) VALUES (1) RETURNING id, v", "SELECT id, v FROM main.hidden"),
    (
      "WITH t(id, n) AS (SELECT 1, 2) INSERT INTO t(n) SELECT n FROM t RETURNING f, n",
      "SELECT f, n FROM main.t"
    ),
    (
      "WITH c(y) AS (SELECT 'a') UPDATE t SET n = 1 RETURNING (SELECT y FROM c) AS y, f -- all\n;",
      "SELECT (SELECT 'a') AS y, f FROM t"
    ),
    (
      "INSERT INTO t(n) VALUES (:n) RETURNING coalesce(u, n) AS a, i + 1 AS b, (SELECT max(f) FROM t) AS c",
      "SELECT coalesce(u, n) AS a, i + 1 AS b, (SELECT max(f) FROM t) AS c FROM t"
    ),
  ])
  func `RETURNING columns have the same types as in a SELECT`(
    _ statement: String, _ select: String
  ) throws {
    let expected = try types(select)
    #expect(try types(statement) == expected)
    #expect(!expected.contains { $0.contains("error") })
  }

  @Test func `a RETURNING column of a view is nullable if the inserted value is NULL`() throws {
    #expect(try types("INSERT INTO vt VALUES (NULL, 'x') RETURNING n") == ["n: String"])
    #expect(try types("INSERT INTO vt VALUES (1, NULL) RETURNING n") == ["n: String?"])
  }

  @Test func `a writing and a reading query can share a row type`() throws {
    let (queries, diagnostics) = try check(
      """
      -- @query add: one
      -- @row T
      INSERT INTO t(n, u) VALUES (:n, 'x') RETURNING *;
      -- @query all
      -- @row T
      SELECT * FROM t;
      """, in: Self.connection(), Self.declarations)
    #expect(diagnostics == [])
    #expect(queries.map(\.rowName) == ["T", "T"])
  }
}
