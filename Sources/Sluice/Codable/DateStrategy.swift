public import Foundation
public import SluiceCore

/// The stored representation of a `Date`.
///
/// Except for ``custom(encode:decode:)``, every strategy rejects times that SQLite's own functions cannot
/// represent: times before Julian day 0, which is in the year -4713, and times after the year 9999.
///
/// A strategy cannot detect which strategy wrote a column. A strategy that stores text rejects numbers, and a
/// strategy that stores numbers rejects text; the error contains the name of the strategy and the value. But
/// **numbers look alike**: if seconds are read as milliseconds, the result is a different date, without an error.
/// If you change the strategy, also change the existing rows, for example with `UPDATE event SET day =
/// unixepoch(day)`.
public struct DateStrategy: Sendable {
  let encode: @Sendable (Date) throws -> DatabaseValue
  let decode: @Sendable (DatabaseValue) throws -> Date

  /// Creates a strategy whose errors contain its name and the value that it could not read.
  private init(
    _ name: String, encode: @escaping @Sendable (Date) throws -> DatabaseValue,
    decode: @escaping @Sendable (DatabaseValue) throws -> Date
  ) {
    self.encode = encode
    self.decode = { value in
      do { return try decode(value) } catch let refusal as Refusal {
        throw Refusal("\(refusal.reason): \(value.shown), read as .\(name)")
      }
    }
  }

  private init(
    encode: @escaping @Sendable (Date) throws -> DatabaseValue,
    decode: @escaping @Sendable (DatabaseValue) throws -> Date
  ) {
    self.encode = encode
    self.decode = decode
  }

  /// Text in UTC with milliseconds, in the format of SQLite's own functions: `2001-01-01 00:00:00.000`.
  ///
  /// This strategy reads all of SQLite's formats that denote one time: with or without a fraction, seconds or a
  /// time of day, with a space or a `T`, in UTC or with an offset such as `Z` or `+01:00`. A fraction can have any
  /// number of digits: the result is the nearest time that a `Date` can represent. The years are 0 to 9999.
  public static let sqlite = DateStrategy(
    "sqlite",
    encode: { .text(try DateText($0).text(separator: " ", zone: "")) },
    decode: { try Date(text: $0) })

  /// Text in the format of ``sqlite``; a number is read as seconds since the beginning of 1970, as in GRDB.
  public static let grdb = DateStrategy(
    "grdb",
    encode: { date in
      // Half a millisecond is rounded up, even before 1970, as Foundation's formatter does.
      // The only failure is a date out of a wider range than that of the text.
      guard let date = try? date.checked else { throw DateText.outside }
      let milliseconds = (date.timeIntervalSince1970 * 1000 + 0.5).rounded(.down)
      return .text(
        try DateText(milliseconds: Int64(milliseconds)).text(separator: " ", zone: ""))
    },
    decode: { value in
      switch value {
      case .integer, .real: try Date(timeIntervalSince1970: value.number).checked
      default: try Date(text: value)
      }
    })

  /// Text in UTC with milliseconds, such as `2001-01-01T00:00:00.000Z`; reads the same formats as ``sqlite``.
  public static let iso8601 = DateStrategy(
    "iso8601",
    encode: { .text(try DateText($0).text(separator: "T", zone: "Z")) },
    decode: { try Date(text: $0) })

  /// Seconds since the beginning of 1970, including fractions: SQLite's `unixepoch`.
  public static let timeIntervalSince1970 = DateStrategy(
    "timeIntervalSince1970",
    encode: { .real(try $0.checked.timeIntervalSince1970) },
    decode: { try Date(timeIntervalSince1970: $0.number).checked })

  /// Milliseconds since the beginning of 1970, as an integer.
  public static let millisecondsSince1970 = DateStrategy(
    "millisecondsSince1970",
    encode: { .integer(try $0.milliseconds) },
    decode: { try Date(milliseconds: $0.number) })

  /// Seconds since the beginning of 2001, which is Foundation's own representation, so no precision is lost.
  public static let timeIntervalSinceReferenceDate = DateStrategy(
    "timeIntervalSinceReferenceDate",
    encode: { .real(try $0.checked.timeIntervalSinceReferenceDate) },
    decode: { try Date(timeIntervalSinceReferenceDate: $0.number).checked })

