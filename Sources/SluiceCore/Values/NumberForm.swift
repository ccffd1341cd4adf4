/// Text that looks like a number to SQLite.
///
/// Such text contains digits, and optionally a sign, a point, an exponent, and white space at both ends.
struct NumberForm {
  /// The number as an integer; nil if it is not a 64-bit integer.
  let integer: Int64?

  /// Parses text, or returns nil if the text does not look like a number.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var rest = unsafe Substring(decoding: bytes, as: UTF8.self).utf8.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    let text = rest
    rest.skipSign()
    let whole = rest.skipDigits()
    var isInteger = true
    var digits = whole
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      digits += rest.skipDigits()
      isInteger = false
    }
    guard digits > 0 else { return nil }
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      rest.skipSign()
      guard rest.skipDigits() > 0 else { return nil }
      isInteger = false
    }
    guard rest.isEmpty else { return nil }
    integer = isInteger ? Int64(Substring(text)) : nil
  }
}

extension Substring.UTF8View {
  fileprivate mutating func skipSign() {
    if first == UInt8(ascii: "-") || first == UInt8(ascii: "+") { removeFirst() }
  }

  /// Removes the leading digits, and returns their number.
  fileprivate mutating func skipDigits() -> Int {
    let digits = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    removeFirst(digits)
    return digits
  }
}

/// A decimal number from text, without insignificant zeros.
package struct DecimalDigits: Equatable {
  private var isNegative = false
  private var digits: [UInt8] = []
  package private(set) var exponent = 0

  package var isZero: Bool { digits.isEmpty }

  /// The digits of an integer with its sign; nil if the number is not an integer, or has more than 40 digits.
  package var whole: String? {
    if isZero { return "0" }
    guard exponent >= 0, digits.count + exponent <= 40 else { return nil }
    let zeros = repeatElement(UInt8(ascii: "0"), count: exponent)
    return (isNegative ? "-" : "") + String(decoding: digits + zeros, as: UTF8.self)
  }

  /// Parses text, or returns nil if the text is not a number in SQL.
  package init?(_ text: String) {
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
      let written = Self.takeDigits(&rest)
      guard !written.isEmpty else { return nil }
      // The exponent is limited to `Int32.max`: no text has enough digits to compensate for a larger one.
      exponent = written.reduce(0) {
        min($0 * 10 + Int($1 - UInt8(ascii: "0")), Int(Int32.max))
      }
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
