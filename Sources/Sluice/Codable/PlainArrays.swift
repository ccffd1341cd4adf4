import SluiceCore

/// JSON coding for arrays of numbers, strings and Booleans, without Foundation's coders.
///
/// Foundation's coders take several times as long. Each method here reads or writes only the simplest form. For
/// any other form, valid or not, it returns nil, and Foundation's coders are used.
extension RowReader {
  /// Returns the array in a column; nil if Foundation must read it.
  func plainArray<T>(_ type: T.Type, at index: Int, _ strategy: NestedStrategy) -> T? {
    guard strategy != .propertyList else { return nil }
    if type == [Int].self { return plain(Int.self, at: index) as? T }
    if type == [String].self { return plain(String.self, at: index) as? T }
    if type == [Double].self { return plain(Double.self, at: index) as? T }
    if type == [Int64].self { return plain(Int64.self, at: index) as? T }
    if type == [Bool].self { return plain(Bool.self, at: index) as? T }
    return nil
  }

  private func plain<Element: PlainElement>(_ type: Element.Type, at index: Int) -> [Element]? {
    // Ignore an error here, because it recurs when the value is decoded.
    try? read { row in try row.withUTF8(at: index) { json in [Element](plain: json) } }
  }
}

extension ValueEncoding {
  /// Returns the JSON of an array; nil if Foundation must write it.
  func plainArray<T>(_ value: T) -> String? {
    guard strategies.nested != .propertyList else { return nil }
    if T.self == [Int].self { return plain(value as? [Int]) }
    if T.self == [String].self { return plain(value as? [String]) }
    if T.self == [Double].self { return plain(value as? [Double]) }
    if T.self == [Int64].self { return plain(value as? [Int64]) }
    if T.self == [Bool].self { return plain(value as? [Bool]) }
    return nil
  }

  private func plain<Element: PlainElement>(_ array: [Element]?) -> String? {
    guard let array else { return nil }
    var json = "["
    for element in array {
      if json.utf8.count > 1 { json.append(",") }
      guard element.appendPlain(to: &json) else { return nil }
    }
    json.append("]")
    return json
  }
}

/// An element type of arrays that have a plain form in JSON.
private protocol PlainElement {
  /// Reads the element at `index`, and advances `index` past it; nil if it is not in the plain form.
  static func readPlain(_ json: Span<UInt8>, _ index: inout Int) -> Self?

  /// Appends the element, and returns whether it has a plain form.
  func appendPlain(to json: inout String) -> Bool
}

extension Array where Element: PlainElement {
  fileprivate init?(plain json: Span<UInt8>) {
    guard json.count >= 2, json[0] == "[" else { return nil }
    self.init()
    if json.count == 2, json[1] == "]" { return }
    var commas = 0
    for index in json.indices where json[index] == "," { commas += 1 }
    // Strings can contain commas, so there can be far more commas than elements; limit the capacity.
    reserveCapacity(Swift.min(commas + 1, 64))
    var index = 1
    while let element = Element.readPlain(json, &index), index < json.count {
      append(element)
      let separator = json[index]
      index += 1
      if separator == "]" {
        guard index == json.count else { return nil }
        return
      }
      guard separator == "," else { return nil }
      if index < json.count, json[index] == " " { index += 1 }
    }
    return nil
  }
}

/// Integers of up to 18 digits, all of which fit in 64 bits.
extension PlainElement where Self: FixedWidthInteger {
  fileprivate static func readPlain(_ json: Span<UInt8>, _ index: inout Int) -> Self? {
    guard let number = Digits(json, &index), number.count <= 18 else { return nil }
    return Self(exactly: number.isNegative ? -number.value : number.value)
  }

  fileprivate func appendPlain(to json: inout String) -> Bool {
    json.append(description)
    return true
  }
}

extension Int: PlainElement {}
extension Int64: PlainElement {}

