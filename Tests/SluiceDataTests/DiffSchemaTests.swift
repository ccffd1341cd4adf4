import Foundation
import SluiceCore
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `differences between schemas` {
  @Test func `objects are added, removed and changed`() throws {
    let pair = try DiffPair(
      """
      CREATE TABLE a(x); CREATE TABLE b(x UNIQUE); CREATE TABLE c(x); INSERT INTO c VALUES (1), (2);
      CREATE INDEX i ON a(x); CREATE INDEX j ON a(x); CREATE VIEW v AS SELECT 1; CREATE VIEW w AS SELECT 2;
      CREATE TRIGGER t AFTER INSERT ON c BEGIN SELECT 1; END; CREATE INDEX k ON c(x);
      INSERT INTO b VALUES (5);
      """,
      then: """
        DROP TABLE b; CREATE TABLE d(y, z PRIMARY KEY); INSERT INTO d VALUES (1, 2);
        ALTER TABLE c ADD COLUMN z DEFAULT 7; DROP INDEX i; DROP INDEX j; CREATE INDEX j ON a(x DESC);
        DROP VIEW v; DROP VIEW w; CREATE VIEW w AS SELECT 3; CREATE VIEW u AS SELECT 4;
        PRAGMA user_version = 5; PRAGMA application_id = -1;
        """)
    let diff = try pair.diff()
    #expect(
      diff.schemaChanges.map(\.description) == [
        "removed table \"b\"", "removed index \"i\"", "removed view \"v\"", "changed table \"c\"",
        "added table \"d\"", "changed index \"j\"", "changed view \"w\"", "added view \"u\"",
        "changed user_version from 0 to 5", "changed application_id from 0 to -1",
      ])
    #expect(try !diff.isEmpty)
    let summary = try diff.summary()
    #expect(summary.map(\.table) == ["b", "c", "d"])
    #expect(
      summary.map { [$0.insertedCount, $0.updatedCount, $0.deletedCount] } == [
        [0, 0, 1], [2, 0, 2], [1, 0, 0],
      ])
    try check(pair)
  }

  @Test func `white space, comments and the quotes of names do not matter, but strings do`() throws
  {
    let first = "CREATE TABLE t(a TEXT DEFAULT 'x', b /* old */ INT)"
    for (second, isSame) in [
      ("CREATE TABLE \"t\" (A text default 'x',\n  b INT -- new\n)", true),
      ("CREATE TABLE t(a TEXT DEFAULT 'X', b INT)", false),
      ("CREATE TABLE t(a TEXT DEFAULT 'x', b INT, c)", false),
    ] {
      let pair = try DiffPair(first, then: "DROP TABLE t; \(second)")
      #expect(try pair.diff().isEmpty == isSame)
      try check(pair)
    }
  }

  @Test func `triggers do not fire, and exist again afterwards`() throws {
    let pair = try DiffPair(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, v); CREATE TABLE log(text);
      CREATE TRIGGER t1 AFTER INSERT ON t BEGIN INSERT INTO log VALUES ('in'); END;
      CREATE TRIGGER t2 BEFORE DELETE ON t BEGIN SELECT raise(ABORT, 'no'); END;
      CREATE TRIGGER t3 AFTER UPDATE ON t BEGIN INSERT INTO log VALUES ('up'); END;
      INSERT INTO t VALUES (1, 1), (2, 2); DELETE FROM log;
      """,
      then: """
        DROP TRIGGER t2; DROP TRIGGER t1; DROP TRIGGER t3;
        DELETE FROM t WHERE id = 1; UPDATE t SET v = 3; INSERT INTO t VALUES (7, 7);
        CREATE TRIGGER t1 AFTER INSERT ON t BEGIN INSERT INTO log VALUES ('in'); END;
        CREATE TRIGGER t2 BEFORE DELETE ON t BEGIN SELECT raise(ABORT, 'no'); END;
        CREATE TRIGGER t3 AFTER UPDATE ON t BEGIN INSERT INTO log VALUES ('UP'); END;
        """)
    #expect(try pair.diff().schemaChanges.map(\.description) == ["changed trigger \"t3\""])
    try check(pair)
  }

  @Test func `foreign keys delete nothing else`() throws {
    let pair = try DiffPair(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, v UNIQUE);
      CREATE TABLE b(a REFERENCES a ON DELETE CASCADE);
      INSERT INTO a VALUES (1, 1), (2, 2); INSERT INTO b VALUES (1), (2);
      """,
      then: "PRAGMA foreign_keys = OFF; UPDATE a SET v = -v; INSERT INTO a VALUES (3, 3)")
    try check(pair)
    #expect(try pair.connection.integers("SELECT count(*) FROM b") == [2])
  }

  @Test func `a changed table keeps its indexes and triggers`() throws {
    let pair = try DiffPair(
      """
      CREATE TABLE t(a, b); CREATE INDEX i ON t(a); CREATE INDEX gone ON t(b);
      CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM t; END;
      CREATE VIEW v AS SELECT a FROM t; INSERT INTO t VALUES (1, 2);
      """,
      then: "DROP INDEX gone; ALTER TABLE t ADD COLUMN c; UPDATE t SET c = 3")
    #expect(
      try pair.diff().schemaChanges.map(\.description) == [
        "removed index \"gone\"", "changed table \"t\"",
      ])
    try check(pair)
  }

  @Test func `the counters of AUTOINCREMENT are compared`() throws {
    let pair = try DiffPair(
      "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES (5); CREATE TABLE u(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO u VALUES (1)",
      then:
        "INSERT INTO t VALUES (9); DELETE FROM t WHERE id = 9; DELETE FROM sqlite_sequence WHERE name = 'u'"
    )
    #expect(try pair.diff().summary().map(\.table) == ["sqlite_sequence"])
    try check(pair)
    let other = try DiffPair(
      "CREATE TABLE x(a)",
      then:
        "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES (5), (9); DELETE FROM t WHERE id = 9"
    )
    try check(other)
  }

  @Test(arguments: [
    // The table is created again, so its counter is lost unless the SQL sets it.
    (
      "INSERT INTO t VALUES (5, 'x'); UPDATE sqlite_sequence SET seq = 10", "ALTER TABLE t ADD b",
      10
    ),
    // Inserting a row raises a counter that is smaller than the key.
    (
      "INSERT INTO t VALUES (5, 'x'); UPDATE sqlite_sequence SET seq = 3",
      "INSERT INTO t VALUES (7, 'y'); UPDATE sqlite_sequence SET seq = 3", 3
    ),
  ])
  func `the SQL of other changes keeps the counters of AUTOINCREMENT`(
    sql: String, change: String, counter: Int
  ) throws {
    let pair = try DiffPair(
      "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a); \(sql)", then: change)
    try check(pair)
    #expect(try pair.connection.integers("SELECT seq FROM sqlite_sequence") == [counter])
    #expect(try pair.diff().isEmpty)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `the rows of full-text tables are compared`() throws {
    let pair = try DiffPair(
      """
      CREATE VIRTUAL TABLE note USING fts5(title, body);
      INSERT INTO note(rowid, title, body) VALUES (1, 'a', 'water'), (2, 'b', 'sluice');
      """,
      then: """
        UPDATE note SET body = 'gate' WHERE rowid = 1; DELETE FROM note WHERE rowid = 2;
        INSERT INTO note(rowid, title, body) VALUES (9, 'c', 'lock');
        CREATE VIRTUAL TABLE more USING fts5(text); INSERT INTO more VALUES ('new');
        """)
    #expect(try pair.diff().summary().map(\.table) == ["more", "note"])
    try check(pair)
    #expect(try pair.connection.integers("SELECT rowid FROM note('lock OR gate')") == [1, 9])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `a full-text index of another table is rebuilt`() throws {
    let pair = try DiffPair(
      """
      CREATE TABLE doc(id INTEGER PRIMARY KEY, body); INSERT INTO doc VALUES (1, 'water');
      CREATE VIRTUAL TABLE words USING fts5(body, content = 'doc', content_rowid = id);
      CREATE TRIGGER add_words AFTER INSERT ON doc BEGIN INSERT INTO words(rowid, body) VALUES (new.id, new.body); END;
      INSERT INTO words(words) VALUES ('rebuild');
      """,
      then: "INSERT INTO doc VALUES (2, 'lock')")
    let tables = try pair.diff().uncomparedTables
    #expect(tables.map(\.name) == ["words"])
    #expect(tables.map(\.reason) == ["its content is in another table"])
    try check(pair)
    #expect(try pair.connection.integers("SELECT rowid FROM words('lock OR water')") == [1, 2])
  }

  @Test func `the rows of other virtual tables are not compared`() throws {
    let pair = try DiffPair(
      """
      CREATE TABLE t(a); PRAGMA writable_schema = ON;
      INSERT INTO sqlite_master VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING absent(a)');
      PRAGMA writable_schema = RESET;
      """, then: "INSERT INTO t VALUES (1)")
    let diff = try pair.diff()
    #expect(diff.uncomparedTables.map(\.name) == ["v"])
    #expect(diff.schemaChanges == [])
    #expect(try diff.summary().map(\.table) == ["t"])
  }

  @Test func `hostile names are quoted`() throws {
    let names = ["a\"b", "it's", "x\n;y", "😀", "select", "é\u{301}\"\u{301}", "--", "/*"]
    let tables = names.map { name in
      let quoted = name.quotedName
      return """
        CREATE TABLE \(quoted)(\(quoted) PRIMARY KEY, v); INSERT INTO \(quoted) VALUES (1, 2);
        CREATE INDEX \("i\(name)".quotedName) ON \(quoted)(v);
        CREATE TRIGGER \("t\(name)".quotedName) AFTER DELETE ON \(quoted) BEGIN SELECT 1; END;

        """
    }
    let changes = names.map { "UPDATE \($0.quotedName) SET \($0.quotedName) = 3;" }
    try check(try DiffPair(tables.joined(), then: changes.joined()))
    try check(try DiffPair("", then: tables.joined()))
    try check(
      try DiffPair(tables.joined(), then: names.map { "DROP TABLE \($0.quotedName);" }.joined()))
  }
}
