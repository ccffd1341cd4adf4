import SluiceCore
import TestSupport
import Testing

@Suite("T5: functions that a schema calls") struct SchemaFunctionTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Creates a file by running `sql` with functions that only the file's creator has.
  private func make(_ sql: String) throws {
    let db = try Connection(path: folder.file(), configuration: .sqliteDefaults)
    try db.addFunction("launch", arity: 1, options: .innocuous) { _ in .null }
    try db.addFunction("steal", arity: 1, options: [.deterministic, .innocuous]) { _ in .null }
    try db.execute(sql: sql)
    try db.close()
  }

  private func open(_ configuration: Configuration) throws -> Connection {
    try Connection(path: folder.file(), configuration: configuration)
  }

  private var writing: Configuration {
    var configuration = Configuration.untrusted
    configuration.readOnly = false
    return configuration
  }

  @Test(arguments: [
    ("CREATE TABLE t(a); CREATE VIEW v AS SELECT launch(1) AS a", "SELECT * FROM v"),
    ("CREATE TABLE t(a, b AS (steal(a))); INSERT INTO t VALUES (1)", "SELECT b FROM t"),
    ("CREATE TABLE t(a, b AS (steal(a)) STORED)", "INSERT INTO t VALUES (1)"),
    ("CREATE TABLE t(a CHECK (steal(a) IS NULL))", "INSERT INTO t VALUES (1)"),
    ("CREATE TABLE t(a DEFAULT (launch(1)), b)", "INSERT INTO t(b) VALUES (1)"),
    ("CREATE TABLE t(a); CREATE INDEX i ON t(steal(a))", "INSERT INTO t VALUES (1)"),
    ("CREATE TABLE t(a); CREATE INDEX i ON t(a) WHERE steal(a)", "INSERT INTO t VALUES (1)"),
    (
      "CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT launch(1); END",
      "INSERT INTO t VALUES (1)"
    ),
    (
      """
      CREATE TABLE t(a); CREATE VIEW v AS SELECT a FROM t;
      CREATE TRIGGER r INSTEAD OF INSERT ON v WHEN launch(1) BEGIN SELECT 1; END
      """, "INSERT INTO v VALUES (1)"
    ),
  ]) func `the schema of an untrusted file cannot call the program's functions`(
    schema: String, use: String
  ) throws {
    try make(schema)
    // SQLite decides whether the schema may call a function when it reads the schema.
    for (configuration, readsSchema) in [
      (writing, false), (writing, true), (Configuration(), false), (Configuration(), true),
    ] {
      let db = try open(configuration)
      if readsSchema { _ = try db.column("SELECT count(*) FROM sqlite_schema") }
      var calls = 0
      try db.addFunction("launch", arity: 1) { _ in
        calls += 1
        return .null
      }
      try db.addFunction("steal", arity: 1, options: .deterministic) { _ in
        calls += 1
        return .null
      }
      let error = failure { try db.execute(sql: use) }
      #expect(error?.code == .authorization)
      #expect(error?.message.hasPrefix("unsafe use of ") == true, "\(String(describing: error))")
      #expect(calls == 0)
      _ = try db.query(.values, sql: "SELECT launch(1), steal(1)")
      #expect(calls == 2)
    }
  }

  @Test func `while a statement runs, no function can be added that the schema must not call`()
    throws
  {
    try make("CREATE TABLE t(a CHECK (Steal(a) IS NULL)); INSERT INTO t VALUES (1)")
    let db = try open(writing)
    try db.execute(sql: "SELECT a FROM t") { _ in
      #expect(failure { try db.addFunction("steal", arity: 1) { _ in 1 } }?.code == .misuse)
      try db.addFunction("other", arity: 1) { _ in 1 }
      try db.addFunction("steal", arity: 1, options: .innocuous) { _ in .null }
    }
    try db.execute(sql: "INSERT INTO t VALUES (zeroblob(other(1)))")
    let blob = try db.openBlob(table: "t", column: "a", rowid: 2)
    #expect(failure { try db.addFunction("steal", arity: -1) { _ in 1 } }?.code == .misuse)
    try blob.close()
    try db.addFunction("steal", arity: 1, options: .deterministic) { _ in .null }
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .authorization)
  }

  @Test func `adding a function leaves the schema writable, and keeps temporary tables`() throws {
    let db = try Connection()
    try db.setOption(.writableSchema, true)
    try db.execute(
      sql: "CREATE TEMP TABLE t(a); BEGIN; CREATE TABLE u(a); INSERT INTO u VALUES (1)")
    try db.addFunction("f", arity: 0) { _ in 5 }
    #expect(try db.option(.writableSchema))
    #expect(try db.column("SELECT f() FROM u, (SELECT count(*) FROM t)") == [5])
    try db.execute(sql: "INSERT INTO t VALUES (7); COMMIT")
    #expect(try db.column("SELECT a FROM t") == [7])
  }

  @Test func `in a transaction, no function can be added that the schema must not call`() throws {
    // SQLite reads each variable as a single token, although it contains a quotation mark.
    try make(
      """
      CREATE TABLE t(a, b, c);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql =
        'CREATE TABLE t(a DEFAULT ($a('')), b CHECK (steal(b) IS NULL), c DEFAULT ($b('')))'
      """)
    let db = try open(writing)
    try db.transaction { db in
      #expect(failure { try db.addFunction("STEAL", arity: 1) { _ in 1 } }?.code == .misuse)
      try db.addFunction("other", arity: 0) { _ in 1 }
      #expect(try db.column("SELECT other()") == [1])
    }
  }

  @Test func `in a transaction, the authorizer cannot prevent that a function is added`() throws {
    let db = try Connection()
    let token = try db.authorize { if case .pragma = $0.action { .deny } else { .allow } }
    try db.transaction { db in
      try db.addFunction("f", arity: 0) { _ in 1 }
      #expect(try db.column("SELECT f()") == [1])
    }
    token.cancel()
  }

  @Test func `a transaction that is tried again does not repeat a function that the schema names`()
    throws
  {
    let queue = try ConnectionQueue(label: "functions")
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(slug)") }
    var count = 0
    let error = failure {
      try queue.syncWrite(retries: 3) { db in
        count += 1
        try db.addFunction("slug", arity: 1) { _ in 1 }
      }
    }
    #expect(error?.code == .misuse)
    #expect(count == 1)
  }

  @Test(arguments: [SQLiteCapability.fts5, .fts4].filter(SQLiteLibrary.has))
  func `adding functions in a transaction does not damage a full-text table`(
    module: SQLiteCapability
  ) throws {
    let db = try Connection()
    try db.execute(sql: "CREATE VIRTUAL TABLE f USING \(module == .fts5 ? "fts5" : "fts4")(a)")
    if module == .fts5 {
      try db.execute(sql: "INSERT INTO f(f, rank) VALUES ('pgsz', 32), ('hashsize', 1000)")
    }
    try db.transaction { db in
      for number in 1...300 {
        let words = (0..<15).map { "w\((number * 7 + $0 * 13) % 60)" }.joined(separator: " ")
        try db.execute("INSERT INTO f(rowid, a) VALUES (\(number), \(words))")
        if number % 3 == 0 { try db.execute("DELETE FROM f WHERE rowid = \(number - 1)") }
        if number % 25 == 0 { try db.addFunction("g\(number)", arity: 0) { _ in 1 } }
      }
    }
    try db.execute(sql: "INSERT INTO f(f) VALUES ('integrity-check')")
    #expect(try db.column("SELECT count(*) FROM f") == [200])
  }
}
