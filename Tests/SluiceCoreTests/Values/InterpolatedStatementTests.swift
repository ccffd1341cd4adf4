import SluiceCore
import TestSupport
import Testing

/// The statement cache finds the statements of interpolated SQL by the parts of the literal.
@Suite(.tags(.binding)) struct `cached statements of interpolated SQL` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(a, b, c, d); INSERT INTO t VALUES (1, 2, 3, 4), (5, 6, 7, 8)")
  }

  private var statistics: StatementCacheStatistics { connection.statementCacheStatistics }

  /// Executes the same literal on every call, because the literal occurs only here.
  private func b(of a: Int) throws -> Int? {
    try connection.first(.column(.int), "SELECT b FROM t WHERE a = \(a)")
  }

  @Test func `a repeated literal is prepared once and counts one hit per later run`() throws {
    let before = statistics
    for _ in 1...3 {
      #expect(try b(of: 1) == 2)
      #expect(try b(of: 5) == 6)
    }
    #expect(statistics.misses - before.misses == 1)
    #expect(statistics.hits - before.hits == 5)
    #expect(statistics.count - before.count == 1)
  }

  @Test func `a literal and the same SQL as a string share one cached statement`() throws {
    for _ in 1...3 {
      #expect(try b(of: 1) == 2)
      let text = "SELECT b FROM t WHERE a = ?"
      #expect(try connection.first(.column(.int), sql: text, parameters: 5) == 6)
    }
    #expect(statistics.count == 1)
  }

  @Test func `literals that differ in one part use separate statements`() throws {
    for _ in 1...3 {
      let a = 1
      let b = 2
      #expect(try connection.query(.column(.int), "SELECT a FROM t WHERE a = \(a)") == [1])
      #expect(
        try connection.query(.column(.int), "SELECT a FROM t WHERE a = \(a) OR b > \(b)") == [1, 5])
      #expect(
        try connection.query(.column(.int), "SELECT a FROM t WHERE a = \(a) AND b > \(b)") == [])
      #expect(
        try connection.query(.column(.int), "SELECT a FROM t WHERE a = \(a) OR b > \(b) LIMIT 1")
          == [1])
      #expect(
        try connection.query(
          .column(.int), "SELECT a FROM t WHERE a = \(a) OR b > \(b) LIMIT \(1) OFFSET \(1)") == [5]
      )
      #expect(
        try connection.query(
          .column(.int), "SELECT a FROM t WHERE a = \(a) OR b > \(b) LIMIT \(1) OFFSET \(0)") == [1]
      )
    }
  }

  @Test func `literals split into different parts execute the SQL of the joined parts`() throws {
    enum Piece {
      case text(StaticString)
      case value(Int)
    }
    let forms: [([Piece], String, DatabaseValue)] = [
      ([.text("SELECT "), .value(1)], "SELECT ?", 1),
      ([.text("SEL"), .text("ECT "), .value(2)], "SELECT ?", 2),
      ([.text(""), .text("SELECT "), .value(3), .text("")], "SELECT ?", 3),
      ([.text("SELECT -"), .value(4)], "SELECT -?", -4),
      ([.text("SELECT "), .text("-"), .value(5)], "SELECT -?", -5),
      ([.text("SELECT "), .value(6), .text("+"), .value(7)], "SELECT ?+?", 13),
      ([.text("SELECT "), .value(6), .text("-"), .value(7)], "SELECT ?-?", -1),
      ([.text("SELECT "), .value(6), .text("-"), .text("-"), .value(7)], "SELECT ?--?", 6),
    ]
    for _ in 1...3 {
      for (pieces, text, result) in forms {
        var literal = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for piece in pieces {
          switch piece {
          case .text(let text): literal.appendLiteral(text)
          case .value(let value): literal.appendInterpolation(value)
          }
        }
        let sql = SQL(stringInterpolation: literal)
        #expect(sql.text == text)
        if text.contains("--") {
          #expect(failure { try connection.execute(sql) }?.code == .range)
        } else {
          #expect(try connection.first(.column(.value), sql) == result)
        }
      }
    }
  }

  @Test func `SQL with 0 to 6 values uses one cached statement for each count`() throws {
    for round in 1...3 {
      let forms: [SQL] = [
        "SELECT 0", "SELECT \(round)", "SELECT \(round), \(2)", "SELECT \(round), \(2), \(3)",
        "SELECT \(round), \(2), \(3), \(4)", "SELECT \(round), \(2), \(3), \(4), \(5)",
        "SELECT \(round), \(2), \(3), \(4), \(5), \(6)",
      ]
      for (count, sql) in forms.enumerated() {
        let expected = count == 0 ? [0] : [round] + (2..<max(2, count + 1))
        let values = try connection.first(.values, sql)?.values
        #expect(values == expected.map { .integer(Int64($0)) })
        #expect(sql.parameters.count == count)
      }
    }
    #expect(statistics.count == 7)
  }

  @Test func `SQL text created at run time is compared by content, not by address`() throws {
    // The next string can reuse the memory of the previous one.
    for number in 0..<300 {
      let text = "SELECT \(number % 3) + 1000000000000000000 -- and so much that it needs memory"
      let expected = Int64(number % 3) + 1_000_000_000_000_000_000
      #expect(try connection.first(.column(.int64), "\(raw: text)") == expected)
      #expect(try connection.first(.column(.int64), sql: text) == expected)
    }
  }

  @Test
  func `SQL with identifiers, raw text, nested SQL or arrays executes the right cached statement`()
    throws
  {
    for _ in 1...3 {
      for column in ["a", "b"] {
        let expected = column == "a" ? [1] : []
        #expect(
          try connection.query(
            .column(.int), "SELECT a FROM t WHERE \(identifier: column) = \(1)") == expected)
        #expect(
          try connection.query(.column(.int), "SELECT a FROM t WHERE \(raw: column) = \(1)")
            == expected)
        let condition: SQL = column == "a" ? "a = \(1)" : "b = \(1)"
        #expect(
          try connection.query(.column(.int), "SELECT a FROM t WHERE \(condition)") == expected)
      }
      for list in [[1], [1, 5], []] {
        #expect(
          try connection.query(.column(.int), "SELECT a FROM t WHERE a IN \(list) ORDER BY a")
            == list)
        #expect(
          try connection.query(.column(.int), "SELECT a FROM t WHERE a = \(list.count)")
            == (list.count == 1 ? [1] : []))
      }
    }
  }

  @Test func `a literal with a NUL throws on every use`() {
    for _ in 1...3 {
      #expect(failure { try connection.execute("SELECT \0\(1)") }?.code == .misuse)
      #expect(failure { try connection.execute("SELECT 1\0") }?.code == .misuse)
      #expect(failure { try connection.execute("SELECT \(1)\0") }?.code == .misuse)
    }
  }

  @Test func `a nested query of the same literal does not share the running statement`() throws {
    func inner(_ depth: Int) throws -> [Int] {
      var found: [Int] = []
      try connection.execute("SELECT a FROM t WHERE a > \(0) ORDER BY a") { row in
        found.append(try row.get(.int, at: 0))
        if depth > 0 { found += try inner(depth - 1) }
      }
      return found
    }
    for _ in 1...3 { #expect(try inner(2) == [1, 1, 1, 5, 5, 1, 5, 5, 1, 1, 5, 5, 1, 5]) }
    #expect(statistics.count == 1)
  }

  @Test func `a literal whose cached statement was evicted is prepared again`() throws {
    for _ in 1...3 {
      #expect(try b(of: 1) == 2)
      connection.clearStatementCache()
      #expect(try connection.first(.column(.int), "SELECT c FROM t WHERE a = \(1)") == 3)
      for number in 0..<300 { try connection.execute(sql: "SELECT \(number)") }
    }
    #expect(try b(of: 5) == 6)
  }

  @Test func `a value that cannot be bound does not affect later runs of its literal`() throws {
    for value in [1.5, .nan, 2.5, .nan] {
      let result = Result { try connection.first(.column(.double), "SELECT \(value) + \(1)") }
      if value.isNaN {
        #expect(throws: SQLiteError.self) { try result.get() }
      } else {
        #expect(try result.get() == value + 1)
      }
    }
  }
}
