import SluiceCore

/// An exact decimal number with any number of digits, up to a limit.
struct DecimalNumber {
  private var isNegative: Bool
  /// The number without its sign and decimal point.
  private var whole: LargeNumber
  /// The number of digits after the decimal point.
  private var scale: Int

  /// The maximum number of digits, which limits the time of calculations; more digits throw an error.
  private static let maximumDigits = 100_000

  static var zero: DecimalNumber { DecimalNumber(false, LargeNumber(0), 0) }

  private init(_ isNegative: Bool, _ whole: LargeNumber, _ scale: Int) {
    self.isNegative = isNegative
    self.whole = whole
    self.scale = scale
  }

  init(_ text: DecimalText) throws {
    // Zero does not need trailing zeros.
    let zeros = text.digits.isEmpty ? 0 : max(-text.scale, 0)
    try Self.refuse(max(text.digits.count + zeros, text.scale))
    let whole = LargeNumber(digits: text.digits).appendingZeros(zeros)
    self.init(text.isNegative, whole, max(text.scale, 0))
  }

  /// Creates the exact number that a real represents; nil for infinity and NaN.
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

  /// Returns 2 to the power of `exponent`.
  static func powerOfTwo(_ exponent: Int) throws -> DecimalNumber {
    // SQLite has the same limit.
    guard -20_000...20_000 ~= exponent else {
      throw SQLiteError(.tooBig, "The exponent must be from -20000 to 20000")
    }
    return exponent < 0
      ? DecimalNumber(false, LargeNumber(5).power(-exponent), -exponent)
      : DecimalNumber(false, LargeNumber(2).power(exponent), 0)
  }

  static prefix func - (number: Self) -> Self {
    DecimalNumber(!number.isNegative, number.whole, number.scale)
  }

  /// Returns the sum, with as many decimal places as the operand that has more of them.
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

  /// Returns the product.
  ///
  /// Trailing zeros are removed, but at least as many decimal places remain as in the operand with fewer of them.
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
    throw SQLiteError(.tooBig, "A decimal number can have at most \(maximumDigits) digits")
  }
}

extension DecimalNumber {
  /// The number in the form `-12.50`; 0 has no sign.
  var text: String {
    var digits = whole.digits
    let missing = scale + 1 - digits.count
    if missing > 0 { digits.insert(contentsOf: repeatElement(0, count: missing), at: 0) }
    let text = Self.text(digits[..<(digits.count - scale)])
    let sign = isNegative && !whole.isZero ? "-" : ""
    return sign + text + (scale == 0 ? "" : "." + Self.text(digits.suffix(scale)))
  }

  /// The number in the form `-1.25e+01`, without trailing zeros.
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

/// The exponent in the text of a decimal number, which can be arbitrarily large.
struct DecimalExponent {
  private var isNegative = false
  /// The values of the digits, without leading zeros.
  private var digits: [UInt8] = []
  /// The maximum number of digits in a small exponent.
  ///
  /// A larger exponent is greater than the number of digits that any text can have.
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

  /// The exponent, cut to its first 15 digits.
  ///
  /// Even a cut exponent is so large that no number with this exponent can be written out in full.
  var clamped: Int {
    let magnitude = digits.prefix(Self.fewDigits).reduce(0) { $0 * 10 + Int($1) }
    return isNegative ? -magnitude : magnitude
  }

  /// Returns the order of two exponents, after adding `count`, a number of digits, to the first exponent.
  static func order(_ first: Self, plus count: Int, _ second: Self) -> SQLOrder {
    if first.isSmall, second.isSmall { return SQLOrder(first.clamped + count, second.clamped) }
    // At least one exponent is so large that adding `count` cannot change the order if the signs differ.
    guard first.isNegative == second.isNegative else {
      return first.isNegative ? .ascending : .descending
    }
    // If the difference is negative, add its magnitude to the other number, because `LargeNumber` has no sign.
    let difference = first.isNegative ? -count : count
    let (one, other) = (LargeNumber(digits: first.digits), LargeNumber(digits: second.digits))
    let added = LargeNumber(UInt64(difference.magnitude))
    let magnitudes = difference < 0 ? (one, other + added) : (one + added, other)
    guard magnitudes.0 != magnitudes.1 else { return .same }
    return (magnitudes.0 < magnitudes.1) == first.isNegative ? .descending : .ascending
  }
}

/// A decimal number as it is written in text.
///
/// Any text represents a number: characters that are not part of a number are skipped, and text without a digit
/// is 0.
struct DecimalText {
  var isNegative = false
  /// The values of the digits, without leading zeros.
  var digits: [UInt8] = []
  /// The number of digits after the decimal point, without the effect of the exponent.
  private var fraction = 0
  private var exponent = DecimalExponent()

  /// The number of digits after the decimal point; if negative, the number of zeros to append.
  var scale: Int { fraction - exponent.clamped }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
  }

  init(_ text: Span<UInt8>) {
    var index = 0
    while index < text.count, Self.isSpace(text[index]) { index += 1 }
    if index < text.count {
      isNegative = text[index] == UInt8(ascii: "-")
      if isNegative || text[index] == UInt8(ascii: "+") { index += 1 }
    }
    var pointIsAt: Int?
    var count = 0
    scan: while index < text.count {
      switch text[index] {
      case let byte where Self.isDigit(byte):
        count += 1
        if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte - UInt8(ascii: "0")) }
      case UInt8(ascii: "."): pointIsAt = count
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        exponent = DecimalExponent(text, from: index + 1)
        break scan
      default: break
      }
      index += 1
    }
    if let pointIsAt { fraction = count - pointIsAt }
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }
}

