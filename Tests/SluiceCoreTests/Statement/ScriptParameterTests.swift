import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.statements, .library)) struct `scripts with parameters` {
  let db: Connection
  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a, b)")
  }

  private func rows() throws -> [[DatabaseValue]] {
    try db.query(.values, sql: "SELECT a, b FROM t ORDER BY rowid").map(\.values)
  }

  @Test func `each statement of a script consumes a positional value per parameter`() throws {
    try db.execute(
      sql:
        "INSERT INTO t VALUES (?, ?); UPDATE t SET b = ? WHERE a = ?; INSERT INTO t VALUES (?, 0)",
      parameters: 1, 2, "new", 1, nil as Int?)
    #expect(try rows() == [[1, "new"], [.null, 0]])
  }

  @Test func `a script binds more than six values in order`() throws {
    let numbers = try db.first(
      .values, sql: "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?", parameters: 1, 2, 3, 4, 5, 6, 7, nil, "x")
    #expect(numbers?.values == [1, 2, 3, 4, 5, 6, 7, .null, "x"])
    try db.execute(
      sql: "INSERT INTO t VALUES (?, ?), (?, ?); INSERT INTO t VALUES (?, ?), (?, ?)",
      parameters: 1, 2, 3, 4, 5, 6, 7, 8)
    #expect(try rows() == [[1, 2], [3, 4], [5, 6], [7, 8]])
  }

  @Test func `a named value is bound in each statement that has the name`() throws {
    try db.execute(
      sql: "INSERT INTO t VALUES (:id, :name); INSERT INTO t VALUES (@other, :id)",
      parameters: ["id": 1, ":name": "x", "other": nil])
    #expect(try rows() == [[1, "x"], [.null, 1]])
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (1, 1); INSERT INTO t VALUES (?, ?)",
    "INSERT INTO t VALUES (1, 1); INSERT INTO t VALUES (?, ?); -- the end",
  ])
  func `an extra value makes a script throw before its last statement runs`(_ sql: String) throws {
    let error = failure { try db.execute(sql: sql, parameters: 1, 2, 3) }
    #expect(error?.code == .range)
    #expect(error?.message == "There is no parameter 3; the script has 2 parameters")
    #expect(try rows() == [[1, 1]])
  }

  @Test(arguments: [false, true])
  func `a value interpolated in quotes or a comment makes a script throw before any statement runs`(
    isComment: Bool
  ) throws {
    let error = failure {
      if isComment {
        try db.execute(
          "INSERT INTO t VALUES (1, \(2)); -- \("x")\nINSERT INTO t VALUES (3, \(4)); SELECT 1")
      } else {
        try db.execute(
          "INSERT INTO t VALUES ('by \("x")', \(2)); DELETE FROM t WHERE 2 = \(3); SELECT 1")
      }
    }
    #expect(error?.code == .range)
    #expect(error?.message == "A value inside quotes or a comment in the SQL cannot be bound")
    #expect(try rows().isEmpty)
  }

  @Test func `an unknown parameter name makes a script throw before its last statement runs`()
    throws
  {
    let error = failure {
      try db.execute(
        sql: "INSERT INTO t VALUES (:a, 1); INSERT INTO t VALUES (2, :b)",
        parameters: ["a": 1, "b": 2, "c": 3])
    }
    #expect(error?.code == .range)
    #expect(error?.message == "There is no parameter named \"c\"")
    #expect(try rows() == [[1, 1]])
  }

  @Test func `a missing value makes a script throw only when the statement that needs it runs`()
    throws
  {
    let error = failure {
      try db.execute(
        sql: "INSERT INTO t VALUES (?, ?); INSERT INTO t VALUES (?, ?)", parameters: 1, 2, 3)
    }
    #expect(error?.code == .range)
    #expect(error?.message == "Parameter 2 has no value")
    #expect(try rows() == [[1, 2]])
  }

  @Test func `binding a parameter under two names throws in a script`() throws {
    let sql = "INSERT INTO t VALUES (1, 1); INSERT INTO t VALUES (:a, 2)"
    let error = failure { try db.execute(sql: sql, parameters: ["a": 1, ":a": 1]) }
    #expect(error?.code == .misuse)
    #expect(try rows() == [[1, 1]])
  }

  @Test(arguments: ["", " ; ", "-- nothing"])
  func `values for a script without a statement throw misuse`(_ sql: String) throws {
    try db.execute(sql: sql)
    try db.execute(sql: sql, parameters: [])
    #expect(failure { try db.execute(sql: sql, parameters: 1) }?.code == .misuse)
    #expect(failure { try db.execute(sql: sql, parameters: ["a": 1]) }?.code == .misuse)
  }

  @Test func `the row closure receives the rows of each statement`() throws {
    var found: [Int] = []
    try db.execute(
      sql: "SELECT ?; INSERT INTO t VALUES (0, 0); SELECT ? UNION ALL SELECT 3", parameters: 1, 2
    ) { row in found.append(try row.get(.int, at: 0)) }
    #expect(found == [1, 2, 3])
  }

  @Test func `the statement cache stores a single statement, but no script of several statements`()
    throws
  {
    for _ in 0..<3 { try db.execute(sql: "INSERT INTO t VALUES (?, ?)", parameters: 1, 2) }
    #expect(db.statementCacheStatistics.hits == 2)
    for _ in 0..<3 { try db.execute(sql: "SELECT ?; SELECT 2", parameters: 1) }
    #expect(db.statementCacheStatistics.count == 1)
  }

  @Test func `preparing or querying SQL with several statements throws`() {
    let sql = "SELECT ?; SELECT 2"
    #expect(failure { try db.prepare(sql: sql) }?.code == .misuse)
    #expect(failure { try db.query(.values, sql: sql, parameters: 1) }?.code == .misuse)
    #expect(failure { try db.first(.values, sql: sql, parameters: [1]) }?.code == .misuse)
  }

  @Test func `each statement of a script is compiled after the previous statement runs`() throws {
    var texts: [String] = []
    try db.forEachStatement(
      of: "CREATE TABLE u(a); -- a comment\nINSERT INTO u VALUES (';'), (?);; SELECT a FROM u; "
    ) { statement in
      texts.append(statement.sql)
      if statement.parameterCount == 1 { try statement.bind(2) }
      try statement.execute()
    }
    #expect(texts.count == 3)
    #expect(texts.last?.contains("SELECT a FROM u") == true)
    #expect(try db.query(.column(.value), sql: "SELECT a FROM u") == [";", 2])
  }

  @Test func `a failing statement or a throwing closure ends forEachStatement`() throws {
    struct Enough: Error, Equatable {}
    var count = 0
    let error = failure {
      try db.forEachStatement(of: "SELECT 1; SELECT x; SELECT 2") { _ in count += 1 }
    }
    #expect(error?.message == "no such column: x")
    #expect(error?.offset == 17)
    #expect(count == 1)
    #expect(throws: Enough()) {
      try db.forEachStatement(of: "SELECT 1; SELECT 2") { _ in throw Enough() }
    }
    for sql in ["", " ; ", "-- nothing"] { try db.forEachStatement(of: sql) { _ in count += 1 } }
    #expect(count == 1)
    #expect(failure { try db.forEachStatement(of: "SELECT 1\0") { _ in } }?.code == .misuse)
  }
}
