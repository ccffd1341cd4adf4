import Foundation
import Sluice
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `date strategies` {
  let db: Connection
  init() throws { db = try Connection() }

  struct Event: Codable, Equatable {
    var date: Date
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let strategy: DateStrategy
    /// The stored values of 1970-01-01 00:00:01.5, 1969-12-31 23:59:59.999, and the beginnings of the years 1 and
    /// 9999.
    let stored: [DatabaseValue]
  }

  private static let text: [DatabaseValue] = [
    "1970-01-01 00:00:01.500", "1969-12-31 23:59:59.999", "0001-01-01 00:00:00.000",
    "9999-01-01 00:00:00.000",
  ]

  private static let cases = [
    Case(testDescription: "sqlite", strategy: .sqlite, stored: text),
    Case(
      testDescription: "ISO 8601", strategy: .iso8601,
      stored: [
        "1970-01-01T00:00:01.500Z", "1969-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z",
        "9999-01-01T00:00:00.000Z",
      ]),
    Case(
      testDescription: "seconds since 1970", strategy: .timeIntervalSince1970,
      stored: [.real(1.5), .real(-0.001), .real(-62_135_596_800), .real(253_370_764_800)]),
    Case(
      testDescription: "milliseconds since 1970", strategy: .millisecondsSince1970,
      stored: [1_500, -1, -62_135_596_800_000, 253_370_764_800_000]),
    Case(
      testDescription: "seconds since 2001", strategy: .timeIntervalSinceReferenceDate,
      stored: [
        .real(-978_307_198.5), .real(-978_307_200.001), .real(-63_113_904_000),
        .real(252_392_457_600),
      ]),
    Case(
      testDescription: "Julian day", strategy: .julianDay,
      stored: [
        .real(2_440_587.5 + 1.5 / 86_400), .real(2_440_587.499_999_988_6), .real(1_721_425.5),
        .real(5_373_119.5),
      ]),
  ]

  private static let dates = [1.5, -0.001, -62_135_596_800, 253_370_764_800]
    .map(Date.init(timeIntervalSince1970:))

  @Test(arguments: cases)
  func `each date strategy stores the documented values and reads them back`(_ test: Case) throws {
    let coder = CodingStrategies(dates: test.strategy)
    let statement = try db.prepare(sql: "SELECT :date AS date")
    for (date, stored) in zip(Self.dates, test.stored) {
      try StatementEncoder(coder).encode(Event(date: date), to: statement)
      let value = try #require(try statement.first(.column(.value)))
      if case .real(let expected) = stored, case .real(let found) = value {
        // The literals above do not have all digits.
        #expect(abs(found - expected) < 1e-6)
      } else {
        #expect(value == stored)
      }
      let event = try #require(
        try statement.first(.decoding(Event.self, by: RowDecoder(coder))))
      #expect(abs(event.date.timeIntervalSince(date)) < 1e-6)
    }
  }

  @Test(arguments: cases)
  func `SQLite's date functions read each stored form as the same time`(_ test: Case) throws {
    var numbers = SystemRandomNumberGenerator()
    let seed = numbers.next()
    var random = SeededGenerator(seed: seed)
    let modifier =
      switch test.testDescription {
      case "seconds since 1970": "?1, 'unixepoch'"
      case "milliseconds since 1970": "?1 / 1000.0, 'unixepoch'"
      case "seconds since 2001": "?1 + 978307200, 'unixepoch'"
      default: "?1"
      }
    let statement = try db.prepare(
      sql: "SELECT strftime('%Y-%m-%d %H:%M:%f', \(modifier)), julianday(\(modifier))")
    let days = try db.prepare(sql: "SELECT :date AS date")
    for _ in 0..<300 {
      let milliseconds = Int64.random(in: -62_167_219_200_000..<253_402_300_800_000, using: &random)
      let date = Date(
        timeIntervalSinceReferenceDate: Double(milliseconds - 978_307_200_000) / 1000)
      let stored = try store(date, test.strategy)
      try statement.bind(.value(stored))
      let (text, day) = try #require(try statement.first(.columns(.string, .double)))
      #expect(try .text(text) == store(date, .sqlite), "seed \(seed): \(milliseconds)")
      guard case .real(let julianDay) = try store(date, .julianDay) else {
        Issue.record("The date is not stored as a real")
        continue
      }
      let difference = SQLiteVersion.keepsMilliseconds ? 0 : 0.0011 / 86400
      #expect(abs(day - julianDay) <= difference, "seed \(seed): \(milliseconds)")
      // Every form round-trips to the millisecond.
      try StatementEncoder(CodingStrategies(dates: test.strategy)).encode(["date": date], to: days)
      let decoder = RowDecoder(CodingStrategies(dates: test.strategy))
      let event = try #require(try days.first(.decoding(Event.self, by: decoder)))
      #expect(abs(event.date.timeIntervalSince(date)) < 1e-4, "seed \(seed): \(milliseconds)")
      // Seconds since 1970 differ from Foundation's own number of seconds, so they may be rounded.
      #expect(
        event.date == date || test.testDescription == "seconds since 1970",
        "seed \(seed): \(milliseconds)")
    }
  }

  @Test func `seconds since 2001 round-trip without loss`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
    #expect(try store(date, .timeIntervalSinceReferenceDate) == .real(0.1 + 0.2))
    #expect(
      try read(.real(0.1 + 0.2), .timeIntervalSinceReferenceDate) == date)
  }

  @Test(arguments: cases)
  func `encoding and decoding a date out of range both throw`(_ test: Case) throws {
    for seconds in [1e300, -1e300, .infinity, -.infinity, .nan, 253_402_300_800, -210_866_760_001] {
      #expect(throws: EncodingError.self, "\(seconds)") {
        try store(Date(timeIntervalSince1970: seconds), test.strategy)
      }
    }
    for value: DatabaseValue in [
      .real(1e300), .real(-1e300), .real(.infinity), "x", "", "\0", .blob([]), .blob([1]),
    ] {
      #expect(throws: DecodingError.self, "\(value)") { try read(value, test.strategy) }
    }
  }

  @Test func `the error for a date out of range names the range of the strategy`() throws {
    func reason(_ seconds: Double, _ strategy: DateStrategy) -> String? {
      do {
        _ = try store(Date(timeIntervalSince1970: seconds), strategy)
        return nil
      } catch EncodingError.invalidValue(_, let context) { return context.debugDescription } catch {
        return "\(error)"
      }
    }
    for seconds in [253_402_300_800, 1e300, -62_167_219_201, -1e12, -1e300, .infinity] {
      for strategy in [DateStrategy.sqlite, .iso8601, .grdb] {
        #expect(
          reason(seconds, strategy) == "It is a date before the year 0 or after the year 9999",
          "\(seconds)")
      }
    }
    for strategy in [DateStrategy.julianDay, .timeIntervalSince1970, .millisecondsSince1970] {
      #expect(
        reason(1e12, strategy) == "It is a date before the year -4713 or after the year 9999")
      #expect(reason(-62_167_219_201, strategy) == nil)
    }
  }

  @Test func `the text strategies reject years that do not have four digits`() throws {
    for strategy in [DateStrategy.sqlite, .iso8601] {
      #expect(throws: EncodingError.self) {
        try store(Date(timeIntervalSince1970: -62_167_219_201), strategy)
      }
      // Rounding this date would give the year 10000.
      #expect(throws: EncodingError.self) {
        try store(Date(timeIntervalSince1970: 253_402_300_799.9999), strategy)
      }
    }
  }

  @Test func `a date strategy can use a format style or a DateFormatter`() throws {
    let style = Date.ISO8601FormatStyle().year().month().day()
    let date = Date(timeIntervalSince1970: 86_400 * 365)
    #expect(try store(date, .formatted(style)) == "1971-01-01")
    #expect(try read("1971-01-01", .formatted(style)) == date)
    #expect(throws: DecodingError.self) { try read("x", .formatted(style)) }
    #expect(throws: DecodingError.self) { try read(5, .formatted(style)) }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "dd.MM.yyyy"
    #expect(try store(date, .formatted(formatter)) == "01.01.1971")
    #expect(try read("01.01.1971", .formatted(formatter)) == date)
    #expect(throws: DecodingError.self) { try read("x", .formatted(formatter)) }
    // For these dates, Foundation would write another date or no text.
    for seconds in [1e300, -1e300, .infinity, .nan, 253_402_300_800, -210_866_760_001] {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(throws: EncodingError.self) { try store(date, .formatted(style)) }
      #expect(throws: EncodingError.self) { try store(date, .formatted(formatter)) }
    }
  }

  @Test func `a custom date strategy encodes and decodes with its closures`() throws {
    struct Never: Error {}
    let strategy = DateStrategy.custom(
      encode: { date in
        guard date != .distantPast else { throw Never() }
        return .blob([UInt8(date.timeIntervalSince1970)])
      },
      decode: { value in
        guard case .blob(let bytes) = value else { throw Never() }
        return Date(timeIntervalSince1970: Double(bytes[0]))
      })
    #expect(try store(Date(timeIntervalSince1970: 7), strategy) == .blob([7]))
    #expect(try read(.blob([7]), strategy) == Date(timeIntervalSince1970: 7))
    #expect(throws: EncodingError.self) { try store(.distantPast, strategy) }
    #expect(throws: DecodingError.self) { try read(7, strategy) }
    // JSON has no blobs.
    #expect(throws: EncodingError.self) {
      try db.prepare(sql: "SELECT :a").withStrategies(CodingStrategies(dates: strategy))
        .bind(encoding: ["a": [Date(timeIntervalSince1970: 7)]])
    }
  }

  private func store(_ date: Date, _ strategy: DateStrategy) throws -> DatabaseValue {
    let statement = try db.prepare(sql: "SELECT :date")
    try StatementEncoder(CodingStrategies(dates: strategy)).encode(Event(date: date), to: statement)
    return try #require(try statement.first(.column(.value)))
  }

  private func read(_ value: DatabaseValue, _ strategy: DateStrategy) throws -> Date {
    let decoder = RowDecoder(CodingStrategies(dates: strategy))
    return try #require(
      try db.first(
        .decoding(Event.self, by: decoder), sql: "SELECT ? AS date", parameters: .value(value))
    ).date
  }
}

extension Statement {
  fileprivate func withStrategies(_ strategies: CodingStrategies) -> Statement {
    codingStrategies = strategies
    return self
  }
}
