import SluiceTesting

/// A generator of statements that a program could write, for the tables that ``schema`` creates.
///
/// The statements cover what the grammar of SQLite permits and Sluice sends: queries, changes of 1 to 100,000 rows, changes
/// of the schema, pragmas, and values of up to 4 MB. Some of them fail, as those of a program do.
struct OrdinaryStatement {
  private var random: SeededGenerator
  /// The number of names that were used for new objects.
  private var names = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Tables of about 10 MB with indexes, a view, triggers, generated columns, and virtual tables.
  static let schema = """
    CREATE TABLE a(
      id INTEGER PRIMARY KEY, n INTEGER, r REAL, t TEXT, b BLOB, at DATETIME, ok BOOLEAN,
      half AS (n / 2) STORED, size AS (length(t)));
    CREATE TABLE b(
      k TEXT PRIMARY KEY, a INTEGER REFERENCES a(id) ON DELETE CASCADE ON UPDATE CASCADE, v)
      WITHOUT ROWID;
    CREATE TABLE s(id INTEGER PRIMARY KEY AUTOINCREMENT, x ANY NOT NULL DEFAULT 1) STRICT;
    CREATE TABLE log(what TEXT, id INTEGER);
    CREATE VIRTUAL TABLE f USING fts5(t, content = 'a', content_rowid = 'id');
    CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
    INSERT INTO a(id, n, r, t, b, at, ok)
      SELECT i, i * 7919 % 1000, i / 7.0, 'text ' || hex(randomblob(100)), randomblob(400), i, i % 2
      FROM n;
    INSERT INTO b SELECT 'key ' || id, id, r FROM a WHERE id % 2;
    INSERT INTO s(x) SELECT t FROM a WHERE id < 1000;
    INSERT INTO box SELECT id, n, n + 1, r, r + 1 FROM a WHERE id < 2000;
    INSERT INTO f(f) VALUES ('rebuild');
    CREATE INDEX a_by_n ON a(n, t);
    CREATE INDEX a_by_size ON a(length(b), ok) WHERE ok;
    CREATE UNIQUE INDEX b_by_a ON b(a, k);
    CREATE VIEW v AS SELECT a.id, a.n, b.k, b.v FROM a LEFT JOIN b ON b.a = a.id;
    CREATE TRIGGER a_added AFTER INSERT ON a BEGIN
      INSERT INTO log VALUES ('added', new.id);
      INSERT INTO f(rowid, t) VALUES (new.id, new.t);
    END;
    CREATE TRIGGER a_deleted AFTER DELETE ON a BEGIN
      INSERT INTO f(f, rowid, t) VALUES ('delete', old.id, old.t);
    END;
    CREATE TRIGGER v_changed INSTEAD OF UPDATE ON v BEGIN
      UPDATE a SET n = new.n WHERE id = new.id;
    END;
    """

  /// Returns the next statement.
  mutating func next() -> String {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<30: query()
    case ..<45: insert()
    case ..<60: update()
    case ..<70: delete()
    case ..<85: definition()
    case ..<90: alteration()
    default: other()
    }
  }
}

