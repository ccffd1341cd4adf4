import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `dates written with another strategy` {
  let db: Connection
  init() throws { db = try Connection() }

  typealias Event = `date strategies`.Event

  private static let strategies: [(String, DateStrategy)] = [
    ("sqlite", .sqlite), ("iso8601", .iso8601), ("formatted", .formatted(.iso8601)),
    ("timeIntervalSince1970", .timeIntervalSince1970),
    ("millisecondsSince1970", .millisecondsSince1970), ("julianDay", .julianDay),
    ("timeIntervalSinceReferenceDate", .timeIntervalSinceReferenceDate),
  ]

  @Test func `the error for a date of the wrong storage class names the value and the strategy`()
    throws
  {
    let event = Event(date: Date(timeIntervalSince1970: 1_700_000_000))
    for (writer, writing) in Self.strategies {
      let statement = try db.prepare(sql: "SELECT :date AS date")
      let encoder = StatementEncoder(CodingStrategies(dates: writing))
      let stored = try #require(
        try encoder.encode(event, to: statement).first(.column(.value)))
      for (reader, reading) in Self.strategies where stored.isText != isText(reader) {
        statement.codingStrategies.dates = reading
        let error = #expect(throws: DecodingError.self, "\(writer), \(reader)") {
          try statement.first(Event.self)
        }
        guard case .typeMismatch(_, let context) = error else {
          // The decoder reads a date as a number, so a number that is not a valid date is corrupted data rather than
          // a type mismatch.
          guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error as Any)")
            continue
          }
          expect(context, stored, reader)
          continue
        }
        expect(context, stored, reader)
      }
    }
  }

  private func isText(_ name: String) -> Bool { ["sqlite", "iso8601", "formatted"].contains(name) }

  private func expect(
    _ context: DecodingError.Context, _ stored: DatabaseValue, _ reader: String
  ) {
    #expect(context.codingPath.map(\.stringValue) == ["date"])
    #expect(
      context.debugDescription.hasSuffix("\(stored), read as .\(reader)"),
      "\(context.debugDescription)")
  }

  @Test func `the error for a date of the wrong type inside JSON names the value and the strategy`()
    throws
  {
    db.codingStrategies.dates = .julianDay
    let error = #expect(throws: DecodingError.self) {
      try db.first([String: [Date]].self, sql: #"SELECT '["2001-01-01"]' AS a"#)
    }
    #expect("\(try #require(error))".contains("'2001-01-01', read as .julianDay"))
  }

  @Test func `the error for a date out of range names the strategy and truncates long text`() throws
  {
    func message(_ strategy: DateStrategy, _ value: DatabaseValue) throws -> String {
      try #require(throws: SQLiteError.self) {
        try db.first(.column(.date(as: strategy)), "SELECT \(value)")
      }.message
    }
    // The stored milliseconds are read as seconds.
    #expect(
      try message(.timeIntervalSince1970, 1_700_000_000_000)
        .hasSuffix("after the year 9999: 1700000000000, read as .timeIntervalSince1970"))
    let long = String(repeating: "x", count: 1000)
    #expect(try message(.sqlite, .text(long)).count < 150)
    #expect(try message(.sqlite, .blob([1, 2])).hasSuffix("a blob, read as .sqlite"))
  }
}

extension DatabaseValue {
  fileprivate var isText: Bool { storageClass == .text }
}
