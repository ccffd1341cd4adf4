import SluiceCore
import TestSupport
import Testing

extension Configuration {
  /// A copy of this configuration that trusts the schema.
  fileprivate var trusting: Configuration {
    var configuration = self
    configuration.trustedSchema = true
    return configuration
  }
}

@Suite("T5: untrusted files") struct UntrustedFileTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Creates a file by running `sql` with functions that only the file's creator has.
  private func make(_ sql: String) throws {
    var configuration = Configuration.sqliteDefaults
    configuration.trustedSchema = true
    let db = try Connection(path: folder.file(), configuration: configuration)
    try db.addFunction("launch", arity: 1, options: .innocuous) { _ in .null }
    try db.addFunction("steal", arity: 1, options: [.deterministic, .innocuous]) { _ in .null }
    try db.execute(sql: sql)
    try db.close()
  }

  private func open(_ configuration: Configuration = .untrusted) throws -> Connection {
    try Connection(path: folder.file(), configuration: configuration)
  }

  private var writing: Configuration {
    var configuration = Configuration.untrusted
    configuration.readOnly = false
    return configuration
  }

  @Test func `an untrusted file can be backed up and read by a pool`() throws {
    try make("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let copy = folder.file("copy.db")
    try open().backup(to: copy)
    #expect(try Connection(path: copy).column("SELECT a FROM t") == [1])
    let pool = try ConnectionPool(path: folder.file(), configuration: .untrusted)
    #expect(try pool.syncRead { try $0.column("SELECT a FROM t") } == [1])
    #expect(
      failure { try pool.syncWrite { try $0.execute(sql: "DELETE FROM t") } }?.code == .readOnly)
    try pool.syncClose()
  }

  @Test func `the untrusted configuration turns on all protections, and SQL cannot turn them off`()
    throws
  {
    try make("CREATE TABLE t(a)")
    let db = try open()
    #expect(try db.option(.defensive))
    #expect(try !db.option(.trustedSchema))
    #expect(try !db.option(.loadableExtensions))
    #expect(try db.value("PRAGMA cell_size_check") == 1)
    #expect(try db.column("PRAGMA mmap_size").first ?? 0 == 0)
    #expect(try db.limit(.attachedDatabases) == 0)
    #expect(try db.limit(.expressionDepth) == 100)
    for sql in [
      "PRAGMA trusted_schema = ON", "pragma WRITABLE_SCHEMA = 1", "PRAGMA cell_size_check(0)",
      "PRAGMA mmap_size = 1000000", "ATTACH ':memory:' AS other", "DETACH temp",
    ] { #expect(failure { try db.execute(sql: sql) }?.code == .authorization, "\(sql)") }
    let isThere = SQLiteLibrary.has(.loadableExtensions)
    for name in isThere ? ["load_extension", "fts3_tokenizer"] : ["fts3_tokenizer"] {
      let error = failure { try db.execute(sql: "SELECT \(name)('x')") }
      #expect(error?.message == "not authorized to use function: \(name)")
    }
    #expect(failure { try db.attach(path: ":memory:", as: "b") }?.code == .authorization)
  }

  @Test func `an untrusted file is read-only unless the program allows writes`() throws {
    try make("CREATE TABLE t(a)")
    let bytes = try folder.bytes()
    #expect(failure { try open().execute(sql: "INSERT INTO t VALUES (1)") }?.code == .readOnly)
    #expect(try folder.bytes() == bytes)
    try open(writing).execute(sql: "INSERT INTO t VALUES (1)")
    #expect(try open().value("SELECT a FROM t") == 1)
    #expect(
      failure { try Connection(path: folder.file("none.db"), configuration: .untrusted) }?.code
        == .cantOpen)
  }

  @Test(arguments: [Configuration.untrusted, .untrusted.trusting])
  func `a read-only untrusted connection evaluates no CHECK constraint`(
    _ configuration: Configuration
  ) throws {
    try make("CREATE TABLE t(a CHECK (launch(a) IS NULL)); INSERT INTO t VALUES (1)")
    let db = try open(configuration)
    var calls = 0
    // SQLite 3.40 lets a CHECK call a nondeterministic function, regardless of the function's options.
    try db.addFunction("launch", arity: 1) { _ in
      calls += 1
      return .null
    }
    #expect(try db.column("SELECT a FROM t") == [1])
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (2)") }?.code == .readOnly)
    _ = try db.integrityProblems()
    _ = try db.integrityProblems(isQuick: true)
    #expect(calls == 0)
  }

  @Test func `an untrusted file's virtual table cannot use the program's modules`() throws {
    let maker = try Connection(path: folder.file())
    try maker.addModule("csv", as: .eponymous) { _ in try ProbeTable(Probe()) }
    try maker.execute(
      sql: "CREATE VIRTUAL TABLE person USING csv(a); CREATE VIRTUAL TABLE csv USING csv(b)")
    try maker.close()
    let db = try open()
    var made = 0
    try db.addModule("csv", as: .eponymous) { _ in
      made += 1
      return try ProbeTable(Probe())
    }
    for table in ["person", "csv"] {
      let error = failure { try db.query(.values, sql: "SELECT * FROM \(table)") }
      #expect(error?.code == .authorization || error?.message.contains("no file") == true)
    }
    #expect(made == 0)
  }

  @Test func `the program can use its own virtual tables with an untrusted file`() throws {
    try make("CREATE TABLE t(a)")
    let db = try open()
    try db.addTableFunction("letters", columns: ["letter"], parameters: ["text"]) {
      (text: String) in text.map { String($0) }
    }
    #expect(try db.column("SELECT letter FROM letters('ab')") == ["a", "b"])
    try db.addModule("probe") { _ in try ProbeTable(Probe()) }
    try db.execute(sql: "CREATE VIRTUAL TABLE temp.own USING probe(a); CREATE TEMP TABLE u(a)")
    _ = try db.query(.values, sql: "SELECT * FROM own")
    #expect(try db.query(.column(.int), "SELECT 1 WHERE 1 IN \([1, 2])") == [1])
  }

  @Test(arguments: ["fts3tokenize", "sqlite_stmt", "fsdir", "zipfile", "csv", "sqlite_dbpage"])
  func `modules that read other files or internal data are unavailable to an untrusted file`(
    module: String
  ) throws {
    try make(
      """
      CREATE TABLE t(a); PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema VALUES
        ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING \(module)(''/'')')
      """)
    let error = failure { try open().query(.values, sql: "SELECT * FROM v") }
    #expect(error?.message == "no such module: \(module)")
  }

  /// The declarations of virtual tables whose modules the linked SQLite has.
  private static let declarations = [
    (SQLiteCapability.fts5, Configuration.StoredModule.fts5, "fts5(a)"),
    (.fts4, .fts4, "fts4(a)"), (.fts4, .fts4, "fts3(a)"), (.rtree, .rtree, "rtree(id, x, y)"),
    (.rtree, .rtree, "rtree_i32(id, x, y)"), (.geopoly, .geopoly, "geopoly(a)"),
  ].filter { SQLiteLibrary.has($0.0) }

  @Test(arguments: declarations)
  func `a virtual table of an untrusted file is usable only if the program allows its module`(
    _: SQLiteCapability, module: Configuration.StoredModule, declaration: String
  ) throws {
    try make("CREATE TABLE plain(a); CREATE VIRTUAL TABLE v USING \(declaration)")
    let name = declaration.prefix { $0 != "(" }
    for allowed in [[], Set(Configuration.StoredModule.allCases).subtracting([module])] {
      let db = try open(.untrusted(allowing: allowed))
      let error = failure { try db.query(.values, sql: "SELECT * FROM v") }
      #expect(error?.message == "no such module: \(name)")
      #expect(try db.tables().contains { $0.name == "plain" })
      #expect(try db.column("SELECT a FROM plain").isEmpty)
      #expect(try db.integrityProblems().isEmpty)
    }
    #expect(try open(.untrusted(allowing: [module])).query(.values, sql: "SELECT * FROM v").isEmpty)
  }

  @Test(
    .enabled(if: SQLiteLibrary.has(.fts5)),
    arguments: ["trigram case_sensitive", "trigram remove_diacritics", "trigram a 1 b"])
  func `an option of a tokenizer without a value throws, wherever the declaration comes from`(
    _ tokenizer: String
  ) throws {
    let create = "CREATE VIRTUAL TABLE note USING fts5(s, tokenize = '\(tokenizer)')"
    let db = try Connection()
    for tokenizer in [tokenizer, "porter \(tokenizer)", tokenizer.uppercased()] {
      let error = failure {
        try db.execute(
          sql: "CREATE VIRTUAL TABLE note USING fts5(s, tokenize = '\(tokenizer)')")
      }
      #expect(error?.message == "error in tokenizer constructor")
    }
    try db.execute(sql: "CREATE TABLE plain(id INTEGER PRIMARY KEY, a)")
    #expect(
      failure {
        try db.createFullTextIndex("i", on: "plain", columns: ["a"], tokenize: tokenizer)
      }?.message == "error in tokenizer constructor")
    let base = tokenizer.split(separator: " ").map(String.init)
    try db.addTokenizer("filter") { _ in
      ScriptedFilter(base: base) { token, _, tokens in try tokens.add(token) }
    }
    let error = failure {
      try db.execute(sql: "CREATE VIRTUAL TABLE filtered USING fts5(s, tokenize = filter)")
    }
    #expect(error?.message.hasPrefix("error in tokenizer constructor") == true)
    try make(
      """
      CREATE TABLE plain(a); CREATE VIRTUAL TABLE note USING fts5(s); PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = '\(create.replacing("'", with: "''"))' WHERE name = 'note'
      """)
    for configuration in [Configuration(), .sqliteDefaults, .untrusted(allowing: [.fts5])] {
      let db = try open(configuration)
      #expect(
        failure { try db.query(.values, sql: "SELECT * FROM note") }?.message
          == "error in tokenizer constructor")
      #expect(try db.tables().contains { $0.name == "plain" })
      #expect(try db.columns(of: "plain").count == 1)
      #expect(try db.table(named: "plain") != nil)
      for isQuick in [false, true] {
        #expect(
          try db.integrityProblems(isQuick: isQuick)
            == ["The virtual table note cannot be used: error in tokenizer constructor"])
      }
    }
    #expect(try open().integrityProblems().isEmpty)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `the integrity check reports a virtual table that cannot be used, whatever LIKE means`()
    throws
  {
    let db = try Connection()
    try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(s); UPDATE note_config SET v = 99")
    // The version of the format is checked when a connection first uses the table.
    let copy = try Connection()
    try db.backup(to: copy)
    try copy.addFunction("like", arity: 2) { _ in false }
    let problems = try copy.integrityProblems()
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("The virtual table note cannot be used: ") == true)
    // Other damage is reported beside it.
    try copy.execute(
      sql: """
        CREATE TABLE t(a CHECK (a > 0)); PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (0);
        PRAGMA ignore_check_constraints = OFF
        """)
    let both = try copy.integrityProblems()
    #expect(both.count == 2 && both.contains { $0.contains("CHECK constraint failed in t") })
    #expect(both.contains { $0.hasPrefix("The virtual table note cannot be used: ") })
    #expect(try copy.integrityProblems(limit: 1).count == 1)
  }

  @Test(
    .enabled(if: SQLiteLibrary.has(.fts5)),
    arguments: [
      "trigram", "trigram case_sensitive 1", "trigram case_sensitive 0", "porter trigram",
      "unicode61 remove_diacritics 2", "ascii", "porter ascii",
    ])
  func `tokenizers with valid options work`(_ tokenizer: String) throws {
    let db = try Connection()
    try db.execute(
      sql: """
        CREATE VIRTUAL TABLE note USING fts5(s, tokenize = '\(tokenizer)');
        INSERT INTO note VALUES ('a quick fox'), ('a lazy dog')
        """)
    #expect(try db.column("SELECT rowid FROM note('quick')") == [1])
  }

  @Test func `a connection with the untrusted configuration can read an ordinary file`() throws {
    try make(
      """
      CREATE TABLE t(a, b AS (upper(a))); INSERT INTO t VALUES ('x'), ('y');
      CREATE INDEX i ON t(lower(a)); CREATE VIEW v AS SELECT count(*) AS n FROM t
      """)
    if SQLiteLibrary.has(.fts5) {
      try make("CREATE VIRTUAL TABLE note USING fts5(a); INSERT INTO note VALUES ('the fox')")
    }
    if SQLiteLibrary.has(.rtree) {
      try make(
        "CREATE VIRTUAL TABLE place USING rtree(id, x, y); INSERT INTO place VALUES (1, 2, 3)")
    }
    let db = try open(.untrusted(allowing: [.fts5, .rtree]))
    #expect(try db.column("SELECT b FROM t ORDER BY a") == ["X", "Y"])
    #expect(try db.value("SELECT n FROM v") == 2)
    if SQLiteLibrary.has(.fts5) {
      #expect(try db.value("SELECT count(*) FROM note('fox')") == 1)
    }
    if SQLiteLibrary.has(.rtree) {
      #expect(try db.value("SELECT id FROM place WHERE x >= 1") == 1)
    }
    #expect(try db.integrityProblems().isEmpty)
  }

  @Test func `a deadline interrupts the query of a view that never ends`() throws {
    try make(
      """
      CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c
      """)
    let queue = try ConnectionQueue(path: folder.file(), configuration: .untrusted)
    #expect(throws: DeadlineError.self) {
      try queue.sync(deadline: .now + .milliseconds(20)) {
        try $0.execute(sql: "SELECT max(x) FROM v")
      }
    }
  }

  @Test func `a hot journal next to an untrusted file is not rolled back`() throws {
    try make("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(50000))")
    let writer = try Connection(path: folder.file())
    try writer.execute(sql: "PRAGMA cache_size = 1; BEGIN; UPDATE t SET a = zeroblob(60000)")
    let hot = try TestFolder()
    try hot.write(folder.bytes())
    try hot.write(folder.bytes("app.db-journal"), to: "app.db-journal")
    try writer.execute(sql: "ROLLBACK")
    let before = try (hot.bytes(), hot.bytes("app.db-journal"))
    let error = failure {
      try Connection(path: hot.file(), configuration: .untrusted).value("SELECT count(*) FROM t")
    }
    #expect(error?.code == .readOnlyRollback)
    #expect(try hot.bytes() == before.0 && hot.bytes("app.db-journal") == before.1)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.serialization)))
  func `a deserialized database has the same restrictions as an untrusted file`() throws {
    try make("CREATE VIEW v AS SELECT launch(1) AS a; CREATE TABLE t(a); INSERT INTO t VALUES (5)")
    let db = try Connection(configuration: .untrusted)
    try db.addFunction("launch", arity: 1) { _ in .null }
    try db.deserialize(folder.bytes(), readOnly: true)
    #expect(try db.value("SELECT a FROM t") == 5)
    #expect(failure { try db.execute(sql: "SELECT * FROM v") }?.code == .authorization)
  }

  @Test func `configured limits apply and never exceed SQLite's own limits`() throws {
    var configuration = Configuration()
    configuration.limits = [.sqlLength: 20, .length: Int.max, .columns: Int.min]
    let plain = try Connection().limit(.length)
    let db = try Connection(configuration: configuration)
    #expect(try db.limit(.sqlLength) == 20)
    #expect(try db.limit(.length) == plain)
    #expect(failure { try db.execute(sql: "SELECT 1234567890 + 1234567890") }?.code == .tooBig)
  }
}
