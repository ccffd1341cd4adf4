import Foundation

/// A time as text that SQLite writes and reads, in SQLite's calendar: the Gregorian calendar for all years.
///
/// Foundation uses another calendar before October 15, 1582.
struct DateText {
  private let year: Int
  private let month: Int
  private let day: Int
  /// Milliseconds since midnight.
  private let time: Int

  /// The error for a date that the text cannot represent.
  static var outside: Refusal { Refusal("is a date before the year 0 or after the year 9999") }

  /// Creates the text for milliseconds since the beginning of 1970.
  init(milliseconds: Int64) throws {
    let (days, rest) = Int(milliseconds).divided(by: 86_400_000)
    // Count years from March, so that the leap day is the last day of a year.
    let shifted = days + 719_468
    let (era, dayOfEra) = shifted.divided(by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    time = rest
    guard (0...9999).contains(year) else { throw Self.outside }
  }

  func text(separator: String, zone: String) -> String {
    let (minutes, rest) = time.divided(by: 60_000)
    let date = "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
    let clock = "\((minutes / 60).padded(2)):\((minutes % 60).padded(2))"
    return
      "\(date)\(separator)\(clock):\((rest / 1000).padded(2)).\((rest % 1000).padded(3))\(zone)"
  }

  /// Returns the time for a text in one of SQLite's formats.
  static func date(_ text: String) throws -> Date {
    var reader = Reader(text)
    guard let date = reader.date(), reader.isAtEnd else {
      throw Refusal("is not a date that SQLite can read")
    }
    return date
  }

  /// Returns the days since the beginning of 1970; nil if the day does not exist.
  fileprivate static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = month == 2 ? (isLeap ? 29 : 28) : (month + month / 8) % 2 + 30
    guard (1...12).contains(month), (1...length).contains(day) else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shifted.divided(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

extension DateText {
  /// A reader that consumes text from the front.
  private struct Reader {
    /// The bytes as an array, because reading a string's UTF-8 view takes several times as long.
    private let text: [UInt8]
    private var index = 0

    init(_ text: String) { self.text = Array(text.utf8) }

    var isAtEnd: Bool { index == text.count }

    mutating func date() -> Date? {
      guard let year = number(4), take("-"), let month = number(2), take("-"),
        let day = number(2), let days = DateText.days(year, month, day)
      else { return nil }
      var seconds = days * 86_400
      var fraction = 0..<0
      if take("T") || (hasDigitAhead && takeSpaces()) {
        guard let hour = number(2), take(":"), let minute = number(2), minute < 60 else {
          return nil
        }
        seconds += hour * 3600 + minute * 60
        if take(":") {
          guard let second = number(2), second < 60 else { return nil }
          seconds += second
          if take(".") {
            fraction = digits()
            guard !fraction.isEmpty else { return nil }
          }
        }
        let isMidnight =
          hour == 24 && seconds == (days + 1) * 86_400
          && text[fraction].allSatisfy { $0 == UInt8(ascii: "0") }
        guard hour < 24 || isMidnight, let offset = offset() else { return nil }
        seconds -= offset
      }
      return Date(timeIntervalSinceReferenceDate: sum(seconds - 978_307_200, fraction))
    }

    /// Returns the number that is closest to the sum of seconds and a fraction, whose digits are in a range of the text.
    private func sum(_ seconds: Int, _ fraction: Range<Int>) -> Double {
      if fraction.count <= 6 {
        var (value, scale) = (seconds, 1)
        for place in fraction {
          value = value &* 10 &+ Int(text[place] &- UInt8(ascii: "0"))
          scale &*= 10
        }
        // Both numbers are exact, so the quotient is the closest one.
        if value.magnitude < 1 << 53 { return Double(value) / Double(scale) }
      }
      // Before 2001, the fraction is subtracted from the absolute value of the seconds.
      var digits = Array(text[fraction])
      var whole = seconds
      if seconds < 0, let last = digits.lastIndex(where: { $0 != UInt8(ascii: "0") }) {
        whole += 1
        let (zero, nine) = (UInt8(ascii: "0"), UInt8(ascii: "9"))
        for index in 0...last { digits[index] = nine - (digits[index] - zero) }
        digits[last] += 1
      }
      let text = "\(seconds < 0 ? "-" : "")\(abs(whole)).\(String(decoding: digits, as: UTF8.self))"
      // The text is always a number.
      return Double(text) ?? .nan
    }

    /// Reads the offset in seconds east of UTC; 0 if there is no offset, and nil if the offset is invalid.
    private mutating func offset() -> Int? {
      _ = takeSpaces()
      if isAtEnd { return 0 }
      if take("Z") || take("z") { return takeToEnd() }
      let isEast = take("+")
      guard isEast || take("-"), let hours = number(2), hours <= 14 else { return nil }
      var seconds = hours * 3600
      if take(":") || !isAtEnd {
        guard let minutes = number(2), minutes < 60 else { return nil }
        seconds += minutes * 60
      }
      guard takeToEnd() != nil else { return nil }
      return isEast ? seconds : -seconds
    }

    private mutating func digits() -> Range<Int> {
      let start = index
      while index < text.count, text[index].isDigit { index += 1 }
      return start..<index
    }

    private mutating func number(_ count: Int) -> Int? {
      guard text.count - index >= count else { return nil }
      var value = 0
      for place in index..<(index + count) {
        let digit = text[place] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value &* 10 &+ Int(digit)
      }
      index += count
      return value
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard !isAtEnd, text[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    /// Whether a digit follows, with or without preceding spaces.
    private var hasDigitAhead: Bool {
      text[index...].first { $0 != UInt8(ascii: " ") }?.isDigit == true
    }

    private mutating func takeSpaces() -> Bool {
      let start = index
      while take(" ") {}
      return index > start
    }

    private mutating func takeToEnd() -> Int? {
      _ = takeSpaces()
      return isAtEnd ? 0 : nil
    }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension Int {
  /// Returns the quotient, rounded down, and the nonnegative remainder.
  fileprivate func divided(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  fileprivate func padded(_ count: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }
}
