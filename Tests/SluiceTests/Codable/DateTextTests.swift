import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `date text of SQLite` {
  let db: Connection
  init() throws { db = try Connection() }

  @Test(arguments: [
    "2024-02-29", "2024-02-29 12:34", "2024-02-29T12:34", "2024-02-29 12:34:56",
    "2024-02-29T12:34:56", "2024-02-29 12:34:56.7", "2024-02-29 12:34:56.789",
    "2024-02-29T12:34:56Z", "2024-02-29 12:34:56.789Z", "2024-02-29 12:34:56z",
    "2024-02-29 12:34:56+01:00", "2024-02-29 12:34-14:00", "2024-02-29T12:34:56.789 +05:30",
    "2024-02-29 12:34:56 ", "2024-02-29 24:00", "2024-02-29 24:00:00.000", "0000-01-01",
    "9999-12-31 23:59:59.999", "1582-10-10", "1900-02-28 23:59:59",
  ])
  func `each unambiguous form of date text is read as SQLite reads it`(_ text: String) throws {
    let milliseconds = try db.first(
      .column(.int64), sql: "SELECT round((julianday(?) - 2440587.5) * 86400000)",
      parameters: .string(text))
    let expected = Double(try #require(milliseconds) - 978_307_200_000) / 1000
    for strategy in [DateStrategy.sqlite, .iso8601] {
      let decoder = RowDecoder(CodingStrategies(dates: strategy))
      let date = try db.first(
        .decoding(Date.self, by: decoder), sql: "SELECT ?", parameters: .string(text))
      #expect(date == Date(timeIntervalSinceReferenceDate: expected))
    }
  }

  @Test func `the output of SQLite's date functions is read as a date`() throws {
    for sql in ["SELECT CURRENT_TIMESTAMP", "SELECT datetime()", "SELECT date('2024-01-01')"] {
      #expect(try db.first(Date.self, sql: sql) != nil)
    }
  }

  @Test func `a second's fraction is read like the fraction of a number`() throws {
    let fractions = [
      "5", "123456", "1234567", "123456789", "999999999", "000000001",
      "123456999999999999999999999999", "00000000000000000000000000000001",
      "999999999999999999999999999999",
    ]
    for strategy in [DateStrategy.sqlite, .iso8601, .grdb] {
      for digits in fractions {
        let text = "2001-01-01 00:00:00.\(digits)"
        let decoder = RowDecoder(CodingStrategies(dates: strategy))
        let date = try db.first(.decoding(Date.self, by: decoder), "SELECT \(text)")
        #expect(date?.timeIntervalSinceReferenceDate == Double("0." + digits), "\(digits)")
        #expect(try db.first(.column(.date(as: strategy)), "SELECT \(text)") == date)
      }
    }
    // A `Date` is a number of seconds since 2001, so it holds fewer digits of a time that is further away.
    for (text, seconds) in [
      ("2024-02-29T12:34:56.1234567Z", 730_902_896.1234567),
      ("2024-02-29T12:34:56.123456789+00:00", 730_902_896.123456789),
      ("1999-12-31 23:59:59.9999999", -31_622_400.0000001),
      ("9999-12-31 23:59:59.9999", 252_423_993_599.9999),
    ] {
      #expect(
        try db.first(.column(.iso8601), "SELECT \(text)")?.timeIntervalSinceReferenceDate == seconds
      )
    }
  }

  @Test func `a fraction that a date rounds to the year 10000 is rejected`() throws {
    #expect(
      failure { try db.first(.column(.iso8601), "SELECT '9999-12-31 23:59:59.99999999'") }
        != nil)
    #expect(throws: DecodingError.self) {
      try db.first(Date.self, "SELECT '9999-12-31 24:00:00.0000001'")
    }
  }

  @Test(arguments: [
    "", " ", "now", "12:34", "12:34:56", "2451545", "2451545.5", "2024", "2024-02", "2024-02-30",
    "2023-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-1-1", "-2024-01-01",
    "12024-01-01", "2024-01-01 ", " 2024-01-01", "2024-01-01T", "2024-01-01 1", "2024-01-01 25:00",
    "2024-01-01 24:01", "2024-01-01 12:60", "2024-01-01 12:00:60", "2024-01-01 12:00:00.",
    "2024-01-01 12:00:00x", "2024-01-01 12:00 Z Z", "2024-01-01 12:00+15:00",
    "2024-01-01 12:00+1:00", "2024-01-01 12:00+01:60", "2024-01-01Z", "2024-01-01 12:00\0",
    "２０２４-01-01", "2024-01-01 12:00:00+", "９999-12-31", "9999-12-31 23:59:59-14:00",
  ])
  func `decoding date text in any other form throws a decoding error`(_ text: String) throws {
    #expect(throws: DecodingError.self) { try db.first(Date.self, "SELECT \(text)") }
  }
}
