public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// A decimal number as text, with all its digits; NULL for nil.
  ///
  /// Trailing zeros are omitted: `-12.50` is stored as `-12.5`. The column must keep text as text: a column that is
  /// declared `NUMERIC`, `DECIMAL` or `REAL` converts it to a real. A NaN throws ``ResultCode/mismatch`` when it is
  /// bound.
  public static func decimal(_ decimal: Decimal?) -> SQLParameter {
    SQLParameter(decimal) { decimal in
      guard !decimal.isNaN else {
        throw SQLiteError(.mismatch, "A decimal number that is not a number (NaN)")
      }
      return .text(decimal.description)
    }
  }
}

extension ColumnValueConverter where Value == Decimal {
  /// A decimal number from an integer, a real, or text with a decimal point, regardless of the locale.
  ///
  /// Throws if a digit would be lost; a `Decimal` has up to 38. A real is read as the shortest decimal number that
  /// denotes it: 0.1 is 0.1.
  public static var decimal: Self {
    Self { row, index in
      let isBlob = try row.storageClass(at: index) == .blob
      guard !isBlob, let decimal = Decimal(exactly: try row.get(.string, at: index)) else {
        throw row.mismatch(at: index, "is not a decimal number that can be read without loss")
      }
      return decimal
    }
  }
}

extension Decimal {
  /// Creates the number that the whole text denotes in SQL; nil if there is none or it has too many digits.
  init?(exactly text: String) {
    // Foundation stops at the first unknown character, and rounds a number that is too long.
    guard let digits = DecimalDigits(text), abs(digits.exponent) < 10_000 else { return nil }
    // A zero may have a larger exponent than Foundation accepts.
    let text = digits.isZero ? "0" : text
    guard let decimal = Decimal(string: text, locale: nil),
      DecimalDigits(decimal.description) == digits
    else { return nil }
    self = decimal
  }
}
