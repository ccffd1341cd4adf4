public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with a date as seconds since the beginning of 1970, including fractions; NULL for nil.
  public static func timeIntervalSince1970(_ date: Date?) -> SQLParameter {
    (date?.timeIntervalSince1970).sqlParameter
  }

  /// Returns a parameter with a date as seconds since the beginning of 2001; NULL for nil.
  ///
  /// This is Foundation's own representation, so no precision is lost.
  public static func timeIntervalSinceReferenceDate(_ date: Date?) -> SQLParameter {
    (date?.timeIntervalSinceReferenceDate).sqlParameter
  }

  /// Returns a parameter with a date as UTC text with milliseconds, such as `2001-01-01T00:00:00.000Z`; NULL for
  /// nil.
  ///
  /// This parameter is the same as `.date(date, as: .iso8601)`. SQLite's date functions can read the text, and
  /// sorting the text sorts by time. A date before the year 0 or after the year 9999 throws ``ResultCode/range``
  /// when it is bound.
  public static func iso8601(_ date: Date?) -> SQLParameter { .date(date, as: .iso8601) }
}

extension ColumnValueConverter where Value == Date {
  /// A converter that reads a date from seconds since the beginning of 1970.
  public static var timeIntervalSince1970: Self {
    Self { row, index in Date(timeIntervalSince1970: try row.get(.double, at: index)) }
  }

  /// A converter that reads a date from seconds since the beginning of 2001.
  public static var timeIntervalSinceReferenceDate: Self {
    Self { row, index in Date(timeIntervalSinceReferenceDate: try row.get(.double, at: index)) }
  }

  /// A converter that reads a date from text such as `2001-01-01T00:00:00Z`, the same as `.date(as: .iso8601)`.
  public static var iso8601: Self { .date(as: .iso8601) }
}
