import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `date values with a strategy` {
  let db: Connection
  init() throws { db = try Connection() }

  struct Event: Codable {
    var date: Date
  }

  @Test(arguments: 0..<7) func `a date value is stored like a property and round-trips`(
    _ index: Int
  )
    throws
  {
    let strategy = [
      DateStrategy.sqlite, .iso8601, .timeIntervalSince1970, .millisecondsSince1970,
      .timeIntervalSinceReferenceDate, .julianDay, .formatted(.iso8601),
    ][index]
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let statement = try db.prepare(sql: "SELECT :date")
    try StatementEncoder(CodingStrategies(dates: strategy)).encode(Event(date: date), to: statement)
    let stored = try #require(try statement.first(.column(.value)))
    #expect(try db.select(.value, .date(date, as: strategy)) == stored)
    #expect(try db.select(.date(as: strategy), .value(stored)) == date)
  }

  @Test(arguments: [1e300, -1e300, .infinity, .nan, 253_402_300_800, -211_845_067_200 * 2])
  func `binding a date that the strategy cannot store throws`(_ seconds: Double) throws {
    for strategy in [DateStrategy.julianDay, .sqlite, .formatted(.iso8601)] {
      let error = try #require(throws: SQLiteError.self) {
        try db.select(.value, .date(Date(timeIntervalSince1970: seconds), as: strategy))
      }
      #expect(error.code == .range)
    }
  }

  @Test(arguments: [DatabaseValue.null, "x", .real(.infinity), .blob([])])
  func `reading an invalid date throws a mismatch, and an optional date reads NULL as nil`(
    _ value: DatabaseValue
  )
    throws
  {
    for strategy in [DateStrategy.sqlite, .julianDay, .formatted(.iso8601)] {
      let error = try #require(throws: SQLiteError.self) {
        try db.select(.date(as: strategy), .value(value))
      }
      #expect(error.code == .mismatch)
    }
    #expect(try db.select(.optional(.date(as: .sqlite)), .null) == .some(nil))
  }

  @Test func `binding and reading rethrow an error of a custom date strategy's closure`() throws {
    struct Never: Error {}
    let strategy = DateStrategy.custom(
      encode: { _ in throw Never() }, decode: { _ in throw Never() })
    #expect(throws: Never.self) { try db.select(.value, .date(.now, as: strategy)) }
    #expect(throws: Never.self) { try db.select(.date(as: strategy), 7) }
  }
}
