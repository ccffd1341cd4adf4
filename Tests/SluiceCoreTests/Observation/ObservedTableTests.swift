import SluiceCore
import TestSupport
import Testing

/// Live queries observe each kind of table, and each way to change a table.
///
/// SQLite's update hook reports no rows of WITHOUT ROWID tables, and SQLite counts rows without reading a column.
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `live queries on all kinds of tables` {
  @Test func `a live query observes a WITHOUT ROWID table`() throws {
    let observed = try Observed(
      "CREATE TABLE t(a PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO t VALUES (1, 2)",
      "SELECT b FROM t")
    #expect(try observed.values(for: "INSERT INTO t VALUES (2, 3)") == 1)
    #expect(try observed.values(for: "UPDATE t SET b = 5") == 1)
    #expect(try observed.values(for: "DELETE FROM t") == 1)
    #expect(try observed.isCurrent("SELECT b FROM t"))
  }

  @Test func `a live count emits for inserts and deletes but not for updates`() throws {
    let observed = try Observed(
      "CREATE TABLE t(a, b); CREATE TABLE other(a)", "SELECT count(*) FROM t")
    #expect(try observed.values(for: "INSERT INTO t VALUES (1, 2)") == 1)
    #expect(try observed.values(for: "INSERT INTO other VALUES (1)") == 0)
    #expect(try observed.values(for: "UPDATE t SET a = 3") == 0)
    #expect(try observed.values(for: "DELETE FROM t") == 1)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `a live query observes a full-text table`() throws {
    let observed = try Observed(
      "CREATE VIRTUAL TABLE f USING fts5(title, body); CREATE TABLE other(a)",
      "SELECT body FROM f WHERE f MATCH 'fox'")
    #expect(try observed.values(for: "INSERT INTO f VALUES ('a', 'quick fox')") == 1)
    #expect(try observed.isCurrent("SELECT body FROM f WHERE f MATCH 'fox'"))
    #expect(try observed.values(for: "UPDATE f SET title = 'fox'") == 1)
    #expect(try observed.values(for: "INSERT INTO f(f) VALUES ('optimize')") == 1)
    #expect(try observed.values(for: "INSERT INTO other VALUES (1)") == 0)
    #expect(try observed.values(for: "DELETE FROM f") == 1)
    #expect(try observed.isCurrent("SELECT body FROM f WHERE f MATCH 'fox'"))
  }

  @Test(arguments: ["SELECT seq FROM sqlite_sequence", "SELECT count(*) FROM sqlite_sequence"])
  func `a live query observes sqlite_sequence`(query: String) throws {
    let observed = try Observed(
      "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a); CREATE TABLE other(a)", query)
    #expect(try observed.values(for: "INSERT INTO t(a) VALUES (1)") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "REPLACE INTO t VALUES (9, 1)") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "UPDATE t SET a = 2") == 0)
  }

  @Test(arguments: ["user_version", "application_id"])
  func `a live query observes user_version and application_id`(name: String) throws {
    for query in ["SELECT \(name) FROM pragma_\(name)", "PRAGMA main.\(name)"] {
      let observed = try Observed("CREATE TABLE t(a)", query)
      #expect(try observed.values(for: "PRAGMA \(name) = 7") == 1)
      #expect(try observed.isCurrent(query))
      #expect(try observed.values(for: "BEGIN; PRAGMA \(name.uppercased())(8); ROLLBACK") == 0)
      #expect(try observed.values(for: "PRAGMA \(name); INSERT INTO t VALUES (1)") == 0)
    }
    let observed = try Observed("CREATE TABLE t(a)", "SELECT a FROM t")
    #expect(try observed.values(for: "PRAGMA \(name) = 7") == 0)
  }

  @Test(arguments: ["ANALYZE", "ANALYZE t", "ANALYZE main.i"])
  func `a live query observes the statistics that ANALYZE writes`(sql: String) throws {
    let query = "SELECT count(*), max(stat) FROM sqlite_stat1"
    let observed = try Observed(
      "CREATE TABLE t(a); CREATE INDEX i ON t(a); CREATE TABLE other(a); ANALYZE", query)
    #expect(try observed.values(for: "INSERT INTO t VALUES (1), (2)") == 0)
    #expect(try observed.values(for: sql) == 1)
    #expect(try observed.isCurrent(query))
  }

  @Test(arguments: [
    "SELECT count(*) FROM pragma_foreign_key_check",
    "SELECT count(*) FROM pragma_foreign_key_check('c')",
    "SELECT (SELECT count(*) FROM pragma_foreign_key_check)", "PRAGMA foreign_key_check",
    "PRAGMA main.FOREIGN_KEY_CHECK(c)",
  ])
  func `a live query observes the rows that foreign_key_check reads`(query: String) throws {
    let observed = try Observed(
      """
      PRAGMA foreign_keys = OFF; CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(p REFERENCES p, x)
      """, query)
    #expect(try observed.values(for: "INSERT INTO c VALUES (5, 1)") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "INSERT INTO p VALUES (5)") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "UPDATE c SET p = 7") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "BEGIN; DELETE FROM c; ROLLBACK") == 0)
    #expect(try observed.values(for: "SAVEPOINT s; DELETE FROM c; ROLLBACK TO s; RELEASE s") == 0)
    #expect(try observed.values(for: "DELETE FROM c") == 1)
    #expect(try observed.isCurrent(query))
  }

  @Test(arguments: ["integrity_check", "quick_check"], ["SELECT * FROM pragma_", "PRAGMA main."])
  func `a live query observes the rows that a check of the database reads`(
    name: String, start: String
  ) throws {
    let query = start + name
    let observed = try Observed(
      "CREATE TABLE t(a); CREATE INDEX i ON t(a); INSERT INTO t VALUES (NULL)", query)
    #expect(try observed.values(for: "INSERT INTO t VALUES (1)") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "REINDEX") == 1)
    #expect(try observed.values(for: "SELECT a FROM t") == 0)
  }

  @Test(arguments: [
    "SELECT page_count FROM pragma_page_count", "PRAGMA page_count", "PRAGMA freelist_count",
  ])
  func `a live query observes the number of pages`(query: String) throws {
    let observed = try Observed(
      "PRAGMA auto_vacuum = incremental; CREATE TABLE t(a); CREATE TABLE other(a)", query)
    #expect(try observed.values(for: "INSERT INTO t VALUES (zeroblob(50000))") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "DELETE FROM t") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "PRAGMA incremental_vacuum(3)") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "VACUUM") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "SELECT a FROM t") == 0)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `a live query observes the vocabulary of a full-text table`() throws {
    let query = "SELECT term FROM v"
    let observed = try Observed(
      "CREATE VIRTUAL TABLE f USING fts5(a); CREATE VIRTUAL TABLE v USING fts5vocab(f, row)",
      query)
    #expect(try observed.values(for: "INSERT INTO f VALUES ('quick fox')") == 1)
    #expect(try observed.isCurrent(query))
  }

  @Test func `a live query observes a vacuum`() throws {
    let query = "SELECT rowid, a FROM t"
    let observed = try Observed(
      "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3); DELETE FROM t WHERE a = 2", query)
    #expect(try observed.values(for: "VACUUM") == 1)
    #expect(try observed.isCurrent(query))
  }

  @Test(arguments: [
    "SELECT a.y FROM a JOIN b USING (x)", "SELECT y FROM a NATURAL JOIN b",
    "SELECT count(*) FROM a join b using (x)", "SELECT x FROM a FULL JOIN b USING (x)",
    "SELECT y FROM a LEFT JOIN b USING (x)", "SELECT n FROM v", "SELECT 1 FROM outer_view",
    "SELECT y FROM a WHERE EXISTS (SELECT 1 FROM b NATURAL JOIN w)",
    "WITH c AS (SELECT y FROM a NATURAL JOIN b) SELECT y FROM c",
  ])
  func `a live query observes the columns that a join compares by name`(query: String) throws {
    let observed = try Observed(
      """
      CREATE TABLE a(x, y); CREATE TABLE b(x, z); CREATE TABLE w(x PRIMARY KEY, u) WITHOUT ROWID;
      CREATE TABLE other(x); CREATE VIEW v AS SELECT count(*) AS n FROM a NATURAL JOIN b;
      CREATE VIEW outer_view AS SELECT n FROM v;
      INSERT INTO a VALUES (1, 2), (3, 4); INSERT INTO w VALUES (1, 2), (3, 4)
      """, query)
    #expect(try observed.values(for: "INSERT INTO b VALUES (1, 2)") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "UPDATE b SET x = 3") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "UPDATE a SET x = 5") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "DELETE FROM b") == 1)
    #expect(try observed.isCurrent(query))
    #expect(try observed.values(for: "INSERT INTO other VALUES (1)") == 0)
  }

  @Test(arguments: [
    "SELECT housing FROM a", "SELECT y FROM a /* using b */",
    "SELECT y FROM a WHERE y IS NOT 'using'",
    "SELECT y FROM plain",
    "SELECT a.y FROM a JOIN (SELECT value AS x FROM json_each('[1]')) USING (x)",
  ])
  func `a live query does not observe a table that it does not join by name`(query: String) throws {
    let observed = try Observed(
      """
      CREATE TABLE a(x, y, housing); CREATE TABLE b(x); CREATE TABLE other(x);
      CREATE VIEW plain AS SELECT y FROM a
      """, query)
    #expect(try observed.values(for: "INSERT INTO other VALUES (1)") == 0)
    #expect(try observed.values(for: "INSERT INTO b VALUES (1)") == 0)
    #expect(try observed.values(for: "INSERT INTO a VALUES (1, 2, 3)") == 1)
    #expect(try observed.isCurrent(query))
  }

  private final class Tables: Sendable { let names = Locked<Set<String>>([]) }

  @Test func `an authorizer is not asked about the queries that find joined tables`() throws {
    let queue = try ConnectionQueue()
    let tables = Tables()
    try queue.sync { db in
      try db.execute(sql: "CREATE TABLE a(x, y); CREATE TABLE b(x); INSERT INTO a VALUES (1, 2)")
      try db.authorize { request in
        if case .read(let table, _) = request.action {
          tables.names.withLock { _ = $0.insert(table) }
        }
        return .allow
      }
    }
    let recorder = Recorder<[RowValues]>(.unlimited)
    queue.observe(.values, sql: "SELECT a.y FROM a JOIN b USING (x)").subscribe(recorder)
    queue.settle()
    try queue.sync { try $0.execute(sql: "INSERT INTO b VALUES (1)") }
    queue.settle()
    #expect(recorder.values.last?.count == 1)
    #expect(
      tables.names.withLock { $0 }.isDisjoint(with: ["pragma_database_list", "pragma_table_xinfo"]))
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `a live query observes a virtual table that a join compares by name`() throws {
    let query = "SELECT a.y FROM a JOIN f USING (x)"
    let observed = try Observed(
      "CREATE TABLE a(x, y); INSERT INTO a VALUES (1, 2); CREATE VIRTUAL TABLE f USING fts5(x)",
      query)
    #expect(try observed.values(for: "INSERT INTO f VALUES (1)") == 1)
    #expect(try observed.isCurrent(query))
  }

  @Test func `a live query observes writes by triggers, including triggers on a view`() throws {
    let observed = try Observed(
      """
      CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x);
      CREATE VIEW v AS SELECT x FROM a;
      CREATE TRIGGER r AFTER INSERT ON a BEGIN INSERT INTO b VALUES (NEW.x); END;
      CREATE TRIGGER s AFTER INSERT ON b BEGIN INSERT INTO c VALUES (NEW.x); END;
      CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN INSERT INTO a VALUES (NEW.x); END
      """, "SELECT x FROM c")
    #expect(try observed.values(for: "INSERT INTO a VALUES (1)") == 1)
    #expect(try observed.values(for: "INSERT INTO v VALUES (2)") == 1)
    #expect(try observed.isCurrent("SELECT x FROM c"))
  }

  @Test func `a live query on a view observes the columns that the view reads`() throws {
    let observed = try Observed(
      "CREATE TABLE a(x, y); CREATE VIEW v AS SELECT x FROM a", "SELECT * FROM v")
    #expect(try observed.values(for: "INSERT INTO a VALUES (1, 2)") == 1)
    #expect(try observed.values(for: "UPDATE a SET y = 3") == 0)
    #expect(try observed.values(for: "UPDATE a SET x = 3") == 1)
  }

  @Test func `a live query observes changes by cascading foreign keys`() throws {
    let observed = try Observed(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(p REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE, x);
      CREATE TABLE n(c REFERENCES p ON DELETE SET NULL);
      INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (1, 1), (2, 2)
      """, "SELECT p, x FROM c ORDER BY x")
    #expect(try observed.values(for: "UPDATE p SET id = 7 WHERE id = 1") == 1)
    #expect(try observed.isCurrent("SELECT p, x FROM c ORDER BY x"))
    #expect(try observed.values(for: "DELETE FROM p WHERE id = 2") == 1)
    #expect(try observed.values(for: "REPLACE INTO p VALUES (7)") == 1)
    #expect(try observed.isCurrent("SELECT p, x FROM c ORDER BY x"))
  }

  @Test func `a live query observes generated columns`() throws {
    let observed = try Observed(
      "CREATE TABLE t(a, b AS (a * 2), c); INSERT INTO t(a, c) VALUES (1, 1)", "SELECT b FROM t")
    #expect(try observed.values(for: "UPDATE t SET a = 2") == 1)
    #expect(try observed.isCurrent("SELECT b FROM t"))
  }

  @Test(arguments: [
    "CREATE UNIQUE INDEX i ON t(b)", "CREATE UNIQUE INDEX i ON t(abs(b))",
    "CREATE UNIQUE INDEX i ON t(a) WHERE b = 1",
  ])
  func `a live query observes rows that an update of another column replaces`(index: String) throws
  {
    let observed = try Observed(
      "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 1), (1, 2), (3, 3); \(index)",
      "SELECT a FROM t")
    #expect(try observed.values(for: "UPDATE OR REPLACE t SET b = 1 WHERE b = 2") == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test(.enabled(if: SQLiteLibrary.has(.sessions)))
  func `a live query observes an applied changeset`() throws {
    let source = try Connection()
    try source.execute(
      sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE u(a PRIMARY KEY)")
    let session = try source.session()
    try source.execute(sql: "INSERT INTO t VALUES (1, 2)")
    let bytes = try session.changeset().bytes
    let observed = try Observed(
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE u(a PRIMARY KEY)", "SELECT b FROM t")
    let applied = try observed.values { try $0.apply(Changeset(bytes: bytes)) }
    #expect(applied == 1)
    #expect(try observed.isCurrent("SELECT b FROM t"))
    let refused = try observed.values { connection in
      try connection.transaction { connection, command in
        try connection.execute(sql: "DELETE FROM t")
        try connection.apply(Changeset(bytes: bytes))
        command = .rollback
      }
    }
    #expect(refused == 0)
  }

  @Test func `a live query observes blobs written in place`() throws {
    let observed = try Observed(
      "CREATE TABLE T(a); INSERT INTO t(rowid, a) VALUES (1, zeroblob(4))", "SELECT a FROM t")
    let written = try observed.values { connection in
      let blob = try connection.openBlob(table: "t", column: "a", rowid: 1, readOnly: false)
      try blob.write([1, 2])
      try blob.close()
    }
    #expect(written == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test func `a live query emits after a backup replaces the database`() throws {
    let observed = try Observed("CREATE TABLE t(a)", "SELECT a FROM t")
    let copied = try observed.values { connection in
      let source = try Connection()
      try source.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      try source.backup(to: connection)
    }
    #expect(copied == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test(.enabled(if: SQLiteLibrary.has(.serialization)))
  func `a live query emits after a deserialization replaces the database`() throws {
    let observed = try Observed("CREATE TABLE t(a)", "SELECT a FROM t")
    let replaced = try observed.values { connection in
      let source = try Connection()
      try source.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      try connection.deserialize(source.serialize())
    }
    #expect(replaced == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }

  @Test func `a live query observes writes by a function during a query`() throws {
    let observed = try Observed("CREATE TABLE t(a); CREATE TABLE u(a)", "SELECT a FROM t")
    let written = try observed.values { connection in
      let again = connection
      try again.addFunction("put", arity: 0) { [unowned again] _ in
        try again.execute(sql: "INSERT INTO t VALUES (1)")
        return .null
      }
      try again.execute(sql: "SELECT put()")
      try again.removeFunction("put", arity: 0)
    }
    #expect(written == 1)
    #expect(try observed.isCurrent("SELECT a FROM t"))
  }
}