  /// Days since noon of November 24, 4714 BC, precise to the millisecond, like SQLite's `julianday`.
  public static let julianDay = DateStrategy(
    "julianDay",
    encode: { .real(Double(try $0.milliseconds + Date.julianEpoch) / 86_400_000) },
    decode: { value in
      let day = try value.number
      guard day >= 0, day < 5_373_484.5 else { throw Refusal("is not a Julian day") }
      return try Date(milliseconds: (day * 86_400_000).rounded() - Double(Date.julianEpoch))
    })

  /// Returns a strategy for text in one of Foundation's formats, which must be able to parse its own output.
  public static func formatted<Style: ParseableFormatStyle & Sendable>(
    _ style: Style
  ) -> DateStrategy
  where
    Style.FormatInput == Date, Style.FormatOutput == String, Style.Strategy.ParseInput == String,
    Style.Strategy.ParseOutput == Date
  {
    DateStrategy(
      "formatted",
      encode: { .text(style.format(try $0.checked)) },
      decode: { value in
        let text = try value.dateText
        let date: Date
        do { date = try style.parseStrategy.parse(text) } catch {
          throw Refusal("is not a date in that format")
        }
        return try date.checked
      })
  }

  /// Returns a strategy for text in the format of `formatter`, which must not be modified afterwards.
  public static func formatted(_ formatter: DateFormatter) -> DateStrategy {
    DateStrategy(
      "formatted",
      encode: { .text(formatter.string(from: try $0.checked)) },
      decode: { value in
        guard let date = formatter.date(from: try value.dateText) else {
          throw Refusal("is not a date in the format \"\(formatter.dateFormat ?? "")\"")
        }
        return try date.checked
      })
  }

  /// Returns a strategy that converts dates with closures; `decode` receives stored values other than NULL.
  ///
  /// Inside JSON, a stored number or text is written unchanged; a blob throws.
  public static func custom(
    encode: @escaping @Sendable (Date) throws -> DatabaseValue,
    decode: @escaping @Sendable (DatabaseValue) throws -> Date
  ) -> DateStrategy {
    DateStrategy(encode: encode, decode: decode)
  }
}

extension DateText {
  /// Creates the text for a date, rounded to a millisecond.
  fileprivate init(_ date: Date) throws {
    // The only failure is a date out of a wider range than that of the text.
    guard let milliseconds = try? date.milliseconds else { throw Self.outside }
    try self.init(milliseconds: milliseconds)
  }
}

extension DatabaseValue {
  /// The value as an SQL literal for a message, shortened if it is long.
  fileprivate var shown: String {
    switch self {
    case .blob: "a blob"
    case .text(let text): "\(DatabaseValue.text(String(text.prefix(40))))"
    case .integer, .real, .null: description
    }
  }

  fileprivate var number: Double {
    get throws {
      guard let number = Double(databaseValue: self) else {
        throw Refusal("is \(storageClass.rawValue), not a date stored as a number")
      }
      return number
    }
  }

  fileprivate var dateText: String {
    get throws {
      guard case .text(let text) = self else {
        throw Refusal("is \(storageClass.rawValue), not a date stored as text")
      }
      return text
    }
  }
}

extension Date {
  /// The beginning of 1970, in milliseconds since the Julian day 0.
  fileprivate static let julianEpoch: Int64 = 210_866_760_000_000
  /// The beginning of 2001, in milliseconds since the beginning of 1970.
  private static let referenceEpoch: Int64 = 978_307_200_000

  /// The milliseconds since the beginning of 1970, rounded to an integer.
  var milliseconds: Int64 {
    get throws {
      let number = (try checked.timeIntervalSinceReferenceDate * 1000).rounded()
      let milliseconds = Int64(number) + Self.referenceEpoch
      guard milliseconds < 253_402_300_800_000 else { throw Self.outside }
      return milliseconds
    }
  }

  /// Creates a date from milliseconds since the beginning of 1970.
  fileprivate init(milliseconds: Double) throws {
    let seconds = (milliseconds - Double(Self.referenceEpoch)) / 1000
    self = try Date(timeIntervalSinceReferenceDate: seconds).checked
  }

  fileprivate init(text: DatabaseValue) throws {
    self = try DateText.date(try text.dateText).checked
  }

  /// The date; throws if SQLite cannot represent it.
  fileprivate var checked: Date {
    get throws {
      let seconds = timeIntervalSinceReferenceDate
      guard seconds >= -211_845_067_200, seconds < 252_423_993_600 else { throw Self.outside }
      return self
    }
  }

  private static var outside: Refusal {
    Refusal("is a date before the year -4713 or after the year 9999")
  }
}
