public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with a decimal number as text, including all its digits; NULL for nil.
  ///
  /// Trailing zeros are omitted: `-12.50` is stored as `-12.5`. Use a column type that does not convert text: a
  /// column that is declared `NUMERIC`, `DECIMAL` or `REAL` converts the text to a real. A NaN throws
  /// ``ResultCode/mismatch`` when it is bound.
  public static func decimal(_ decimal: Decimal?) -> SQLParameter {
    SQLParameter(decimal) { decimal in
      guard !decimal.isNaN else {
        throw SQLiteError(.mismatch, "A NaN cannot be stored as a decimal number")
      }
      return .text(decimal.description)
    }
  }
}

extension ColumnValueConverter where Value == Decimal {
  /// A converter that reads a decimal number from an integer, a real, or text.
  ///
  /// In text, the decimal separator is a point in every locale.
  ///
  /// Reading throws if a digit would be lost; a `Decimal` has up to 38 digits. A real is read as the shortest
  /// decimal number that represents it: 0.1 is read as exactly 0.1.
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
  /// Creates the number that SQL would read from the whole text; nil if there is none or it has too many digits.
  init?(exactly text: String) {
    // Foundation stops at the first unknown character, and rounds a number that is too long.
    guard let digits = DecimalDigits(text), abs(digits.exponent) < 10_000 else { return nil }
    // A zero may have an exponent that is too large for Foundation.
    let text = digits.isZero ? "0" : text
    guard let decimal = Decimal(string: text, locale: nil),
      DecimalDigits(decimal.description) == digits
    else { return nil }
    self = decimal
  }
}
