/// The exponent of a decimal number as text has it, which can be a number of any size.
struct DecimalExponent {
  private var isNegative = false
  /// The values of the digits, from the first that is not 0 on.
  private var digits: [UInt8] = []
  /// More digits than this are more than a text can have digits before its exponent.
  private static let fewDigits = 15

  init() {}

  init(_ text: Span<UInt8>, from start: Int) {
    isNegative = start < text.count && text[start] == UInt8(ascii: "-")
    for index in start..<max(start, text.count) where DecimalText.isDigit(text[index]) {
      let digit = text[index] - UInt8(ascii: "0")
      if digit != 0 || !digits.isEmpty { digits.append(digit) }
    }
  }

  private var isSmall: Bool { digits.count <= Self.fewDigits }

  /// The exponent, or one that is so far from 0 that no number can be written out that has it.
  var clamped: Int {
    let magnitude = digits.prefix(Self.fewDigits).reduce(0) { $0 * 10 + Int($1) }
    return isNegative ? -magnitude : magnitude
  }

  /// The order of two exponents, to the first of which a count of digits is added.
  static func order(_ first: Self, plus count: Int, _ second: Self) -> SQLOrder {
    if first.isSmall, second.isSmall { return SQLOrder(first.clamped + count, second.clamped) }
    // One of the two is so large that the count does not change on which side of the other it is.
    guard first.isNegative == second.isNegative else {
      return first.isNegative ? .ascending : .descending
    }
    // Away from 0, both are moved to where the difference of their magnitudes is the same.
    let difference = first.isNegative ? -count : count
    let (one, other) = (LargeNumber(digits: first.digits), LargeNumber(digits: second.digits))
    let added = LargeNumber(UInt64(difference.magnitude))
    let magnitudes = difference < 0 ? (one, other + added) : (one + added, other)
    guard magnitudes.0 != magnitudes.1 else { return .same }
    return (magnitudes.0 < magnitudes.1) == first.isNegative ? .descending : .ascending
  }
}