extension Double: PlainElement {
  fileprivate static func readPlain(_ json: Span<UInt8>, _ index: inout Int) -> Double? {
    let start = index
    guard let whole = Digits(json, &index) else { return nil }
    var (value, count) = (whole.value, whole.count)
    if index < json.count, json[index] == "." {
      index += 1
      let point = index
      while let digit = json.digit(at: index) {
        value = value &* 10 &+ digit
        index += 1
      }
      count += index - point
      guard index > point else { return nil }
      // The dividend and the divisor are exact, so the quotient is the nearest `Double`.
      if count <= 15 {
        let quotient = Double(value) / powersOfTen[index - point]
        return whole.isNegative ? -quotient : quotient
      }
    } else if count <= 15 {
      return Double(whole.isNegative ? -value : value)
    }
    // A number with at most 40 digits is never too large for a `Double`.
    guard count <= 40 else { return nil }
    return unsafe json.extracting(start..<index).withUnsafeBufferPointer {
      unsafe Double(String(decoding: $0, as: UTF8.self))
    }
  }

  fileprivate func appendPlain(to json: inout String) -> Bool {
    guard isFinite else { return false }
    let text = description
    json.append(contentsOf: text.hasSuffix(".0") ? text.dropLast(2) : text[...])
    return true
  }
}

/// The powers of ten from 1 to 1e15, which `Double` represents exactly.
private let powersOfTen: [Double] = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]

extension Bool: PlainElement {
  fileprivate static func readPlain(_ json: Span<UInt8>, _ index: inout Int) -> Bool? {
    if json.has("true", at: index) {
      index += 4
      return true
    }
    guard json.has("false", at: index) else { return nil }
    index += 5
    return false
  }

  fileprivate func appendPlain(to json: inout String) -> Bool {
    json.append(self ? "true" : "false")
    return true
  }
}

extension String: PlainElement {
  fileprivate static func readPlain(_ json: Span<UInt8>, _ index: inout Int) -> String? {
    guard index < json.count, json[index] == "\"" else { return nil }
    let start = index + 1
    var all: UInt8 = 0
    index = start
    while index < json.count, json[index] != "\"" {
      guard json[index].isPlain else { return nil }
      all |= json[index]
      index += 1
    }
    guard index < json.count else { return nil }
    defer { index += 1 }
    return unsafe json.extracting(start..<index).withUnsafeBufferPointer { text in
      // ASCII is always valid UTF-8, so skip validation, which takes longer.
      all < 0x80
        ? unsafe String(decoding: text, as: UTF8.self)
        : unsafe String(validating: text, as: UTF8.self)
    }
  }

  /// Appends the string if nothing in it needs an escape; a slash may need one, so Foundation decides.
  fileprivate func appendPlain(to json: inout String) -> Bool {
    guard utf8.allSatisfy({ $0.isPlain && $0 != "\"" && $0 != "/" }) else { return false }
    json.append("\"")
    json.append(self)
    json.append("\"")
    return true
  }
}

/// The digits of an integer in JSON, except -0, which Foundation reads.
private struct Digits {
  let isNegative: Bool
  /// The value, which is meaningless if there are more than 18 digits.
  let value: Int64
  let count: Int

  @inline(__always)
  init?(_ json: Span<UInt8>, _ index: inout Int) {
    isNegative = index < json.count && json[index] == "-"
    if isNegative { index += 1 }
    let start = index
    var value: Int64 = 0
    while let digit = json.digit(at: index) {
      value = value &* 10 &+ digit
      index += 1
    }
    self.value = value
    count = index - start
    guard count > 0, json[start] != "0" || (count == 1 && !isNegative) else { return nil }
  }
}

extension Span<UInt8> {
  @inline(__always)
  fileprivate func digit(at index: Int) -> Int64? {
    guard index < count else { return nil }
    let digit = self[index] &- UInt8(ascii: "0")
    return digit < 10 ? Int64(digit) : nil
  }

  fileprivate func has(_ word: StaticString, at index: Int) -> Bool {
    guard count - index >= word.utf8CodeUnitCount else { return false }
    for offset in 0..<word.utf8CodeUnitCount
    where unsafe self[index + offset] != word.utf8Start[offset] { return false }
    return true
  }
}

extension UInt8 {
  /// Whether the byte needs no escape in a JSON string; also true for the closing quote.
  fileprivate var isPlain: Bool { self >= 0x20 && self != "\\" }

  fileprivate static func == (byte: UInt8, character: Unicode.Scalar) -> Bool {
    byte == UInt8(ascii: character)
  }

  fileprivate static func != (byte: UInt8, character: Unicode.Scalar) -> Bool {
    byte != UInt8(ascii: character)
  }
}