extension OrdinaryStatement {
  private mutating func pick(_ parts: [String]) -> String {
    parts.randomElement(using: &random) ?? ""
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  /// A number of rows, of which each order of magnitude is equally likely.
  private mutating func count() -> Int {
    var count = 1
    for _ in 0..<Int.random(in: 0...5, using: &random) { count *= 10 }
    return count
  }

  /// A query of the numbers from 1 to a number of rows.
  private mutating func numbers(_ count: Int) -> String {
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
  }

  private mutating func value() -> String {
    pick([
      "1", "-2.5", "NULL", "'text'", "x'00ff'", "randomblob(10)", "zeroblob(5000)",
      "randomblob(70000)",
      "zeroblob(4000000)", "hex(randomblob(3000))", "random()", "9223372036854775807", "1e308",
      "''",
      "datetime('now')", "char(955, 128512)", "json_array(1, 'x')", "printf('%099999d', 1)",
    ])
  }

  private mutating func condition() -> String {
    let id = Int.random(in: 1...12000, using: &random)
    return pick([
      "id = \(id)", "id < \(count())", "id > \(12000 - count())", "n = \(id % 1000)", "n % 3 = 1",
      "t LIKE 'text A%'", "r BETWEEN 5 AND \(id)", "ok", "b IS NULL", "id IN (1, 2, \(id))",
      "EXISTS (SELECT 1 FROM b WHERE b.a = a.id)", "id IN (SELECT a FROM b WHERE v > \(id))",
      "length(b) > 300", "half > 100 AND size > 20", "1",
    ])
  }

  private mutating func query() -> String {
    let condition = condition()
    let limit = count()
    return pick([
      "SELECT * FROM a WHERE \(condition)",
      "SELECT id, at, ok FROM a WHERE \(condition) ORDER BY t",
      "SELECT count(*), sum(n), avg(r), group_concat(substr(t, 1, 9)) FROM a WHERE \(condition)",
      "SELECT n, count(*) AS c, max(t) FROM a GROUP BY n HAVING c > 2 ORDER BY c DESC, n LIMIT \(limit)",
      "SELECT id, row_number() OVER (PARTITION BY n ORDER BY r), sum(n) OVER w, lag(t) OVER w FROM a "
        + "WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) LIMIT \(limit)",
      "SELECT * FROM v WHERE k IS NOT NULL ORDER BY v DESC LIMIT \(limit)",
      "SELECT a.*, b.* FROM a JOIN b ON b.a = a.id WHERE \(condition) LIMIT \(limit)",
      "SELECT a.id FROM a FULL JOIN b USING (id) LIMIT \(limit)",
      "SELECT t FROM a UNION SELECT k FROM b ORDER BY 1 LIMIT \(limit)",
      "SELECT id FROM a INTERSECT SELECT a FROM b EXCEPT SELECT id FROM s",
      "SELECT rowid, snippet(f, 0, '[', ']', '…', 5) FROM f WHERE f MATCH 'text' ORDER BY rank LIMIT \(limit)",
      "SELECT id FROM box WHERE x0 > 10 AND x1 < 400 LIMIT \(limit)",
      "SELECT DISTINCT n, ok FROM a ORDER BY n COLLATE NOCASE DESC NULLS LAST LIMIT \(limit) OFFSET 5",
      "\(numbers(limit)) SELECT i, \(value()) FROM n", "VALUES (1, 'x'), (2, \(value()))",
      "SELECT json_group_array(t) FROM a WHERE \(condition)", "SELECT \(value()), \(value())",
      "SELECT j.value FROM a, json_each('[' || n || ',2]') AS j WHERE \(condition)",
      "EXPLAIN QUERY PLAN SELECT * FROM v WHERE n = 5", "EXPLAIN SELECT * FROM a",
      "SELECT (SELECT max(v) FROM b WHERE b.a < a.id) FROM a WHERE id < 50",
      "SELECT * FROM sqlite_schema", "SELECT * FROM pragma_table_info('a')",
      "SELECT name, pgsize FROM dbstat LIMIT 20",
    ])
  }

  private mutating func insert() -> String {
    let verb = pick([
      "INSERT", "INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE", "INSERT OR FAIL",
      "INSERT OR ROLLBACK", "REPLACE",
    ])
    let many = count()
    let start = Int.random(in: 1...200_000, using: &random)
    let returning = chance(30) ? " RETURNING " + pick(["id", "*", "id, n AS number"]) : ""
    return pick([
      "\(verb) INTO a(id, n, t, b) VALUES (\(start), 5, \(value()), \(value()))\(returning)",
      "\(verb) INTO a(n, t) VALUES (1, 'a'), (2, 'b'), (3, \(value()))\(returning)",
      "\(numbers(many)) \(verb) INTO a(id, n, t) SELECT i + \(start), i, 'new ' || i FROM n WHERE true",
      "INSERT INTO a(id, n, t) VALUES (\(start % 12000), 1, 'x') ON CONFLICT (id) DO UPDATE SET "
        + "n = n + excluded.n, t = \(value())\(returning)",
      "\(numbers(many)) \(verb) INTO b SELECT 'new ' || i, i, randomblob(100) FROM n WHERE true",
      "\(verb) INTO s(x) SELECT \(value()) FROM a LIMIT \(many)", "INSERT INTO s DEFAULT VALUES",
      "INSERT INTO log SELECT t, id FROM a LIMIT \(many)",
      "INSERT INTO box VALUES (\(start), 1, 2, 3, 4)",
      "INSERT INTO f(f) VALUES ('integrity-check')",
      "INSERT INTO f(f) VALUES ('\(pick(["optimize", "rebuild"]))')",
    ])
  }

  private mutating func update() -> String {
    let condition = condition()
    let verb = pick(["UPDATE", "UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE", "UPDATE OR FAIL"])
    let returning = chance(20) ? " RETURNING id, n" : ""
    return pick([
      "\(verb) a SET n = n + 1 WHERE \(condition)\(returning)",
      "\(verb) a SET b = zeroblob(\(Int.random(in: 1...2000, using: &random))) WHERE \(condition)",
      "\(verb) a SET t = \(value()) WHERE id < \(min(count(), 100))\(returning)",
      "\(verb) a SET id = id + 100000 WHERE id = \(count())",
      "UPDATE a SET n = b.v FROM b WHERE b.a = a.id AND \(condition)",
      "UPDATE v SET n = 3 WHERE id < 50",
      "UPDATE b SET v = (SELECT max(r) FROM a WHERE a.id = b.a), k = k || 'x'",
      "UPDATE a SET (n, r) = (SELECT count(*), max(id) FROM s) WHERE \(condition)",
      "UPDATE log SET what = upper(what)", "UPDATE box SET x1 = x1 + 1 WHERE id < 500",
      "UPDATE sqlite_sequence SET seq = seq + 1", "UPDATE s SET x = x",
    ])
  }

  private mutating func delete() -> String {
    let condition = condition()
    return pick([
      "DELETE FROM a WHERE \(condition)", "DELETE FROM a WHERE id > 12000 RETURNING id",
      "DELETE FROM b WHERE a < \(count())", "DELETE FROM log",
      "DELETE FROM s WHERE id % 2 RETURNING *",
      "DELETE FROM box WHERE x0 < 100",
      "DELETE FROM a WHERE id IN (SELECT id FROM a LIMIT \(count()))",
      "DELETE FROM s", "DELETE FROM a WHERE id < 100 AND \(condition)",
    ])
  }

  private mutating func definition() -> String {
    names += 1
    let old = max(1, names - Int.random(in: 1...4, using: &random))
    return pick([
      "CREATE TABLE t\(names) AS SELECT * FROM a WHERE \(condition())",
      "CREATE TABLE t\(names)(a PRIMARY KEY, b UNIQUE, c CHECK (c > 0), d REFERENCES a) WITHOUT ROWID",
      "CREATE TABLE IF NOT EXISTS t\(old)(id INTEGER PRIMARY KEY, x)",
      "DROP TABLE IF EXISTS t\(old)",
      "CREATE INDEX i\(names) ON a(\(pick(["r", "t DESC, n", "substr(t, 3)", "b", "at, ok, half"])))",
      "CREATE UNIQUE INDEX i\(names) ON a(n)", "CREATE INDEX i\(names) ON b(v) WHERE v IS NOT NULL",
      "DROP INDEX IF EXISTS i\(old)", "REINDEX", "REINDEX a", "ANALYZE", "ANALYZE a_by_n",
      "CREATE VIEW v\(names) AS SELECT n, count(*) AS c FROM a GROUP BY n",
      "DROP VIEW IF EXISTS v\(old)",
      "CREATE TRIGGER g\(names) BEFORE UPDATE OF n ON a WHEN new.n > 500 BEGIN "
        + "INSERT INTO log VALUES ('n', new.id); END", "DROP TRIGGER IF EXISTS g\(old)",
      "CREATE VIRTUAL TABLE w\(names) USING fts5(x, y, prefix = '2 3')",
      "INSERT INTO w\(old) SELECT t, n FROM a LIMIT \(count())", "DROP TABLE IF EXISTS w\(old)",
    ])
  }

  private mutating func alteration() -> String {
    names += 1
    let old = max(1, names - Int.random(in: 1...4, using: &random))
    return pick([
      "ALTER TABLE s ADD COLUMN c\(names) INTEGER DEFAULT 5", "ALTER TABLE s DROP COLUMN c\(old)",
      "ALTER TABLE s RENAME COLUMN c\(old) TO c\(names)", "ALTER TABLE t\(old) RENAME TO t\(names)",
      "ALTER TABLE log ADD COLUMN c\(names) TEXT", "ALTER TABLE log RENAME TO log\(names)",
      "CREATE TABLE log(what TEXT, id INTEGER)",
      "CREATE TABLE copy(id INTEGER PRIMARY KEY, x); INSERT INTO copy SELECT id, t FROM a; "
        + "DROP TABLE copy",
    ])
  }

  private mutating func other() -> String {
    pick([
      "PRAGMA integrity_check", "PRAGMA quick_check(a)", "PRAGMA foreign_key_check",
      "PRAGMA table_xinfo(a)", "PRAGMA index_list(a)", "PRAGMA user_version = 5",
      "PRAGMA foreign_keys = 1", "PRAGMA defer_foreign_keys = 1", "PRAGMA recursive_triggers = 0",
      "PRAGMA journal_mode", "PRAGMA page_count", "PRAGMA compile_options", "PRAGMA wal_checkpoint",
      "SAVEPOINT x; UPDATE a SET n = 0 WHERE id < \(count()); ROLLBACK TO x; RELEASE x",
      "BEGIN; DELETE FROM a; ROLLBACK", "BEGIN IMMEDIATE; UPDATE a SET r = r + 1; COMMIT",
      "SELECT nothing FROM nowhere", "SELEC 1", "VACUUM", "ATTACH 'x' AS y", "/* nothing */",
    ])
  }
}
