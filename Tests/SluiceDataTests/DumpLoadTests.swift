import Foundation
import SluiceCore
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `loading a script` {
  private let connection: Connection

  init() throws { connection = try Connection() }

  private func load(_ script: String, pieceSize: Int? = nil) throws {
    var rest = Array(script.utf8)[...]
    try connection.load {
      let piece = rest.prefix(pieceSize ?? max(1, script.utf8.count))
      rest = rest.dropFirst(piece.count)
      return piece.isEmpty ? nil : Array(piece)
    }
  }

  static let script = """
    \u{feff}-- A comment; with a semicolon, and a 'quote.
    /* Another; one ' */ CREATE TABLE "a;b"([x;y], `z;`, "it""s", d DEFAULT '--');;
    /*/ still a comment */
    CREATE TRIGGER t1 AFTER INSERT ON "a;b" BEGIN SELECT 1; SELECT CASE WHEN 1 THEN 2 END; END;
    create trigger if not exists [END;] after insert on "a;b" begin
      update "a;b" set d = ';END;' where 0; -- END;
      select [end] from (select 1 as "end;", 2 as [end]);
    end;
    INSERT INTO "a;b" VALUES (1 -- one
    , 'it''s;', x'3b', 4/*;*/-1);
    EXPLAIN QUERY PLAN CREATE TRIGGER t2 AFTER INSERT ON "a;b" BEGIN SELECT 1; END;
    SELECT 1; VALUES (2)
    """

  @Test(arguments: [nil, 1, 2, 3, 7, 64])
  func `statements are found wherever the pieces end`(size: Int?) throws {
    try load(Self.script, pieceSize: size)
    let row = try #require(try connection.prepare(sql: "SELECT * FROM \"a;b\"").rows().first)
    #expect(row.values == [.integer(1), .text("it's;"), .blob([0x3b]), .integer(3)])
    #expect(try connection.schemaObjects(.trigger).map(\.name) == ["t1", "END;"])
  }

  @Test func `an empty script does nothing`() throws {
    for script in ["", " \n", "-- nothing", "/* nothing", ";;", "\u{feff}", "BEGIN; COMMIT;"] {
      try load(script)
    }
    #expect(try connection.schemaObjects().isEmpty)
  }

  @Test func `an error names the line, carries the statement, and undoes everything`() throws {
    try connection.execute(sql: "CREATE TABLE t(a UNIQUE)")
    let script = "BEGIN;\nINSERT INTO t VALUES (1);\n\n-- why\nINSERT INTO t\nVALUES (1); COMMIT;"
    let error = try #require(failure { try load(script) })
    #expect(error.code == .constraintUnique)
    #expect(error.message == "line 5: UNIQUE constraint failed: t.a")
    #expect(error.sql == "INSERT INTO t\nVALUES (1)")
    let syntax = try #require(failure { try load("SELECT 1;\nSELECT\n  2,\n  missing") })
    #expect(syntax.message == "line 4: no such column: missing")
    #expect(failure { try load("SELECT 'a\n;") }?.message.hasPrefix("line 1: ") == true)
    #expect(
      failure { try load("CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1;") }?.message
        == "line 1: incomplete input")
    #expect(try connection.integers("SELECT count(*) FROM t") == [0])
    #expect(connection.isInAutocommit)
  }

  @Test func `a truncated script is refused`() throws {
    var script = ""
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    try connection.dump { script += String(decoding: $0, as: UTF8.self) }
    for count in 0..<script.utf8.count - "\n".utf8.count {
      let copy = try Connection()
      let part = script.utf8.prefix(count)
      // Without `BEGIN`, a part is an empty script; without its last semicolon, the script is complete.
      let isComplete = !part.contains(Array("BEGIN".utf8)) || part.count == script.utf8.count - 2
      let error = failure { try SluiceDataTests.load(part, into: copy) }
      #expect((error == nil) == isComplete || !part.contains(Array("BEGIN;".utf8)), "\(count)")
      if !isComplete { #expect(try copy.schemaObjects().isEmpty) }
    }
    let error = failure { try load("SELECT 1;\nBEGIN;\nSELECT 1;") }
    #expect(error?.message == "The script is incomplete: no COMMIT follows the BEGIN in line 2")
  }

  @Test func `a script that rolls back is refused, and savepoints work`() throws {
    let error = failure { try load("BEGIN; CREATE TABLE t(a); ROLLBACK; -- due to errors") }
    #expect(error?.code == .abort)
    try load(
      """
      CREATE TABLE t(a); SAVEPOINT s; INSERT INTO t VALUES (1); ROLLBACK TO s; RELEASE s;
      SAVEPOINT open; INSERT INTO t VALUES (2);
      """)
    #expect(try connection.integers("SELECT a FROM t") == [2])
  }

  @Test(arguments: [
    "ATTACH '@/b.db' AS b", "DETACH b", "VACUUM INTO '@/b.db'", "SELECT load_extension('@/b.so')",
    "SELECT writefile('@/b.db', 'x')", "PRAGMA temp_store_directory = '@'",
    "PRAGMA journal_mode(wal); ATTACH '@/b.db' AS b", "EXPLAIN PRAGMA writable_schema = ON",
    "SELECT fts3_tokenizer('simple', x'0000000000000000')", "PRAGMA trusted_schema = ON",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'x'",
    "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x(a)')",
    "INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','x','x',0,'CREATE TABLE x(a)')",
    """
    INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)
    VALUES('table','x','x',0,'CREATE VIRTUAL TABLE x USING fts5(a); ATTACH ''@/b.db'' AS b')
    """,
    "INSERT INTO attached.kept VALUES (1)", "DROP TABLE attached.kept",
    "PRAGMA attached.user_version = 77", "PRAGMA attached.application_id = 66", "ANALYZE attached",
    "REINDEX attached.i", "ALTER TABLE attached.kept ADD b", "CREATE INDEX attached.j ON kept(a)",
    "PRAGMA attached.incremental_vacuum", "PRAGMA optimize", "PRAGMA wal_checkpoint",
    "PRAGMA case_sensitive_like = ON", "PRAGMA query_only = ON",
    "PRAGMA ignore_check_constraints = ON",
    "CREATE TRIGGER x AFTER INSERT ON kept BEGIN SELECT load_extension('@/b'); END; INSERT INTO kept VALUES (2)",
  ])
  func `a script reaches nothing but the main database`(statement: String) throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(
      sql: """
        CREATE TABLE kept(a); ATTACH ':memory:' AS attached; CREATE TABLE attached.kept(a);
        CREATE INDEX attached.i ON kept(a); ANALYZE attached;
        """)
    try connection.setOption(.writableSchema, true)
    let script = "CREATE TABLE first(a); " + statement.replacing("@", with: folder.url.path)
    #expect(failure { try SluiceDataTests.load(script.utf8, into: connection) } != nil)
    #expect(try connection.schemaObjects().map(\.name) == ["kept"])
    #expect(
      try connection.integers(
        "SELECT count(*) FROM kept UNION ALL SELECT count(*) FROM attached.kept") == [0, 0])
    #expect(try folder.content == ["app.db"])
    #expect(try connection.integers("PRAGMA attached.user_version") == [0])
    #expect(try connection.integers("PRAGMA attached.application_id") == [0])
    #expect(try connection.option(.writableSchema))
    // The rules end with the load.
    try connection.execute(sql: "INSERT INTO attached.kept VALUES (1); DETACH attached")
  }

  @Test(arguments: [
    "CREATE TEMP TRIGGER x AFTER INSERT ON main.t BEGIN DELETE FROM kept; SELECT called(); END",
    "CREATE TEMPORARY TABLE t(a)", "CREATE TEMP VIEW t AS SELECT 1", "CREATE TABLE temp.t(a)",
    "CREATE VIRTUAL TABLE temp.t USING fts5(a)", "CREATE INDEX temp.i ON own(a)", "DROP TABLE own",
    "INSERT INTO own VALUES (2)", "UPDATE own SET a = 2", "DELETE FROM own", "ANALYZE temp",
    "ALTER TABLE own RENAME TO t", "PRAGMA temp.user_version = 5", "EXPLAIN CREATE TEMP TABLE t(a)",
    "UPDATE sqlite_temp_master SET sql = 'x'",
  ])
  func `a script leaves nothing on the connection, and changes no temporary object`(
    statement: String
  ) throws {
    var callCount = 0
    try connection.addFunction("called") { () -> Int in
      callCount += 1
      return 1
    }
    try connection.execute(
      sql: """
        CREATE TABLE t(a); CREATE TABLE kept(a); INSERT INTO kept VALUES (1);
        CREATE TEMP TABLE own(a); INSERT INTO own VALUES (1);
        """)
    #expect(failure { try load("CREATE TABLE u(a); \(statement);") } != nil)
    try connection.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(callCount == 0)
    #expect(
      try connection.integers("SELECT a FROM kept UNION ALL SELECT a FROM main.t") == [1, 1])
    #expect(try connection.integers("SELECT a FROM own") == [1])
    #expect(try connection.schemaObjects(database: "temp").map(\.name) == ["own"])
    #expect(try connection.integers("PRAGMA temp.user_version") == [0])
  }

  @Test func `a script can rename tables although a temporary trigger uses them`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(a); CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END;
        """)
    try load("ALTER TABLE t RENAME TO u; ALTER TABLE u RENAME a TO b; INSERT INTO u VALUES (1);")
    #expect(try connection.integers("SELECT b FROM u") == [1])
  }

  @Test func `an error carries the beginning of a long statement`() throws {
    let text = String(repeating: "é", count: 100_000)
    let error = try #require(failure { try load("SELECT 1;\nINSERT INTO none VALUES ('\(text)')") })
    #expect(error.message == "line 2: no such table: none")
    #expect(error.sql?.hasPrefix("INSERT INTO none VALUES ('éé") == true)
    #expect(error.sql?.utf8.count ?? .max < 2_000)
    let late = try #require(failure { try load("SELECT '\(text)',\n missing") })
    #expect(late.message == "line 2: no such column: missing")
    #expect(late.sql?.utf8.count ?? .max < 2_000)
    #expect(late.offset == nil)
    #expect("\(SQLiteError(.error, "x", sql: text))".utf8.count < 2_000)
  }

  @Test func `pragmas that tune the connection are skipped`() throws {
    let before = try connection.pragma(.cacheSize)
    try load(
      """
      PRAGMA cache_size = 5; PRAGMA main.synchronous(0); pragma FOREIGN_KEYS=ON;
      PRAGMA user_version = 4; PRAGMA table_info(x);
      """
    )
    #expect(try connection.pragma(.cacheSize) == before)
    #expect(try connection.userVersion == 4)
    #expect(
      failure { try load("\nPRAGMA recursive_triggers = 1") }?.message
        == "line 2: A script cannot set PRAGMA recursive_triggers")
  }

  @Test func `foreign keys are enforced again after a load`() throws {
    let script =
      "CREATE TABLE a(x REFERENCES b); INSERT INTO a VALUES (1); CREATE TABLE b(y PRIMARY KEY);"
    try load(script)
    #expect(try connection.foreignKeyViolations().count == 1)
    #expect(
      failure { try connection.execute(sql: "INSERT INTO a VALUES (2)") }?.code
        == .constraintForeignKey)
    #expect(failure { try load(script) } != nil)
    #expect(try connection.option(.foreignKeys))
    #expect(try !connection.option(.doubleQuotedStringsInSchema))
  }

  @Test func `a script for another encoding is refused`() throws {
    try load("PRAGMA encoding = \"UTF-16\"; CREATE TABLE t(a);")
    #expect(try connection.pragma(.encoding) != .utf8)
    let error = failure { try load("PRAGMA encoding = 'UTF-8'; CREATE TABLE u(a);") }
    #expect(error?.code == .mismatch)
    #expect(failure { try load(bytes: "SELECT '", [0xff], "'") }?.code == .mismatch)
  }

  @Test func `text that is not UTF-8 is loaded as it is, and refused elsewhere`() throws {
    try load(bytes: "CREATE TABLE t(a);/*it's*/INSERT INTO t VALUES('it''s", [0xff, 0], "');")
    #expect(
      failure { try load(bytes: "SELECT 1;\nSELECT \"", [0xff], "\"") }?.message
        == "line 2: The statement is not UTF-8")
    #expect(try connection.column("SELECT hex(a) FROM t") == [.text("69742773FF00")])
    #expect(
      failure { try load(bytes: "\nSELECT 'a", [0], "'") }?.message.hasPrefix("line 2: ") == true)
  }

  private func load(bytes first: String, _ middle: [UInt8], _ last: String) throws {
    try SluiceDataTests.load(Array(first.utf8) + middle + Array(last.utf8), into: connection)
  }

  @Test func `a load reports its progress, and an error of a closure undoes it`() throws {
    var reports: [[Int]] = []
    var pieces = ["CREATE TABLE t(a);", "INSERT INTO t", " VALUES (1), (2);"]
    try connection.load(
      progress: { reports.append([$0.rowCount, $0.byteCount]) },
      from: { pieces.isEmpty ? nil : Array(pieces.removeFirst().utf8) })
    #expect(reports == [[0, 18], [0, 31], [2, 48]])
    var count = 0
    let error = foreignFailure {
      try connection.load {
        count += 1
        if count == 2 { throw ForeignError() }
        return Array("CREATE TABLE u(a);".utf8)
      }
    }
    #expect(error == ForeignError())
    #expect(try connection.tables().map(\.name) == ["t"])
  }

  @Test func `a cancelled task ends the load`() async throws {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try SluiceDataTests.load("CREATE TABLE t(a);".utf8, into: Connection())
    }
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
  }

  @Test func `a load needs a connection that can write and is in no transaction`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.transaction { connection in
      #expect(
        failure { try SluiceDataTests.load("SELECT 1".utf8, into: connection) }?.code == .misuse)
    }
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let other = try Connection(path: folder.file(), configuration: configuration)
    try connection.execute(sql: "BEGIN IMMEDIATE")
    #expect(failure { try SluiceDataTests.load("SELECT 1".utf8, into: other) }?.code == .busy)
    try connection.execute(sql: "COMMIT")
    let reader = try Connection(path: folder.file(), readOnly: true)
    #expect(
      failure { try SluiceDataTests.load("CREATE TABLE t(a)".utf8, into: reader) }?.code
        == .readOnly)
    try connection.close()
    #expect(
      failure { try SluiceDataTests.load("SELECT 1".utf8, into: connection) }?.code == .misuse)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.rtree)), .enabled(if: SQLiteLibrary.has(.fts5)))
  func `virtual tables can be used at once after a load with another page size`() throws {
    let source = try Connection()
    try source.execute(
      sql: """
        PRAGMA page_size = 1024;
        CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1);
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO boxes SELECT i, i, i + 1 FROM n;
        CREATE VIRTUAL TABLE words USING fts5(a, content = '');
        INSERT INTO words(rowid, a) VALUES (5, 'hello world');
        """)
    var script: [UInt8] = []
    try source.dump { script += $0 }
    try SluiceDataTests.load(script, into: connection)
    #expect(try connection.integers("SELECT id FROM boxes WHERE x0 < 2.5 ORDER BY id") == [1, 2])
    try connection.execute(
      sql: "INSERT INTO boxes VALUES (501, 1, 2); INSERT INTO words(rowid, a) VALUES (6, 'world')")
    #expect(try connection.integers("SELECT rowid FROM words('world')") == [5, 6])
    #expect(try connection.integers("SELECT count(*) FROM boxes") == [501])
    #expect(try connection.integrityProblems() == [])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts4)))
  func `a full-text table over a view is dumped after the view`() throws {
    let source = try Connection()
    try source.execute(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'hello world');
        CREATE VIEW v AS SELECT a FROM t;
        CREATE VIRTUAL TABLE f USING fts4(content='v');
        INSERT INTO f(docid, a) SELECT id, a FROM t;
        """)
    var script: [UInt8] = []
    try source.dump { script += $0 }
    try SluiceDataTests.load(script, into: connection)
    #expect(try connection.integers("SELECT docid FROM f WHERE f MATCH 'hello'") == [1])
  }

  @Test func `a loaded database uses the statistics of the dump at once`() throws {
    let source = try Connection()
    try source.execute(
      sql: """
        CREATE TABLE t(a, b); CREATE INDEX ta ON t(a); CREATE INDEX tb ON t(b);
        CREATE TABLE u(a, b); CREATE INDEX ua ON u(a); CREATE INDEX ub ON u(b);
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO t SELECT i, 1 FROM n;
        INSERT INTO u SELECT b, a FROM t;
        ANALYZE;
        """)
    var script: [UInt8] = []
    try source.dump { script += $0 }
    try SluiceDataTests.load(script, into: connection)
    // Without statistics, SQLite chooses the same one of the two indexes for both tables.
    for (table, index) in [("t", "ta"), ("u", "ub")] {
      let plan = try connection.prepare(sql: "SELECT * FROM \(table) WHERE a = 1 AND b = 1")
        .queryPlan()
      #expect(
        plan.nodes.map(\.detail) == ["SEARCH \(table) USING INDEX \(index) (\(index.suffix(1))=?)"])
    }
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `a defensive connection refuses the content of a virtual table`() throws {
    try connection.execute(sql: "CREATE VIRTUAL TABLE words USING fts5(a)")
    var script: [UInt8] = []
    try connection.dump { script += $0 }
    let copy = try Connection()
    try copy.setOption(.defensive, true)
    #expect(failure { try SluiceDataTests.load(script, into: copy) } != nil)
    #expect(try copy.schemaObjects().isEmpty)
  }
}
