import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions, .reliability)) struct `aggregate functions` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(kind, a, b);
        INSERT INTO t VALUES ('x', 1, 10), ('y', 2, 20), ('x', 3, 30)
        """)
    try connection.addAggregateFunction("isum", arity: 1) { IntegerSum() }
  }

  private func first(_ sql: String) throws -> [DatabaseValue] {
    try #require(try connection.first(.values, sql: sql)).map(\.value)
  }

  @Test func `calls of an aggregate in one query have separate states`() throws {
    #expect(try first("SELECT isum(a), isum(b) FROM t") == [6, 60])
    #expect(try first("SELECT isum(b), isum(a), isum(b) FROM t") == [60, 6, 60])
  }

  @Test func `each group has its own aggregate state`() throws {
    let rows = try connection.query(
      .values, sql: "SELECT kind, isum(a), isum(b) FROM t GROUP BY kind ORDER BY kind")
    #expect(rows.map { $0.map(\.value) } == [["x", 4, 40], ["y", 2, 20]])
  }

  @Test func `an aggregate over no rows returns its initial value`() throws {
    #expect(try first("SELECT isum(a) FROM t WHERE false") == [0])
    #expect(try connection.column("SELECT isum(a) FROM t WHERE false GROUP BY kind") == [])
    #expect(try first("SELECT isum(a) FILTER (WHERE a > 9), isum(a) FROM t") == [0, 6])
  }

  @Test func `an aggregate has a new state each time its statement runs`() throws {
    let statement = try connection.prepare(sql: "SELECT isum(a) FROM t")
    for _ in 0..<3 { #expect(try statement.first(.column(.int)) == 6) }
  }

  @Test func `a nested query has its own aggregate state`() throws {
    #expect(
      try first("SELECT isum(a + (SELECT isum(b) FROM t AS u WHERE u.kind = t.kind)) FROM t")
        == [106])
    #expect(try first("SELECT isum(DISTINCT a / 2), isum(a) FROM t") == [1, 6])
  }

  @Test func `an aggregate can run another aggregate query in its step`() throws {
    try connection.addAggregateFunction("nested", arity: 1) { [unowned connection] in
      Nested(connection)
    }
    #expect(try first("SELECT nested(a), isum(a) FROM t") == [18, 6])
  }

  @Test func `an error in step fails the query, and the next query has a new state`() throws {
    try connection.execute(sql: "INSERT INTO t VALUES ('z', 'no number', 40)")
    let error = failure { try first("SELECT isum(a) FROM t") }
    #expect(error?.code == .mismatch)
    #expect(error?.message == "isum: Argument 1 is TEXT and cannot be read as Int64")
    #expect(error?.sql == "SELECT isum(a) FROM t")
    #expect(try first("SELECT isum(a) FROM t WHERE kind <> 'z'") == [6])
    #expect(try first("SELECT isum(b) FROM t") == [100])
  }

  @Test func `an error in step keeps its code even if the query calls other aggregates`() throws {
    try connection.addAggregateFunction("fail", arity: 1) { Failing(.step) }
    let error = failure { try first("SELECT isum(a), fail(a), isum(b) FROM t GROUP BY kind") }
    #expect(error?.code == .constraintCheck)
    #expect(error?.message == "in step")
    #expect(try first("SELECT isum(a), isum(b) FROM t") == [6, 60])
  }

  @Test(arguments: ["SELECT fail(a) FROM t", "SELECT fail(a) FROM t WHERE false"])
  func `an error in final keeps its code, and the next query has a new state`(_ sql: String) throws
  {
    try connection.addAggregateFunction("fail", arity: 1) { Failing(.final) }
    let error = failure { try first(sql) }
    #expect(error?.code == .constraintCheck)
    #expect(error?.message == "in final")
    #expect(try first("SELECT isum(a), isum(b) FROM t") == [6, 60])
  }

  @Test func `neither step nor final runs after step throws`() throws {
    let log = Log()
    try connection.addAggregateFunction("fail", arity: 1) { Failing(.step, log) }
    #expect(failure { try first("SELECT fail(a) FROM t") }?.message == "in step")
    #expect(log.entries == ["step"])
  }

  @Test(arguments: [0, 1, 2, 3])
  func `an aggregate of any arity receives all its arguments`(_ count: Int) throws {
    try connection.addAggregateFunction("counted", arity: -1) { Counted() }
    let arguments = ["a", "b", "kind"].prefix(count).joined(separator: ", ")
    #expect(try first("SELECT counted(\(arguments)) FROM t") == [.integer(Int64(3 * count))])
  }

  @Test func `an aggregate can be replaced and removed`() throws {
    try connection.addAggregateFunction("isum", arity: 1) { Counted() }
    #expect(try first("SELECT isum(b) FROM t") == [3])
    try connection.removeFunction("isum", arity: 1)
    #expect(failure { try first("SELECT isum(b) FROM t") }?.message == "no such function: isum")
  }

  @Test func `adding an aggregate with an invalid arity or name throws`() {
    for arity in [-2, SQLiteVersion.mostArguments + 1, 9999, Int.max, Int.min] {
      #expect(
        failure { try connection.addAggregateFunction("f", arity: arity) { IntegerSum() } }?.code
          == .range)
      #expect(
        failure { try connection.addAggregateFunction("f", arity: arity) { WindowSum() } }?.code
          == .range)
    }
    for name in [String(repeating: "f", count: 256), "f\0"] {
      #expect(
        failure { try connection.addAggregateFunction(name, arity: 1) { IntegerSum() } }?.code
          == .misuse)
      #expect(
        failure { try connection.addAggregateFunction(name, arity: 1) { WindowSum() } }?.code
          == .misuse)
    }
  }

  @Test func `step receives NULL, empty values and invalid UTF-8`() throws {
    let log = Log()
    try connection.addAggregateFunction("seen", arity: 1) { Seen(log) }
    for sql in ["NULL", "''", "x''", "zeroblob(0)", "cast(x'ff' AS TEXT)", "'a' || char(0)"] {
      _ = try first("SELECT seen(\(sql))")
    }
    #expect(
      log.entries == ["NULL", "''", "x''", "x''", "Argument 1 is not valid UTF-8", "'a\0'"])
  }
}

/// A log of events, in order.
final class Log {
  var entries: [String] = []
}

private final class Counted: SQLAggregateFunction {
  private var count = 0
  func step(_ values: borrowing SQLFunctionArguments) { count += values.count }
  func final() -> DatabaseValue { .integer(Int64(count)) }
}

private final class Seen: SQLAggregateFunction {
  private let log: Log
  init(_ log: Log) { self.log = log }
  func step(_ values: borrowing SQLFunctionArguments) {
    let error = failure { log.entries.append("\(try values[0])") }
    if let error { log.entries.append(error.message) }
  }
  func final() -> DatabaseValue { .null }
}

/// An aggregate that runs a query for each row and adds up the results.
private final class Nested: SQLAggregateFunction {
  private unowned let connection: Connection
  private var sum: Int64 = 0
  init(_ connection: Connection) { self.connection = connection }
  func step(_ values: borrowing SQLFunctionArguments) throws {
    for value in try connection.integers("SELECT isum(a) FROM t") { sum += Int64(value) }
  }
  func final() -> DatabaseValue { .integer(sum) }
}

/// An aggregate that throws in a given method.
final class Failing: SQLAggregateWindowFunction {
  enum Place: CaseIterable, Sendable {
    case step
    case final
    case inverse
    case value
  }

  private let place: Place
  private let log: Log

  init(_ place: Place, _ log: Log = Log()) {
    self.place = place
    self.log = log
  }

  private func pass(_ here: Place) throws {
    log.entries.append("\(here)")
    if here == place { throw SQLiteError(.constraintCheck, "in \(here)") }
  }

  func step(_ values: borrowing SQLFunctionArguments) throws { try pass(.step) }
  func inverse(_ values: borrowing SQLFunctionArguments) throws { try pass(.inverse) }

  func value() throws -> DatabaseValue {
    try pass(.value)
    return 0
  }

  func final() throws -> DatabaseValue {
    try pass(.final)
    return 0
  }
}
