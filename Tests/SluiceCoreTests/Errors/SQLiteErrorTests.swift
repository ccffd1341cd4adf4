import SluiceCore
import TestSupport
import Testing

@Suite struct SQLiteErrorTests {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE t(
          a UNIQUE, b NOT NULL DEFAULT 1, c CHECK (c > 0), d INTEGER PRIMARY KEY,
          e REFERENCES t(a));
        INSERT INTO t(a) VALUES (1);
        CREATE TABLE s(a INTEGER) STRICT;
        CREATE TRIGGER r BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'kept'); END;
        """)
  }

  @Test func `a unique violation reports code 2067, primary code 19, its message and its SQL`() {
    let sql = "INSERT INTO t(a) VALUES (?)"
    let error = failure { try db.execute(sql: sql, parameters: 1) }
    #expect(error?.code == .constraintUnique)
    #expect(error?.code.rawValue == 2067)
    #expect(error?.code.primary == .constraint)
    #expect(error?.code.primary.rawValue == 19)
    #expect(error?.message == "UNIQUE constraint failed: t.a")
    #expect(error?.sql == sql)
    #expect(error?.offset == nil)
  }

  @Test(
    arguments: [
      ("INSERT INTO t(b) VALUES (NULL)", .constraintNotNull),
      ("INSERT INTO t(c) VALUES (0)", .constraintCheck),
      ("INSERT INTO t(d) VALUES (1)", .constraintPrimaryKey),
      ("INSERT INTO t(e) VALUES (99)", .constraintForeignKey),
      ("INSERT INTO s VALUES ('x')", .constraintDataType), ("DELETE FROM t", .constraintTrigger),
      ("INSERT INTO t(d) VALUES ('x')", .mismatch), ("SELECT zeroblob(2000000000)", .tooBig),
      ("SELECT json('{')", .error), ("COMMIT", .error), ("SELECT 1 ORDER BY 2", .error),
      ("SELECT a COLLATE nobody FROM t ORDER BY 1", .errorMissingCollation),
      ("ATTACH '/no/such/folder/x' AS y", .cantOpen),
      ("BEGIN; BEGIN", .error), ("SELECT load_extension('x')", .error),
      ("VACUUM no_such_schema", .error),
    ] as [(String, ResultCode)])
  func `a failed statement throws its result code, and the connection remains usable`(
    sql: String, code: ResultCode
  )
    throws
  {
    let error = failure { try db.execute(sql: sql) }
    #expect(error?.code == code)
    #expect(error?.message.isEmpty == false)
    #expect(error?.sql != nil)
    #expect(try db.value("SELECT count(*) FROM t") == 1)
  }

  @Test func `a catch clause matches an error by its extended or its primary result code`() {
    func caught(_ sql: String) -> String {
      do {
        try db.execute(sql: sql)
        return "nothing"
      } catch SQLiteError.constraintUnique {
        return "unique"
      } catch SQLiteError.constraint {
        return "constraint"
      } catch {
        return "other"
      }
    }
    #expect(caught("INSERT INTO t(a) VALUES (1)") == "unique")
    #expect(caught("INSERT INTO t(c) VALUES (0)") == "constraint")
    #expect(caught("nonsense") == "other")
    #expect(caught("SELECT 1") == "nothing")
  }

  @Test func `a primary code matches its extended codes, but no error of another type`() {
    let error: any Error = ForeignError()
    #expect(!(ResultCode.error ~= error))
    #expect(ResultCode.error ~= (SQLiteError(.errorRetry, "x") as any Error))
    #expect(!(ResultCode.errorRetry ~= (SQLiteError(.error, "x") as any Error)))
  }

  @Test func `an error does not contain bound values`() {
    let error = failure {
      try db.execute(sql: "INSERT INTO t(a, c) VALUES (?, ?)", parameters: "top secret", -77)
    }
    #expect(error?.code == .constraintCheck)
    #expect(error.map { "\($0)" }?.contains("top secret") == false)
    #expect(error.map { "\($0)" }?.contains("77") == false)
  }

  @Test func `the description of an error contains the message, the code, the offset and the SQL`()
  {
    #expect(
      "\(SQLiteError(.range, "Too far", sql: "SELECT 1", offset: 7))"
        == "Too far [SQLITE_RANGE (25)] at byte 7 in: SELECT 1")
    #expect("\(SQLiteError(.full, "No room"))" == "No room [SQLITE_FULL (13)]")
    #expect("\(SQLiteError(.constraintUnique, "x"))" == "x [SQLITE_CONSTRAINT_UNIQUE (2067)]")
  }

  @Test func `an error can be created, compared, hashed and sent to another task`() async {
    let error = SQLiteError(.busy, "later", sql: "SELECT 1", offset: 3)
    #expect(error == SQLiteError(.busy, "later", sql: "SELECT 1", offset: 3))
    #expect(error != SQLiteError(.busy, "later", sql: "SELECT 1"))
    #expect(Set([error, error]).count == 1)
    #expect(await Task.detached { error.code }.value == .busy)
  }

  @Test func `an error does not contain the offset or message of an earlier error`() throws {
    let insert = try db.prepare(sql: "INSERT INTO t(a) VALUES (1)")
    #expect(failure { try db.prepare(sql: "SELECT nobody") }?.offset == 7)
    let error = failure { try insert.execute() }
    #expect(error?.code == .constraintUnique)
    #expect(error?.offset == nil)
    #expect(error?.message == "UNIQUE constraint failed: t.a")
  }
}
