import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions, .reliability)) struct `window functions` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(kind, a, b);
        INSERT INTO t VALUES ('x', 1, 10), ('y', 2, 20), ('x', 3, 30), ('y', 4, 40)
        """)
    try connection.addAggregateFunction("wsum", arity: 1) { WindowSum() }
  }

  private func rows(_ sql: String) throws -> [[DatabaseValue]] {
    try connection.query(.values, sql: sql).map { $0.map(\.value) }
  }

  @Test func `each OVER clause has its own window state`() throws {
    let sql = """
      SELECT a,
        wsum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW),
        wsum(b) OVER (PARTITION BY kind ORDER BY a)
      FROM t ORDER BY a
      """
    #expect(try rows(sql) == [[1, 1, 10], [2, 3, 20], [3, 5, 40], [4, 7, 60]])
  }

  @Test func `a moving window frame adds and removes rows`() throws {
    let sql = """
      SELECT wsum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t ORDER BY a
      """
    #expect(try connection.integers(sql) == [3, 6, 9, 7])
  }

  @Test func `a window function over an empty frame returns the initial value`() throws {
    let sql = """
      SELECT wsum(a) OVER (ORDER BY a ROWS BETWEEN 9 FOLLOWING AND 10 FOLLOWING) FROM t
      """
    #expect(try connection.integers(sql) == [0, 0, 0, 0])
  }

  @Test func `each partition restarts the window state`() throws {
    let sql = "SELECT wsum(a) OVER (PARTITION BY kind) FROM t ORDER BY a"
    #expect(try connection.integers(sql) == [4, 6, 4, 6])
  }

  @Test func `a window function can be called as an aggregate`() throws {
    #expect(try rows("SELECT wsum(a), wsum(b) FROM t") == [[10, 100]])
    #expect(try rows("SELECT kind, wsum(a) FROM t GROUP BY kind") == [["x", 4], ["y", 6]])
    #expect(try rows("SELECT wsum(a) FROM t WHERE false") == [[0]])
  }

  @Test func `a window function can sum the aggregates of groups`() throws {
    let sql = "SELECT kind, wsum(wsum(a)) OVER (ORDER BY kind) FROM t GROUP BY kind"
    #expect(try rows(sql) == [["x", 4], ["y", 10]])
  }

  @Test func `inverse runs for each departing row, and value for each result row`() throws {
    let log = Log()
    try connection.addAggregateFunction("logged", arity: 1) { Logged(log) }
    _ = try rows(
      """
      SELECT logged(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t WHERE a < 4
      """)
    #expect(log.entries.filter { $0 != "final" } == ["+1", "=1", "+2", "=3", "-1", "+3", "=5"])
  }

  @Test func `calling a plain aggregate as a window function throws`() throws {
    try connection.addAggregateFunction("isum", arity: 1) { IntegerSum() }
    let error = failure { try rows("SELECT isum(a) OVER (ORDER BY a) FROM t") }
    #expect(error?.message == "isum() may not be used as a window function")
  }

  @Test(arguments: Failing.Place.allCases)
  func `an error in any window method keeps its code, and the next query has a new state`(
    _ place: Failing.Place
  )
    throws
  {
    try connection.addAggregateFunction("fail", arity: 1) { Failing(place) }
    let frame = "ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"
    let windowed = failure {
      try rows("SELECT fail(a) OVER (\(frame)), wsum(a) OVER (\(frame)) FROM t")
    }
    let plain = failure { try rows("SELECT fail(a) FROM t") }
    let error = place == .final ? plain : windowed
    #expect(error?.code == .constraintCheck)
    #expect(error?.message == "in \(place)")
    #expect(try connection.integers("SELECT wsum(a) OVER (\(frame)) FROM t") == [1, 3, 5, 7])
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
  }
}

private final class Logged: SQLAggregateWindowFunction {
  private let log: Log
  private var sum: Int64 = 0
  init(_ log: Log) { self.log = log }

  func step(_ values: borrowing SQLFunctionArguments) throws {
    sum += try values.get(at: 0)
    log.entries.append("+\(try values[0])")
  }

  func inverse(_ values: borrowing SQLFunctionArguments) throws {
    sum -= try values.get(at: 0)
    log.entries.append("-\(try values[0])")
  }

  func value() -> DatabaseValue {
    log.entries.append("=\(sum)")
    return .integer(sum)
  }

  func final() -> DatabaseValue {
    log.entries.append("final")
    return .integer(sum)
  }
}
