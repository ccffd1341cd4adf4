public import Foundation
public import SluiceCore

extension SQLParameter {
  /// A decimal number as text, with all its digits, such as `-12.50` without its last zero.
  ///
  /// The column has to keep text as text: one that is declared `NUMERIC`, `DECIMAL` or `REAL` makes
  /// a real of it. A NaN is refused with ``ResultCode/mismatch`` when it is bound.
  public static func decimal(_ decimal: Decimal) -> SQLParameter {
    SQLParameter {
      guard !decimal.isNaN else {
        throw SQLiteError(.mismatch, "A decimal number that is not a number (NaN)")
      }
      return .text(decimal.description)
    }
  }
}

extension ColumnValueConverter where Value == Decimal {
  /// A decimal number from text, with a point in any locale, or from an integer or a real.
  ///
  /// It throws if a digit would be lost, of which `Decimal` has up to 38. A real is read as the
  /// shortest decimal number that means it: 0.1 is 0.1.
  public static var decimal: Self {
    Self { row, index in
      guard let decimal = Decimal(exactly: try row.get(.string, at: index)) else {
        throw row.mismatch(at: index, "is not a decimal number that can be read without loss")
      }
      return decimal
    }
  }
}

extension Decimal {
  /// The number that the whole text is in SQL, or nil if it is none or has too many digits.
  init?(exactly text: String) {
    // Foundation stops at the first character that it does not know, and rounds what is too long.
    guard let digits = DecimalDigits(text), let decimal = Decimal(string: text, locale: nil),
      DecimalDigits(decimal.description) == digits
    else { return nil }
    self = decimal
  }
}

/// A number as it is written, without the zeros that mean nothing.
private struct DecimalDigits: Equatable {
  private var isNegative = false
  private var digits: [UInt8] = []
  private var exponent = 0

  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    isNegative = Self.takeSign(&rest)
    let whole = Self.takeDigits(&rest)
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = Self.takeDigits(&rest)
    }
    guard !whole.isEmpty || !fraction.isEmpty else { return nil }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      let isNegative = Self.takeSign(&rest)
      // Nothing that is within the range of a decimal has an exponent of more digits.
      let written = Self.takeDigits(&rest)
      guard (1...4).contains(written.count) else { return nil }
      exponent = written.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      if isNegative { exponent.negate() }
    }
    guard rest.isEmpty else { return nil }
    digits = Array((whole + fraction).drop { $0 == UInt8(ascii: "0") })
    exponent -= fraction.count
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }

  private static func takeSign(_ text: inout ArraySlice<UInt8>) -> Bool {
    guard let sign = text.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else {
      return false
    }
    text.removeFirst()
    return sign == UInt8(ascii: "-")
  }

  private static func takeDigits(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    text = text.dropFirst(digits.count)
    return digits
  }
}
