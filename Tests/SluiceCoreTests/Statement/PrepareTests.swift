import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.statements, .reliability)) struct `preparing SQL` {
  /// Returns the result codes that the methods for a single statement throw for `sql`.
  private func codes(_ sql: String) -> [ResultCode?] {
    let literal: SQL = "\(raw: sql)"
    return [
      failure { try db.prepare(sql: sql) }, failure { try db.prepare(literal) },
      failure { try db.query(.values, sql: sql) }, failure { try db.query(.values, literal) },
      failure { try db.first(.values, sql: sql) }, failure { try db.first(.values, literal) },
    ].map { $0?.code }
  }

  let db: Connection
  init() throws { db = try Connection() }

  @Test(arguments: ["", ";", ";;", " ", "\n\t ", "-- c", "/* c */", "/* c", "; -- c", "\u{feff}"])
  func `preparing SQL without a statement throws`(sql: String) throws {
    #expect(codes(sql) == codes(sql).map { _ in .misuse })
    #expect(failure { try db.execute(sql: sql, parameters: 1) }?.code == .misuse)
    // SQLite parses EXPLAIN QUERY PLAN without a statement, which is a syntax error.
    #expect(failure { try db.queryPlan(sql: sql) }?.code == .error)
  }

  @Test(arguments: [
    "select 1; select 2", "select 1; x", "select 1; -- c\nselect 2", "select 1;; ; select 2",
    "select 1; /* c */ create table t(a)", "select 1; 'unfinished", "select 1; \u{1}",
  ])
  func `preparing SQL with text after the first statement throws an error with the text's offset`(
    sql: String
  ) throws {
    let error = failure { try db.prepare(sql: sql) }
    #expect(error?.code == .misuse)
    #expect(error?.sql == sql)
    #expect(error?.offset == 9)
    #expect(codes(sql) == codes(sql).map { _ in .misuse })
    #expect(failure { try db.queryPlan(sql: sql) }?.code == .misuse)
  }

  @Test(arguments: [
    "select 1", "select 1;", "select 1;;  ", "select 1; -- x", "select 1; /* x */ ;\n",
    "select 1; /* open", "-- x\nselect 1", "  select 1  ", "select 1; \u{feff} ", ";select 1",
  ])
  func `comments, spaces and semicolons around a statement are accepted`(sql: String) throws {
    #expect(try db.query(.column(.int), sql: sql) == [1])
    #expect(try db.prepare(sql: sql).columnCount == 1)
  }

  @Test(arguments: ["a\0b", "select 1\0", "select 1;\0select 2", "\0", "select '\0'"])
  func `preparing SQL that contains a NUL throws`(sql: String) throws {
    #expect(codes(sql) == codes(sql).map { _ in .misuse })
    #expect(failure { try db.execute(sql: sql) }?.code == .misuse)
    #expect(failure { try db.execute(sql: sql, parameters: []) }?.code == .misuse)
    #expect(failure { try db.execute("\(raw: sql)") }?.code == .misuse)
    #expect(failure { try db.queryPlan(sql: sql) }?.code == .misuse)
  }

  @Test func `a syntax error is reported with its message, SQL and offset`() throws {
    let error = failure { try db.prepare(sql: "SELECT 1 FORM t WHERE") }
    #expect(error?.code == .error)
    #expect(error?.code.rawValue == 1)
    #expect(error?.message == #"near "t": syntax error"#)
    #expect(error?.sql == "SELECT 1 FORM t WHERE")
    #expect(error?.offset == 14)
  }

  @Test func `an unknown column is reported with its offset`() throws {
    try db.execute(sql: "CREATE TABLE t(a)")
    let error = failure { try db.prepare(sql: "SELECT a, b FROM t") }
    #expect(error?.message == "no such column: b")
    #expect(error?.offset == 10)
  }

  @Test func `preparing incomplete SQL throws`() {
    let error = failure { try db.prepare(sql: "SELECT") }
    #expect(error?.code == .error)
    #expect(error?.message == "incomplete input")
  }

  @Test func `preparing SQL that is nested too deeply throws`() {
    let deep = "SELECT " + String(repeating: "(", count: 5000) + "1"
    #expect(failure { try db.prepare(sql: deep) }?.code == .error)
  }

  @Test func `a statement exposes its SQL and its connection`() throws {
    let statement = try db.prepare(sql: "SELECT 1; -- c")
    #expect(statement.sql.hasPrefix("SELECT 1"))
    #expect(statement.connection === db)
  }

  @Test func `column names are in order and can repeat`() throws {
    try db.execute(sql: "CREATE TABLE t(a, b)")
    let statement = try db.prepare(sql: "SELECT b, a, a AS b, 1+1, 'é' AS \"é\" FROM t")
    #expect(statement.columnCount == 5)
    #expect(statement.columnNames == ["b", "a", "b", "1+1", "é"])
    let insert = try db.prepare(sql: "INSERT INTO t VALUES (1, 2)")
    #expect(insert.columnCount == 0)
    #expect(insert.columnNames == [])
  }
}
