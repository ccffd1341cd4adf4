import Foundation
import Sluice
import SluiceSQL

/// The folder that contains all tests.
let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

/// Checks the queries of a text, and returns the queries and diagnostics.
func check(
  _ text: String, in connection: Connection, _ declarations: String = ""
) throws -> (queries: [CheckedQuery], diagnostics: [String]) {
  let schema = try CheckedSchema(
    connection, Declarations(SourceText(path: "Declarations.sql", text: declarations)))
  var checker = QueryChecker(schema)
  let file = QueryFile(SourceText(path: "q.sql", text: text))
  let (queries, diagnostics) = checker.check(file)
  return (queries, (schema.declarations.diagnostics + diagnostics).map(\.description))
}

/// Returns the types of the columns of one query, followed by its diagnostics.
func columns(_ sql: String, in connection: Connection) throws -> [String] {
  let (queries, diagnostics) = try check("-- @query test\n\(sql)", in: connection)
  return (queries.first?.columns.map { "\($0.name): \($0.type.swift)" } ?? []) + diagnostics
}

/// Returns the types of the parameters of one query, followed by its diagnostics.
func parameters(_ sql: String, in connection: Connection) throws -> [String] {
  let (queries, diagnostics) = try check("-- @query test\n\(sql)", in: connection)
  return (queries.first?.parameters.map { "\($0.label): \($0.type.swift)" } ?? []) + diagnostics
}

/// Databases with the same schema: an empty one, and others with NULLs, infinities and unmatched rows.
enum NullDatabases {
  static let schema = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, n INTEGER, t TEXT NOT NULL, r REAL, m REAL NOT NULL,
      g TEXT AS (t || n), s TEXT NOT NULL AS (t || '!') STORED);
    CREATE INDEX a_t ON a(t);
    CREATE INDEX a_n ON a(n, t);
    CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER REFERENCES a, t TEXT NOT NULL, u TEXT);
    CREATE INDEX b_a ON b(a);
    CREATE INDEX b_e ON b(lower(u));
    CREATE UNIQUE INDEX a_e ON a(n + 1, lower("t") COLLATE NOCASE DESC, CAST(m AS REAL) ASC, id);
    CREATE TABLE w(k TEXT, l INTEGER, v TEXT, PRIMARY KEY(k, l)) WITHOUT ROWID;
    CREATE INDEX w_v ON w(v);
    CREATE TABLE descending(id INTEGER PRIMARY KEY DESC, v TEXT);
    CREATE TABLE short(id INT PRIMARY KEY, v TEXT);
    CREATE TABLE word(k TEXT PRIMARY KEY, v TEXT);
    CREATE TABLE st(id INTEGER PRIMARY KEY, i INTEGER NOT NULL, r REAL NOT NULL, t TEXT, o ANY) STRICT;
    CREATE INDEX st_e ON st(coalesce(t, 'a, b'), -i) WHERE i > 0;
    CREATE TABLE loose(x, y NOT NULL);
    CREATE TABLE d(id INTEGER PRIMARY KEY, n TEXT NOT NULL DEFAULT 5, f BOOLEAN DEFAULT 0,
      c DATETIME DEFAULT (datetime('now')), x TEXT UNIQUE DEFAULT NULL, e NOT NULL DEFAULT (1 + 1),
      g AS (n || x), h TEXT NOT NULL AS (coalesce(x, 'h')) STORED);
    CREATE TABLE log(what TEXT, count INTEGER NOT NULL DEFAULT 0);
    CREATE TRIGGER d_before BEFORE INSERT ON d BEGIN INSERT INTO log VALUES (NEW.x, 1); END;
    CREATE TRIGGER d_update BEFORE UPDATE ON d BEGIN UPDATE d SET c = NULL WHERE id = NEW.id; END;
    CREATE TRIGGER d_after AFTER INSERT ON d BEGIN UPDATE d SET f = NULL WHERE id = NEW.id; END;
    CREATE TRIGGER w_after AFTER UPDATE ON w BEGIN INSERT INTO log(what) VALUES (NEW.v); END;
    CREATE VIEW vi AS SELECT id, t FROM a;
    CREATE TRIGGER vi_insert INSTEAD OF INSERT ON vi BEGIN INSERT INTO log(what) VALUES (NEW.t); END;
    CREATE TRIGGER vi_update INSTEAD OF UPDATE ON vi BEGIN INSERT INTO log(what) VALUES (NEW.t); END;
    CREATE TRIGGER vi_delete INSTEAD OF DELETE ON vi BEGIN INSERT INTO log(what) VALUES (OLD.t); END;
    CREATE VIEW va AS SELECT a.id, a.t, b.t AS bt FROM a LEFT JOIN b ON b.a = a.id;
    CREATE VIEW vb AS SELECT id, t FROM a WHERE n > 0;
    CREATE VIEW vc AS SELECT t, count(*) AS c, max(t) AS x FROM a;
    CREATE VIRTUAL TABLE f USING fts5(title, body);
    CREATE TABLE other.o(id INTEGER PRIMARY KEY, t TEXT NOT NULL, u TEXT);
    CREATE TEMP TABLE tt(id INTEGER PRIMARY KEY, t TEXT NOT NULL, u TEXT);
    """

  static let rows = [
    """
    INSERT INTO a(id, n, t, r, m) VALUES (1, NULL, 'x', NULL, 9e999), (2, 2, 'y', 9e999, -9e999),
      (3, NULL, 'x', -9e999, 0), (4, 0, '', 1.5, 9e999);
    INSERT INTO b VALUES (1, 1, 'p', NULL), (2, NULL, 'q', 'u'), (3, NULL, 'q', NULL), (7, 4, 'x', NULL);
    INSERT INTO w VALUES ('k', 1, NULL), ('k', 2, 'v'), ('l', 1, NULL);
    INSERT INTO descending VALUES (NULL, NULL), (1, NULL), (NULL, 'v');
    INSERT INTO short VALUES (NULL, NULL), (1, NULL);
    INSERT INTO word VALUES (NULL, NULL), ('k', NULL), (NULL, 'v');
    INSERT INTO st VALUES (1, 1, 9e999, NULL, NULL), (2, 9223372036854775807, -9e999, 't', 1);
    INSERT INTO d(id, n, f, x) VALUES (1, 'n', NULL, NULL), (2, 2, 1, 'x'), (8, '', 'no', 'y');
    INSERT INTO loose VALUES (NULL, 1), (1, 'x'), (x'00', 9e999), ('9e999', '-9e999');
    INSERT INTO f VALUES (NULL, NULL), ('x', NULL), (NULL, 'x y');
    INSERT INTO other.o VALUES (1, 'o', NULL), (2, 'x', NULL);
    INSERT INTO temp.tt VALUES (1, 'o', NULL), (5, 'x', NULL);
    """,
    """
    INSERT INTO a(id, n, t, r, m) VALUES (5, NULL, 'x', NULL, 1);
    INSERT INTO b VALUES (6, NULL, 'x', NULL);
    INSERT INTO st VALUES (5, 0, 0, NULL, NULL);
    INSERT INTO loose VALUES (NULL, 0);
    """,
  ]

  static func connections() throws -> [Connection] {
    try ([""] + rows).map { rows in
      let connection = try Connection()
      try connection.execute(sql: "ATTACH ':memory:' AS other")
      try connection.execute(sql: schema)
      try connection.execute(sql: rows)
      return connection
    }
  }
}
