/// Text that looks like a number to SQLite: digits, with a sign, a point and an exponent, and white space around them.
struct NumberForm {
  /// The number, if it is an integer of 64 bits.
  let integer: Int64?

  /// Nil for text that does not look like a number.
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

  /// Leaves out the digits in front, and returns how many there were.
  fileprivate mutating func skipDigits() -> Int {
    let digits = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    removeFirst(digits)
    return digits
  }
}
