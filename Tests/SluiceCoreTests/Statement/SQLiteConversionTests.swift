import SluiceCore
import TestSupport
import Testing

@Suite(.inEachThreadingMode) struct SQLiteConversionTests {
  let db: Connection
  init() throws { db = try Connection.inTestedMode() }

  private func row<T>(_ sql: String, _ body: (borrowing Row) throws -> T) throws -> T {
    var values: [T] = []
    try db.execute(sql: "SELECT \(sql) AS a") { values.append(try body($0)) }
    return try #require(values.first)
  }

  @Test(
    arguments: [
      ("7", 7), ("7.9", 7), ("-7.9", -7), ("'42'", 42), ("'42abc'", 42), ("'abc'", 0), ("''", 0),
      ("x''", 0), ("x'3432'", 42), ("1e300", .max), ("-1e300", .min), ("5000000000", 5_000_000_000),
      ("' 12 '", 12), ("'9223372036854775808'", .max),
    ] as [(String, Int64)])
  func `the integer method converts a value by the rules of SQLite`(sql: String, expected: Int64)
    throws
  {
    #expect(try row(sql) { try $0.integer(at: 0) } == expected)
    #expect(try row(sql) { try $0.integer(named: "a") } == expected)
  }

  @Test(
    arguments: [
      ("7", 7), ("7.5", 7.5), ("'4.5abc'", 4.5), ("'abc'", 0), ("''", 0), ("x'342e35'", 4.5),
      ("9e999", .infinity),
    ] as [(String, Double)])
  func `the real method converts a value by the rules of SQLite`(sql: String, expected: Double)
    throws
  {
    #expect(try row(sql) { try $0.real(at: 0) } == expected)
    #expect(try row(sql) { try $0.real(named: "a") } == expected)
  }

  @Test(arguments: [
    ("7", "7"), ("7.0", "7.0"), ("1e20", "1.0e+20"), ("'x'", "x"), ("x'78'", "x"), ("''", ""),
    ("x''", ""), ("-9223372036854775808", "-9223372036854775808"), ("9e999", "Inf"),
  ])
  func `the text and blob methods convert a value by the rules of SQLite`(
    sql: String, expected: String
  ) throws {
    #expect(try row(sql) { try $0.text(at: 0) } == expected)
    #expect(try row(sql) { try $0.text(named: "a") } == expected)
    #expect(try row(sql) { try $0.blob(at: 0) } == Array(expected.utf8))
    #expect(try row(sql) { try $0.blob(named: "a") } == Array(expected.utf8))
  }

  @Test(arguments: ["7", "7.5", "'7x'", "x'37'"])
  func `reading a value as other types changes neither the value nor its storage class`(sql: String)
    throws
  {
    let (before, after) = try row(sql) { row in
      let before = (try row.storageClass(at: 0), try row.value(at: 0))
      _ = try (row.text(at: 0), row.blob(at: 0), row.integer(at: 0), row.real(at: 0))
      return (before, (try row.storageClass(at: 0), try row.value(at: 0)))
    }
    #expect(before == after)
  }

  @Test func `a blob with invalid UTF-8 throws a mismatch when it is read as text`() throws {
    #expect(try row("x'ff'") { row in failure { try row.text(at: 0) }?.code } == .mismatch)
    #expect(try row("x'ff'") { try $0.blob(at: 0) } == [0xff])
  }
}
