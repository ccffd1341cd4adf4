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

  @Test func `digits of a second's fraction after the sixth are ignored`() throws {
    func fraction(_ text: String) throws -> Double? {
      try db.first(Date.self, "SELECT \("2001-01-01 00:00:00.\(text)")")?
        .timeIntervalSinceReferenceDate
    }
    #expect(try fraction("5") == 0.5)
    #expect(try fraction("123456") == 0.123456)
    #expect(try fraction("123456999999999999999999999999") == 0.123456)
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
