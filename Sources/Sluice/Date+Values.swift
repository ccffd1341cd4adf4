public import Foundation
public import SluiceCore

extension SQLParameter {
  /// A date as seconds since the beginning of 1970, with their fraction.
  public static func timeIntervalSince1970(_ date: Date) -> SQLParameter {
    SQLParameter(.real(date.timeIntervalSince1970))
  }

  /// A date as seconds since the beginning of 2001, which is Foundation's own form: nothing is lost.
  public static func timeIntervalSinceReferenceDate(_ date: Date) -> SQLParameter {
    SQLParameter(.real(date.timeIntervalSinceReferenceDate))
  }

  /// A date as text in UTC with milliseconds, such as `2001-01-01T00:00:00.000Z`.
  ///
  /// The functions of SQLite for dates understand it, and it sorts by time. A date before October
  /// 15, 1582 or after the year 9999 is refused with ``ResultCode/range`` when it is bound.
  public static func iso8601(_ date: Date) -> SQLParameter {
    SQLParameter {
      // Half a millisecond before the first of them is rounded to it; what has no text is none of them.
      guard datesOfISO8601.contains(date.addingTimeInterval(0.0005)),
        let text = try? DateText(milliseconds: date.milliseconds)
      else { throw SQLiteError(.range, "A date before 1582-10-15 or after the year 9999") }
      return .text(text.text(separator: "T", zone: "Z"))
    }
  }
}

extension ColumnValueConverter where Value == Date {
  /// A date from seconds since the beginning of 1970.
  public static var timeIntervalSince1970: Self {
    Self { row, index in Date(timeIntervalSince1970: try row.get(.double, at: index)) }
  }

  /// A date from seconds since the beginning of 2001.
  public static var timeIntervalSinceReferenceDate: Self {
    Self { row, index in Date(timeIntervalSinceReferenceDate: try row.get(.double, at: index)) }
  }

  /// A date from text such as `2001-01-01T00:00:00Z`, with a fraction of the second or without.
  public static var iso8601: Self {
    Self { row, index in
      let text = try row.get(.string, at: index)
      // What neither format can read is reported below, with the column.
      guard
        let date = (try? iso8601WithMilliseconds.parse(text))
          ?? (try? Date.ISO8601FormatStyle().parse(text)), datesOfISO8601.contains(date)
      else { throw row.mismatch(at: index, "is not an ISO 8601 date") }
      return date
    }
  }
}

/// Before these, Foundation's calendar is the Julian one, which is days apart from that of SQLite;
/// behind them, a year has five digits.
private let datesOfISO8601 =
  Date(timeIntervalSince1970: -12_219_292_800)..<Date(timeIntervalSince1970: 253_402_300_800)
private let iso8601WithMilliseconds = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