extension DecimalText {
  /// Returns the order of two numbers by value, without writing the zeros that their exponents stand for.
  static func order(_ first: DecimalText, _ second: DecimalText) -> SQLOrder {
    let signs = (first.sign, second.sign)
    guard signs.0 == signs.1, signs.0 != 0 else { return SQLOrder(signs.0, signs.1) }
    return signs.0 < 0 ? magnitudes(second, first) : magnitudes(first, second)
  }

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  private static func magnitudes(_ first: DecimalText, _ second: DecimalText) -> SQLOrder {
    let digitsMore =
      first.digits.count - first.fraction - (second.digits.count - second.fraction)
    let positions = DecimalExponent.order(first.exponent, plus: digitsMore, second.exponent)
    guard positions == .same else { return positions }
    for index in 0..<max(first.digits.count, second.digits.count) {
      let pair = (first.digit(index), second.digit(index))
      if pair.0 != pair.1 { return SQLOrder(pair.0, pair.1) }
    }
    return .same
  }

  private func digit(_ index: Int) -> UInt8 { index < digits.count ? digits[index] : 0 }
}

/// A nonnegative integer of any size, in groups of nine decimal digits.
struct LargeNumber: Equatable {
  /// The groups, least significant first; the last group is not 0.
  private var groups: [UInt32] = []
  private static let base: UInt64 = 1_000_000_000
  private static let groupSize = 9

  /// Creates a number from its digits, most significant first.
  init(digits: [UInt8]) {
    var end = digits.count
    while end > 0 {
      let start = max(end - Self.groupSize, 0)
      groups.append(digits[start..<end].reduce(0) { $0 * 10 + UInt32($1) })
      end = start
    }
    trim()
  }

  init(_ number: UInt64) {
    var rest = number
    while rest > 0 {
      groups.append(UInt32(rest % Self.base))
      rest /= Self.base
    }
  }

  var isZero: Bool { groups.isEmpty }

  /// The digits, most significant first; empty for 0.
  var digits: [UInt8] {
    var digits: [UInt8] = []
    for group in groups.reversed() {
      var divisor: UInt32 = 100_000_000
      while divisor > 0 {
        let digit = UInt8(group / divisor % 10)
        if digit != 0 || !digits.isEmpty { digits.append(digit) }
        divisor /= 10
      }
    }
    return digits
  }

  /// The number of digits, computed without creating the digits.
  var digitCount: Int {
    guard let last = groups.last else { return 0 }
    return (groups.count - 1) * Self.groupSize + String(last).utf8.count
  }

  /// Returns the number with zeros appended.
  func appendingZeros(_ count: Int) -> LargeNumber {
    guard !isZero, count > 0 else { return self }
    let (whole, rest) = count.quotientAndRemainder(dividingBy: Self.groupSize)
    var result =
      rest == 0 ? self : self * LargeNumber((0..<rest).reduce(1) { power, _ in power * 10 })
    result.groups.insert(contentsOf: repeatElement(0, count: whole), at: 0)
    return result
  }

  func power(_ exponent: Int) -> LargeNumber {
    var (result, square, rest) = (LargeNumber(1), self, exponent)
    while rest > 0 {
      if rest % 2 == 1 { result = result * square }
      rest /= 2
      if rest > 0 { square = square * square }
    }
    return result
  }

  static func + (first: Self, second: Self) -> Self {
    var (result, shorter) =
      first.groups.count < second.groups.count ? (second, first) : (first, second)
    var carry: UInt64 = 0
    for index in result.groups.indices {
      if carry == 0, index >= shorter.groups.count { return result }
      carry += UInt64(result.groups[index]) + UInt64(shorter.group(index))
      result.groups[index] = UInt32(carry % base)
      carry /= base
    }
    if carry > 0 { result.groups.append(UInt32(carry)) }
    return result
  }

  /// Returns the difference of two numbers; the second number must not be larger than the first.
  static func - (first: Self, second: Self) -> Self {
    var result = first
    var borrowed = false
    for index in result.groups.indices {
      let minuend = result.groups[index]
      let subtrahend = second.group(index) + (borrowed ? 1 : 0)
      borrowed = minuend < subtrahend
      result.groups[index] = (borrowed ? minuend + UInt32(base) : minuend) - subtrahend
    }
    result.trim()
    return result
  }

  static func * (first: Self, second: Self) -> Self {
    var result = first
    result.groups = Array(repeating: 0, count: first.groups.count + second.groups.count)
    for (place, factor) in first.groups.enumerated() {
      var carry: UInt64 = 0
      for (offset, group) in second.groups.enumerated() {
        // The sum is less than the square of the base, which has 60 bits.
        carry += UInt64(factor) * UInt64(group) + UInt64(result.groups[place + offset])
        result.groups[place + offset] = UInt32(carry % base)
        carry /= base
      }
      result.groups[place + second.groups.count] = UInt32(carry)
    }
    result.trim()
    return result
  }

  static func < (first: Self, second: Self) -> Bool {
    guard first.groups.count == second.groups.count else {
      return first.groups.count < second.groups.count
    }
    return first.groups.reversed().lexicographicallyPrecedes(second.groups.reversed())
  }

  private func group(_ index: Int) -> UInt32 { index < groups.count ? groups[index] : 0 }

  private mutating func trim() {
    while groups.last == 0 { groups.removeLast() }
  }
}
