import Sluice
import SluiceCluster
import Testing

@Suite("Statements for a node") struct StatementTests {
  typealias Kind = ClusterStatement.Kind

  static let reads = [
    "SELECT 1", "SELECT id, name FROM person WHERE id = :id", "select * from person limit 3",
    "SELECT 1 + 1 /* sum */ , 2 -- two", "SELECT 'it''s', \"id\", [id], `id` FROM person",
    "SELECT id FROM person ORDER BY name LIMIT ? OFFSET ?",
    "SELECT id FROM person ORDER BY name LIMIT ?2, ?1",
    "VALUES (1, 'a'), (2, ?)", "VALUES (1) UNION SELECT 2 ORDER BY 1 LIMIT 1",
    "WITH a AS (SELECT 1 AS x), b(y) AS NOT MATERIALIZED (SELECT x FROM a) SELECT y, y + :z FROM b",
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT i FROM n",
    "WITH replace AS (SELECT 1 AS a) SELECT * FROM replace",
    "WITH v AS (SELECT 1) VALUES (1)",
    "EXPLAIN SELECT :a", "EXPLAIN QUERY PLAN SELECT * FROM person WHERE id = ?",
    "SELECT person.*, event.id FROM person LEFT JOIN event ON event.person = person.id",
    "SELECT a.id, b.id, a.name AS \"\", a.name AS \"a \"\" b\" FROM person a, person b LIMIT 1",
    "SELECT name FROM person UNION ALL SELECT note FROM event ORDER BY 1 DESC LIMIT 2",
    "SELECT count(*), max(age) AS oldest FROM person GROUP BY isTall HAVING count(*) > @c",
    "SELECT name, row_number() OVER w FROM person WINDOW w AS (ORDER BY id)",
    "SELECT (SELECT id FROM event LIMIT 1) FROM person LIMIT 1",
    "SELECT age IS DISTINCT FROM 3, DISTINCT_ FROM (SELECT 1 AS age, 2 AS DISTINCT_)",
    "SELECT DISTINCT age FROM person", "SELECT ALL age FROM person",
    "SELECT id FROM person -- the end", "SELECT id FROM person /* the end */",
    "SELECT 1 LIMIT 1 -- x", "SELECT \"from\", [order by], `x``y` FROM \"select\"",
    "SELECT 'RETURNING; DELETE FROM person', id FROM person", "SELECT id FROM person /* never ends",
    "SELECT $a::b(c), :a, ?3, ?, @a, $a, ?1, ?07", "SELECT ?, ?1, ?5, ?", "SELECT :é, :é, #a, #a",
    "SELECT :1a, :1e+5, ?1returning_", "SELECT x'00', 1e+5, .5, 0x1F", "SELECT 1;",
    "SELECT value FROM json_each(?) ORDER BY 1", "SELECT 1 AS returning_",
    "SELECT * FROM (SELECT id, id FROM person)", "SELECT rowid, _rowid_, oid FROM person",
    "PRAGMA table_info(person)", "PRAGMA main.table_xinfo = 'person'", "PRAGMA table_list",
    "PRAGMA index_list(\"event\")", "PRAGMA index_info(event_person)",
    "PRAGMA index_xinfo(event_person)", "PRAGMA foreign_key_list(event)",
    "PRAGMA foreign_key_check", "PRAGMA Foreign_Key_Check(person)", "PRAGMA integrity_check(3)",
    "PRAGMA quick_check", "PRAGMA user_version", "PRAGMA application_id", "PRAGMA schema_version",
    "PRAGMA foreign_keys", "PRAGMA page_count", "PRAGMA page_size", "PRAGMA freelist_count",
    "PRAGMA encoding", "PRAGMA collation_list", "PRAGMA function_list", "PRAGMA compile_options",
    "PRAGMA data_version", "PRAGMA database_list", "PRAGMA journal_mode", "PRAGMA cache_size",
    "PRAGMA busy_timeout", "PRAGMA synchronous", "PRAGMA table_info(missing)",
    "EXPLAIN PRAGMA table_info(person)", "EXPLAIN INSERT INTO person(name) VALUES (?)",
    "EXPLAIN DELETE FROM person RETURNING id",
  ]

  @Test(arguments: reads) func `a query has the columns and parameters of the original`(
    _ sql: String
  ) throws {
    try StandIn().check(sql, .read)
  }

  @Test(arguments: [
    ("SELECT * FROM person", true), ("SELECT ALL * FROM person", true),
    ("select distinct * FROM person", true), ("SELECT id, * FROM person", true),
    ("SELECT person.* FROM person", true), ("SELECT 1 UNION ALL SELECT * FROM person", true),
    ("DELETE FROM person RETURNING *", true), ("SELECT count(*) FROM person", false),
    ("SELECT 2 * 3", false), ("SELECT \"all\" * 2 FROM (SELECT 1 AS \"all\")", false),
    ("INSERT INTO person(name) SELECT 2 * 3", false),
  ])
  func `a statement depends on the schema if a star stands for all columns`(
    _ sql: String, depends: Bool
  ) throws {
    let statement = try #require(try ClusterStatement.next(in: sql, from: 0).0)
    #expect(statement.dependsOnSchema == depends)
  }

