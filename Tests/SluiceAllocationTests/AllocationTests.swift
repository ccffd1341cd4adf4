import Allocations
import SluiceCore
import Testing

/// The work for each row or call makes no allocations other than SQLite's own.
@Suite(
  .enabled(
    if: allocations_are_counted(),
    "Allocations are counted with the C library of GNU, and not under a sanitizer."))
struct AllocationTests {
  private static let modes = [Configuration.ThreadingMode.multiThread, .serialized]
  /// Texts that a String stores inline, without an allocation: up to 15 bytes of UTF-8.
  private static let labels = [
    "", "sluice", "hello sluice", "fifteen letters", "ä", "→→→→→", "🙂🙂🙂",
  ]
  private static let query = "SELECT id, value, label FROM sample LIMIT ?"

  /// Returns SQL that creates a table of 1000 rows.
  private static func rows(_ label: String = "hello sluice") -> String {
    """
    CREATE TABLE sample(id INTEGER PRIMARY KEY, value REAL, label TEXT);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT 1000)
    INSERT INTO sample SELECT n, n * 0.5, '\(label)' FROM number;
    """
  }

  private func connection(_ mode: Configuration.ThreadingMode, sql: String) throws -> Connection {
    var configuration = Configuration()
    configuration.threadingMode = mode
    let connection = try Connection(configuration: configuration)
    try connection.execute(sql: sql)
    return connection
  }

  @Test(arguments: modes)
  func `inserting a row makes no more allocations than the C API`(mode: Configuration.ThreadingMode)
    throws
  {
    let table = "CREATE TABLE sample(id INTEGER, value REAL, label TEXT)"
    let insert = "INSERT INTO sample VALUES (?, ?, ?)"
    let label = "hello sluice"
    let statement = try connection(mode, sql: table).prepare(sql: insert)
    let found = try allocationGrowth { count in
      try statement.connection.transaction { _, _ in
        for id in 1...count {
          try statement.bind(.int(id), .double(Double(id)), .string(label)).execute()
        }
      }
    }
    let expected = try CConnection(mode, sql: table).growth(ofExecutions: insert)
    #expect(found <= expected + variadicCalls)
  }

  @Test(arguments: modes, labels) func `reading a row makes no more allocations than the C API`(
    mode: Configuration.ThreadingMode, label: String
  ) throws {
    let db = try connection(mode, sql: Self.rows(label))
    let byIndex = try allocationGrowth { count in
      try db.execute(sql: Self.query, parameters: .int(count)) { row in
        let id = try row.get(.int64, at: 0)
        let value = try row.get(.double, at: 1)
        let label = try row.get(.string, at: 2)
        guard id > 0, value > 0, label.utf8.count < 16 else { throw Unexpected() }
      }
    }
    let byName = try allocationGrowth { count in
      try db.execute(sql: Self.query, parameters: .int(count)) { row in
        let id = try row.get(.int64, named: "id")
        let value = try row.get(.double, named: "value")
        let label = try row.get(.string, named: "label")
        guard id > 0, value > 0, label.utf8.count < 16 else { throw Unexpected() }
      }
    }
    let expected = try CConnection(mode, sql: Self.rows(label)).growth(ofRows: Self.query)
    #expect(byIndex <= expected)
    #expect(byName <= expected)
  }

  @Test(arguments: modes)
  func `borrowing a row's text makes no more allocations than the C API`(
    mode: Configuration.ThreadingMode
  )
    throws
  {
    let rows = Self.rows(String(repeating: "long text ", count: 10))
    let db = try connection(mode, sql: rows)
    let found = try allocationGrowth { count in
      try db.execute(sql: Self.query, parameters: .int(count)) { row in
        let byIndex = try row.withUTF8(at: 2) { $0.count }
        let byName = try row.withUTF8(named: "label") { $0.count }
        guard byIndex == 100, byName == 100 else { throw Unexpected() }
      }
    }
    let expected = try CConnection(mode, sql: rows).growth(ofRows: Self.query)
    #expect(found <= expected)
  }

  @Test(arguments: modes)
  func `querying one row makes no more allocations than the C API`(
    mode: Configuration.ThreadingMode
  ) throws {
    let query = "SELECT label FROM sample WHERE id = ?"
    let statement = try connection(mode, sql: Self.rows()).prepare(sql: query)
    let label = RowConverter.column(.string)
    let found = try allocationGrowth { count in
      for key in 1...count {
        let label = try statement.bind(.int(key)).first(label)
        guard label?.utf8.count == 12 else { throw Unexpected() }
      }
    }
    let expected = try CConnection(mode, sql: Self.rows()).growth(ofExecutions: query)
    #expect(found <= expected + variadicCalls)
  }

  @Test(
    arguments: modes,
    [
      "sum(increment(id))", "sum(typed_increment(id))", "integer_sum(id)",
      "sum(byte_count(label || label))",
    ])
  func `calling an SQL function makes no more allocations than the C API`(
    mode: Configuration.ThreadingMode, call: String
  ) throws {
    let db = try connection(mode, sql: Self.rows())
    try db.addFunction("increment", arity: 1) { values in .integer(try values.get(at: 0) &+ 1) }
    try db.addFunction("typed_increment") { (value: Int64) in value &+ 1 }
    try db.addFunction("byte_count") { (text: Span<UInt8>) in text.count }
    try db.addAggregateFunction("integer_sum", arity: 1) { IntegerSum() }
    let query = "SELECT \(call) FROM sample WHERE id <= ?"
    let statement = try db.prepare(sql: query)
    let found = try allocationGrowth { count in
      let sum = try statement.bind(.int(count)).first(.column(.int))
      guard let sum, sum > count else { throw Unexpected() }
    }
    let expected = try CConnection(mode, sql: Self.rows()).growth(ofRows: query)
    #expect(found <= expected)
  }

  @Test func `the allocation counter detects one allocation per row`() throws {
    let db = try connection(.multiThread, sql: Self.rows("sixteen letters!"))
    let found = try allocationGrowth { count in
      try db.execute(sql: Self.query, parameters: .int(count)) { row in
        let label = try row.get(.string, at: 2)
        guard label.utf8.count == 16 else { throw Unexpected() }
      }
    }
    #expect(found >= 500)
  }
}

/// The number of allocations that `bind` adds: without the optimizer, each call allocates an array of its arguments.
#if DEBUG
  private let variadicCalls = 500
#else
  private let variadicCalls = 0
#endif

private struct Unexpected: Error {}

private final class IntegerSum: SQLAggregateFunction {
  private var sum: Int64 = 0
  func step(_ values: borrowing SQLFunctionArguments) throws { sum += try values.get(at: 0) }
  func final() throws -> DatabaseValue { .integer(sum) }
}
