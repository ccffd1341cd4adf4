import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `the lifetime of aggregate states` {
  let connection: Connection
  let census = Census()

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(kind, a);
        INSERT INTO t VALUES ('x', 1), ('y', 2), ('x', 3), ('y', 4), ('z', 5)
        """)
    try connection.addAggregateFunction("tally", arity: 1) { [census] in Counted(census) }
    try connection.addFunction("refuse", arity: 1) { values in
      if try values[0] == 4 { throw SQLiteError(.error, "no fours") }
      return try values[0]
    }
  }

  static let queries = [
    "SELECT tally(a), tally(kind) FROM t",
    "SELECT tally(a) FROM t WHERE false",
    "SELECT kind, tally(a) FROM t GROUP BY kind ORDER BY kind",
    "SELECT tally(a) OVER (ORDER BY a) FROM t",
    "SELECT tally(a) OVER (PARTITION BY kind ORDER BY a ROWS 1 PRECEDING) FROM t",
    "SELECT tally(a) OVER (ORDER BY a), tally(a) OVER (PARTITION BY kind) FROM t",
    "SELECT tally(DISTINCT a) FILTER (WHERE a > 9) FROM t",
    "SELECT tally(refuse(a)) FROM t",
    "SELECT tally(a) OVER (ORDER BY a ROWS 1 PRECEDING), refuse(a) FROM t ORDER BY 1",
    "SELECT tally(a), refuse(max(a) - 1) FROM t",
    "SELECT kind, tally(refuse(a)), tally(a) FROM t GROUP BY kind",
  ]

  @Test(arguments: queries)
  func `the end of a query releases all aggregate states`(_ sql: String) throws {
    for _ in 0..<3 { _ = failure { try connection.execute(sql: sql) } }
    #expect(census.made >= 3)
    #expect(census.living == 0)
  }

  @Test(arguments: queries)
  func `resetting a running query releases all aggregate states`(_ sql: String) throws {
    let statement = try connection.prepare(sql: sql)
    for _ in 0..<2 {
      _ = failure { try statement.step() != nil }
      try statement.reset()
      #expect(census.made > 0)
      #expect(census.living == 0)
    }
  }

  @Test(arguments: queries)
  func `releasing a running statement releases all aggregate states`(_ sql: String) throws {
    do {
      let statement = try connection.prepare(sql: sql)
      _ = failure { try statement.step() != nil }
    }
    #expect(census.made > 0)
    #expect(census.living == 0)
  }

  @Test(arguments: queries)
  func `closing the connection during a query releases all aggregate states`(_ sql: String) throws {
    let statement = try connection.prepare(sql: sql)
    _ = failure { try statement.step() != nil }
    try connection.close()
    #expect(census.made > 0)
    #expect(census.living == 0)
  }

  @Test(arguments: queries)
  func `a row closure that throws releases all aggregate states`(_ sql: String) throws {
    do { try connection.execute(sql: sql) { _ in throw ForeignError() } } catch {}
    #expect(census.made > 0)
    #expect(census.living == 0)
  }

  @Test func `a running query retains its aggregate states until the statement is reset`() throws {
    let statement = try connection.prepare(
      sql: "SELECT tally(a) OVER (ORDER BY a), tally(a) OVER (PARTITION BY kind) FROM t")
    #expect(try statement.step() != nil)
    #expect(census.living >= 1)
    try statement.reset()
    #expect(census.living == 0)
  }

  @Test(arguments: Failing.Place.allCases)
  func `an error in any aggregate method releases all aggregate states`(_ place: Failing.Place)
    throws
  {
    let places = Log()
    let watch = ObjectCounter()
    try connection.addAggregateFunction("fail", arity: 1) { [held = watch.hold()] in
      withExtendedLifetime(held) { Failing(place, places) }
    }
    for sql in [
      "SELECT fail(a), tally(a) FROM t GROUP BY kind",
      "SELECT fail(a) OVER w, tally(a) OVER w FROM t WINDOW w AS (ORDER BY a ROWS 1 PRECEDING)",
    ] {
      _ = failure { try connection.execute(sql: sql) }
    }
    #expect(census.made > 0)
    #expect(census.living == 0)
    try connection.close()
    #expect(watch.living == 0)
  }
}

/// Counts the aggregate states that were created, and those that are alive.
final class Census {
  var made = 0
  var living = 0
}

private final class Counted: SQLAggregateWindowFunction {
  private let census: Census
  private var count: Int64 = 0

  init(_ census: Census) {
    self.census = census
    census.made += 1
    census.living += 1
  }

  deinit { census.living -= 1 }

  func step(_ values: borrowing SQLFunctionArguments) { count += 1 }
  func inverse(_ values: borrowing SQLFunctionArguments) { count -= 1 }
  func value() -> DatabaseValue { .integer(count) }
  func final() -> DatabaseValue { .integer(count) }
}