  static let returning = [
    "INSERT INTO person(name) VALUES (?) RETURNING id",
    "INSERT INTO person(name) VALUES ('returning') RETURNING *",
    "INSERT OR REPLACE INTO person(name) VALUES (:n) RETURNING id, name AS n, 1 + :n",
    "REPLACE INTO person(name) VALUES (:n) RETURNING born, *, isTall",
    "INSERT INTO person AS p(name) VALUES (?) RETURNING person.id, person . name",
    "INSERT INTO main.person DEFAULT VALUES RETURNING \"odd\"\"name\", twice, rowid",
    "INSERT INTO person(id, name) VALUES (1, 'a') ON CONFLICT(name) DO NOTHING"
      + " ON CONFLICT(id) DO UPDATE SET name = excluded.name WHERE id = ? RETURNING id",
    "UPDATE OR IGNORE person SET name = note FROM event WHERE person = person.id RETURNING name",
    "UPDATE person AS p SET age = age + ? WHERE id IN (1, 2) RETURNING age, age + 1 -- last",
    "DELETE FROM person WHERE id = 1 RETURNING (SELECT count(*) FROM event), (born) b, (isTall)",
    "DELETE FROM person RETURNING 1 + 1 -- a, b\n, 2 + 2 /* c */, 3 AS d -- e\n ; -- f",
    "DELETE FROM person WHERE id = 1 RETURNING 'x' /* c */ , id /* d */;",
    "WITH c AS (SELECT 7 AS q) INSERT INTO person(age) SELECT q FROM c RETURNING age, (SELECT q FROM c)",
    "WITH person AS (SELECT 7 AS q) DELETE FROM event RETURNING id, (SELECT q FROM person)",
    "INSERT INTO \"select\"(\"from\") VALUES (1) RETURNING *, \"from\" AS 'a''b', [order by]",
    "INSERT INTO tall(name) VALUES ('x') RETURNING name, born",
    "INSERT INTO pair VALUES (5, 1) RETURNING b, a, *, +b",
  ]

  /// Statements that a build of SQLite reads if its parser was generated with this option.
  static let limited: [(sql: String, kind: Kind)] =
    !SQLiteLibrary.compileOptions.contains("ENABLE_UPDATE_DELETE_LIMIT")
    ? []
    : [
      (
        "UPDATE person SET age = ? RETURNING born, ? + 1 ORDER BY id LIMIT ?, ? -- last", .returning
      ),
      ("DELETE FROM person WHERE :a RETURNING *, born /* x */ LIMIT 1", .returning),
      ("DELETE FROM person ORDER BY id LIMIT ?", .write),
    ]

  @Test(.enabled(if: !limited.isEmpty), arguments: limited)
  func `a limited update has the columns and parameters of the original`(
    _ sql: String, _ kind: Kind
  ) throws {
    try StandIn().check(sql, kind)
  }

  @Test(arguments: returning) func `RETURNING has the columns and parameters of the original`(
    _ sql: String
  ) throws {
    try StandIn().check(sql, .returning)
  }

  @Test(arguments: [
    ("p", "p.age"), ("p", "P.age"), ("p", "\"P\" . age"), ("[P q]", "`p Q`.age"), ("'P'", "p.age"),
  ])
  func `a column of RETURNING can be named with the alias of the table`(
    _ alias: String, _ column: String
  ) throws {
    let standIn = try StandIn()
    let sql = "UPDATE person AS \(alias) SET age = 1 RETURNING \(column)"
    #expect(try standIn.names(of: standIn.statement(sql)) == ["age"])
  }

  static let writes = [
    "INSERT INTO person(name) VALUES (?)", "INSERT INTO person DEFAULT VALUES",
    "UPDATE person SET name = :a WHERE name = :b OR :a IS NULL", "DELETE FROM person",
    "REPLACE INTO person(id, name) VALUES (?2, ?4)", "CREATE TABLE t(a, b)",
    "CREATE TABLE \"a 'b'\"(\"c;d\")", "CREATE TABLE t AS SELECT * FROM person",
    "CREATE TRIGGER t AFTER INSERT ON person BEGIN UPDATE person SET age = 1; DELETE FROM event; END",
    "CREATE INDEX IF NOT EXISTS i ON person(age)", "DROP TABLE IF EXISTS t",
    "ALTER TABLE person ADD COLUMN x", "REINDEX", "ANALYZE",
    "INSERT INTO event(note) VALUES ('RETURNING')",
    "UPDATE event SET note = (SELECT \"id\" FROM person)",
    "PRAGMA user_version = 3", "PRAGMA application_id(7)", "PRAGMA foreign_keys = ON",
    "PRAGMA defer_foreign_keys = 1", "PRAGMA recursive_triggers = off",
    "WITH c AS (SELECT 1 AS q) INSERT INTO person(age) SELECT q FROM c WHERE ?1",
    "CREATE VIRTUAL TABLE v USING fts5(a, b)", "CREATE TABLE t AS SELECT ? AS a",
  ]

  @Test(arguments: writes) func `a statement without columns has the original's parameters`(
    _ sql: String
  ) throws {
    try StandIn().check(sql, .write)
  }

  @Test(arguments: [
    "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "END TRANSACTION", "ROLLBACK", "ROLLBACK TO a",
    "SAVEPOINT a", "RELEASE a", "nonsense", "EXPLAIN COMMIT", "WITH x SELECT 1", "(", "'a'", "é",
    "PRAGMA", "PRAGMA a.", "WITH a AS", "EXPLAIN", "EXPLAIN QUERY",
  ])
  func `transactions and invalid SQL run in the local database`(_ sql: String) throws {
    let statement = try StandIn().statement(sql)
    #expect(statement.kind == .local)
    #expect(try statement.localSQL(names: []) == sql)
    #expect(statement.names == nil)
  }
}
