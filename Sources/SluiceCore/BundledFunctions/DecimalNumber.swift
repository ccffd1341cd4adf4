/// A decimal number, exact, with as many digits as it takes up to a limit.
struct DecimalNumber {
  private var isNegative: Bool
  /// The number without its sign and its point.
  private var whole: LargeNumber
  /// How many of the digits are behind the point.
  private var scale: Int

  /// More digits than this are an error, so that nobody waits for them.
  private static let maximumDigits = 100_000

  static var zero: DecimalNumber { DecimalNumber(false, LargeNumber(0), 0) }

  private init(_ isNegative: Bool, _ whole: LargeNumber, _ scale: Int) {
    self.isNegative = isNegative
    self.whole = whole
    self.scale = scale
  }

  init(_ text: DecimalText) throws {
    // Zeros behind zero are none.
    let zeros = text.digits.isEmpty ? 0 : max(-text.scale, 0)
    try Self.refuse(max(text.digits.count + zeros, text.scale))
    let whole = LargeNumber(digits: text.digits).appendingZeros(zeros)
    self.init(text.isNegative, whole, max(text.scale, 0))
  }

  /// The number that a real is; nil for infinity and NaN.
  init?(_ real: Double) throws {
    guard real.isFinite else { return nil }
    let parts = BinaryParts(real)
    guard real != 0 else {
      self = .zero
      return
    }
    self = try Self.powerOfTwo(parts.exponent)
    isNegative = real < 0
    whole = whole * LargeNumber(parts.mantissa.magnitude)
  }

  /// A power of two.
  static func powerOfTwo(_ exponent: Int) throws -> DecimalNumber {
    // The same limit as SQLite has.
    guard -20_000...20_000 ~= exponent else {
      throw SQLiteError(.tooBig, "Powers of two go from -20000 to 20000")
    }
    return exponent < 0
      ? DecimalNumber(false, LargeNumber(5).power(-exponent), -exponent)
      : DecimalNumber(false, LargeNumber(2).power(exponent), 0)
  }

  static prefix func - (number: Self) -> Self {
    DecimalNumber(!number.isNegative, number.whole, number.scale)
  }

  /// The sum, with as many digits behind the point as the one that has more of them.
  func adding(_ other: Self) throws -> Self {
    let scale = max(scale, other.scale)
    let first = whole.appendingZeros(scale - self.scale)
    let second = other.whole.appendingZeros(scale - other.scale)
    let sum =
      if isNegative == other.isNegative {
        DecimalNumber(isNegative, first + second, scale)
      } else if first < second {
        DecimalNumber(other.isNegative, second - first, scale)
      } else {
        DecimalNumber(isNegative, first - second, scale)
      }
    try Self.refuse(max(sum.whole.digitCount, scale))
    return sum
  }

  /// The product, without zeros at its end that neither of the two has behind the point.
  func multiplied(by other: Self) throws -> Self {
    try Self.refuse(max(whole.digitCount + other.whole.digitCount, scale + other.scale))
    var product = DecimalNumber(
      isNegative != other.isNegative, whole * other.whole, scale + other.scale)
    let minimum = min(scale, other.scale)
    if product.whole.isZero {
      product.scale = minimum
      return product
    }
    var digits = product.whole.digits
    while product.scale > minimum, digits.last == 0 {
      digits.removeLast()
      product.scale -= 1
    }
    product.whole = LargeNumber(digits: digits)
    return product
  }

  private static func refuse(_ count: Int) throws {
    guard count > maximumDigits else { return }
    throw SQLiteError(.tooBig, "A decimal number has up to \(maximumDigits) digits")
  }
}

extension DecimalNumber {
  /// The number as `-12.50`; 0 has no sign.
  var text: String {
    var digits = whole.digits
    let missing = scale + 1 - digits.count
    if missing > 0 { digits.insert(contentsOf: repeatElement(0, count: missing), at: 0) }
    let text = Self.text(digits[..<(digits.count - scale)])
    let sign = isNegative && !whole.isZero ? "-" : ""
    return sign + text + (scale == 0 ? "" : "." + Self.text(digits.suffix(scale)))
  }

  /// The number as `-1.25e+01`, without zeros at its end.
  var scientificText: String {
    var digits = whole.digits
    let exponent = digits.isEmpty ? 0 : digits.count - scale - 1
    while digits.last == 0 { digits.removeLast() }
    let sign = isNegative && !whole.isZero ? "-" : "+"
    let rest = digits.count > 1 ? Self.text(digits.dropFirst()) : "0"
    let power = (exponent.magnitude < 10 ? "0" : "") + String(exponent.magnitude)
    return "\(sign)\(digits.first ?? 0).\(rest)e\(exponent < 0 ? "-" : "+")\(power)"
  }

  private static func text(_ digits: ArraySlice<UInt8>) -> String {
    String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
  }
}
