import Foundation
import Sluice
import TestSupport
import Testing

@Suite struct DateValuesTests {
  let db: Connection
  init() throws { db = try Connection() }

  static let dates = [
    0, 0.5, -0.5, 1_700_000_000.123, -1e9, 2e9, 978_307_200, -12_219_292_800, -62_167_219_200,
  ]
  .map { Date(timeIntervalSince1970: $0) }

  @Test(arguments: dates)
  func `a date round-trips as seconds since 1970 and since the reference date`(date: Date) throws {
    #expect(
      try db.select(.timeIntervalSinceReferenceDate, .timeIntervalSinceReferenceDate(date)) == date)
    let back = try #require(
      try db.select(.timeIntervalSince1970, .timeIntervalSince1970(date)))
    #expect(abs(back.timeIntervalSince(date)) < 1e-6)
    #expect(
      try db.select(.value, .timeIntervalSince1970(date)) == .real(date.timeIntervalSince1970))
    #expect(
      try db.select(.value, .timeIntervalSinceReferenceDate(date))
        == .real(date.timeIntervalSinceReferenceDate))
  }

  @Test(arguments: dates) func `a date round-trips through ISO 8601 to the millisecond`(date: Date)
    throws
  {
    let back = try #require(try db.select(.iso8601, .iso8601(date)))
    #expect(abs(back.timeIntervalSince(date)) < 0.0005)
  }

  @Test func `a date at each millisecond of a second round-trips through ISO 8601`() throws {
    for millisecond in 0..<1000 {
      let count = 1_700_000_000_000 + Double(millisecond)
      let date = Date(timeIntervalSince1970: count / 1000)
      let back = try #require(try db.select(.iso8601, .iso8601(date)))
      try #require((back.timeIntervalSince1970 * 1000).rounded() == count)
    }
  }

  @Test func `ISO 8601 text has the documented form, which SQLite can parse`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    #expect(try db.select(.value, .iso8601(date)) == "2001-01-01T00:00:00.000Z")
    #expect(
      try db.first(
        .column(.int), sql: "SELECT CAST(strftime('%s', ?) AS INTEGER)", parameters: .iso8601(date))
        == 978_307_200)
    #expect(try db.select(.iso8601, "2001-01-01T00:00:00Z") == date)
    #expect(try db.select(.iso8601, "2001-01-01T01:00:00+01:00") == date)
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00.000Z", 0), ("1582-10-15T00:00:00.000Z", -12_219_292_800),
    ("1900-02-28T23:59:59.999Z", -2_203_891_200.001),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799.999),
    ("1969-12-31T23:59:59.500Z", -0.5), ("2000-02-29T12:34:56.789Z", 951_827_696.789),
  ])
  func `ISO 8601 text equals the output of SQLite's strftime`(text: String, seconds: Double) throws
  {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(try db.select(.value, .iso8601(date)) == .text(text))
    let back = try #require(try db.select(.iso8601, .value(.text(text))))
    #expect(abs(back.timeIntervalSince1970 - seconds) < 0.0001)
    #expect(
      try db.first(
        .column(.string), sql: "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', ?, 'unixepoch')",
        parameters: .double(seconds)) == text)
  }

  @Test(
    arguments: [
      "", "x", "2001-13-01T00:00:00Z", "12", nil, .blob([1]), .blob(Array("2001-01-01".utf8)), 7,
      "2024-01-01T00:00:00Z garbage", "2024-02-30T00:00:00Z", "2024-01-01T00:00:60Z",
      "2024-01-01T00:00:00Zx", "2024-01-01T00:00:00ZZ2025", "2024-01-01T24:00:01Z",
    ] as [DatabaseValue])
  func `reading a date from a value that is not ISO 8601 text throws a mismatch`(
    value: DatabaseValue
  ) {
    #expect(failure { try db.select(.iso8601, .value(value)) }?.code == .mismatch)
    #expect(failure { try db.select(.date(as: .iso8601), .value(value)) }?.code == .mismatch)
  }

  @Test(arguments: [
    "2001-01-01", "1500-01-01T00:00:00Z", "2001-01-01 00:00+01:00", "0000-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z",
  ])
  func `the iso8601 value reads and writes the same text as the iso8601 strategy`(text: String)
    throws
  {
    let date = try #require(try db.select(.date(as: .iso8601), .string(text)))
    #expect(try db.select(.iso8601, .string(text)) == date)
    #expect(try db.select(.value, .iso8601(date)) == db.select(.value, .date(date, as: .iso8601)))
    #expect(try db.select(.iso8601, .iso8601(date)) == date)
  }

  @Test(arguments: ["x", nil, .blob([])] as [DatabaseValue])
  func `reading a date from a value that is not a number of seconds throws a mismatch`(
    value: DatabaseValue
  ) {
    #expect(failure { try db.select(.timeIntervalSince1970, .value(value)) }?.code == .mismatch)
    #expect(
      failure { try db.select(.timeIntervalSinceReferenceDate, .value(value)) }?.code == .mismatch)
  }

  @Test func `binding a date of NaN seconds throws`() {
    let date = Date(timeIntervalSinceReferenceDate: .nan)
    #expect(failure { try db.select(.value, .timeIntervalSince1970(date)) }?.code == .mismatch)
    #expect(
      failure { try db.select(.value, .timeIntervalSinceReferenceDate(date)) }?.code == .mismatch)
  }

  @Test(
    arguments: [
      1e300, -1e300, .infinity, -.infinity, .nan, 1e15, -1e15, 1e18, -62_167_219_201,
      253_402_300_800,
    ] as [Double])
  func `binding a date outside the range of ISO 8601 throws instead of trapping`(seconds: Double)
    throws
  {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(failure { try db.select(.value, .iso8601(date)) }?.code == .range)
  }
}
