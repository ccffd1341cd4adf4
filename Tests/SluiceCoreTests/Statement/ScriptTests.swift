import SluiceCore
import TestSupport
import Testing

@Suite struct ScriptTests {
  let db: Connection
  init() throws { db = try Connection() }

  @Test func `a script runs all its statements, including those that return rows and NULLs`() throws
  {
    try db.execute(
      sql: """
        CREATE TABLE t(a, b);
        -- a comment; with a semicolon
        INSERT INTO t VALUES (1, NULL), (2, ';');
        SELECT a, b, NULL FROM t;
        ;; /* nothing */ ;
        CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET b = 'r'; SELECT 1; END;
        INSERT INTO t VALUES (3, NULL)
        """)
    #expect(try db.value("SELECT count(*) FROM t WHERE b = 'r'") == 3)
  }

  @Test(arguments: ["", ";", " \n\t", "-- c", "/* c */", ";;;", "/* open", "\u{feff}"])
  func `executing a script without a statement has no effect`(sql: String) throws {
    try db.execute(sql: sql)
    #expect(db.totalChanges == 0)
  }

  @Test func `a script stops at the first failing statement, and its earlier changes remain`()
    throws
  {
    let sql =
      "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1); INSERT INTO t VALUES (1); DROP TABLE t"
    let error = failure { try db.execute(sql: sql) }
    #expect(error?.code == .constraintUnique)
    #expect(error?.sql?.contains("INSERT INTO t VALUES (1)") == true)
    #expect(try db.value("SELECT count(*) FROM t") == 1)
  }

  @Test func `a runtime error in a SELECT stops the script`() throws {
    let sql = "CREATE TABLE t(a); SELECT abs(-9223372036854775808); DROP TABLE t"
    #expect(failure { try db.execute(sql: sql) }?.message == "integer overflow")
    #expect(try db.value("SELECT count(*) FROM t") == 0)
  }

  @Test func `the offset of a syntax error counts bytes from the start of the script`() throws {
    let sql = "CREATE TABLE t(a); SELECT a FRÖM t"
    let error = failure { try db.execute(sql: sql) }
    #expect(error?.code == .error)
    #expect(error?.sql == sql)
    let offset = try #require(error?.offset)
    #expect(String(decoding: sql.utf8.dropFirst(offset), as: UTF8.self).hasPrefix("t"))
  }

  @Test func `the offset of a syntax error counts bytes, not characters`() throws {
    let sql = "SELECT 'äöü🙂'; SELECT 'é', nobody"
    let error = failure { try db.execute(sql: sql) }
    let offset = try #require(error?.offset)
    #expect(String(decoding: sql.utf8.dropFirst(offset), as: UTF8.self) == "nobody")
  }

  @Test func `a script with a NUL throws before any statement runs`() throws {
    #expect(failure { try db.execute(sql: "CREATE TABLE t(a);\0") }?.code == .misuse)
    #expect(try db.value("SELECT count(*) FROM sqlite_master") == 0)
  }

  @Test func `a script with a parameter throws`() throws {
    #expect(failure { try db.execute(sql: "SELECT 1; SELECT ?") }?.code == .range)
  }

  @Test func `a script of 2,000 statements executes all of them`() throws {
    try db.execute(sql: "CREATE TABLE t(a);")
    try db.execute(sql: String(repeating: "INSERT INTO t VALUES (1);\n", count: 2000))
    #expect(try db.value("SELECT count(*) FROM t") == 2000)
  }
}
