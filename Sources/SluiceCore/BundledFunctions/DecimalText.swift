/// A decimal number as text has it.
///
/// Any text has one: what is no part of a number is passed over, and where no digit is left it is 0.
struct DecimalText {
  var isNegative = false
  /// The values of the digits, from the first that is not 0 on.
  var digits: [UInt8] = []
  /// How many of the digits are behind the point, as long as there is no exponent.
  private var fraction = 0
  private var exponent = DecimalExponent()

  /// How many of the digits are behind the point; below 0, how many zeros are missing before it.
  var scale: Int { fraction - exponent.clamped }

  init(_ text: Span<UInt8>) {
    var index = 0
    while index < text.count, isSpace(text[index]) { index += 1 }
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
  /// The order of two numbers by value, for which neither is made as long as it says to be.
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
