public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// A decimal number as text, with all its digits, such as `-12.50` without its last zero; NULL for nil.
  ///
  /// The column has to keep text as text: one that is declared `NUMERIC`, `DECIMAL` or `REAL` makes
  /// a real of it. A NaN is refused with ``ResultCode/mismatch`` when it is bound.
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
  /// A decimal number from text, with a point in any locale, or from an integer or a real.
  ///
  /// It throws if a digit would be lost, of which `Decimal` has up to 38. A real is read as the
  /// shortest decimal number that means it: 0.1 is 0.1.
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
  /// The number that the whole text is in SQL, or nil if it is none or has too many digits.
  init?(exactly text: String) {
    // Foundation stops at the first character that it does not know, and rounds what is too long.
    guard let digits = DecimalDigits(text), abs(digits.exponent) < 10_000 else { return nil }
    // The exponent of 0 can be larger than Foundation takes.
    let text = digits.isZero ? "0" : text
    guard let decimal = Decimal(string: text, locale: nil),
      DecimalDigits(decimal.description) == digits
    else { return nil }
    self = decimal
  }
}
