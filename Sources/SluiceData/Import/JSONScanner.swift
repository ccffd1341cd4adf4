import SluiceCore

/// A parser of one JSON object, which preserves the order of its keys and the digits of its numbers.
///
/// `JSONSerialization` does neither, and rejects `9e999`, the JSON form of an infinity.
struct JSONScanner {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  /// The greatest depth of nested values, so that a hostile file cannot exhaust the stack.
  private static let greatestDepth = 500

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the keys and values of an object; throws ``ResultCode/mismatch`` if the bytes are not one object.
  ///
  /// Nested objects and arrays become their JSON text.
  static func object(_ bytes: [UInt8]) throws -> [(name: String, value: ImportValue)] {
    var scanner = JSONScanner(bytes)
    scanner.skipSpace()
    guard scanner.peek() == UInt8(ascii: "{") else { throw scanner.failure("is not an object") }
    let members = try scanner.members { try $0.value() }
    scanner.skipSpace()
    guard scanner.peek() == nil else { throw scanner.failure("continues after the object") }
    return members
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      || byte == UInt8(ascii: "\t")
  }
}

extension JSONScanner {
  private func failure(_ reason: String) -> SQLiteError {
    SQLiteError(.mismatch, "The JSON \(reason) (at byte \(position + 1) of the row)")
  }

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek(), Self.isSpace(byte) { position += 1 }
  }

  private mutating func members<T>(
    _ value: (inout JSONScanner) throws -> T
  ) throws -> [(name: String, value: T)] {
    position += 1
    var members: [(name: String, value: T)] = []
    skipSpace()
    if take("}") { return members }
    repeat {
      skipSpace()
      guard peek() == UInt8(ascii: "\"") else { throw failure("has no key where one is expected") }
      let name = try string()
      skipSpace()
      guard take(":") else { throw failure("has no colon after a key") }
      skipSpace()
      members.append((name, try value(&self)))
      skipSpace()
    } while take(",")
    guard take("}") else { throw failure("has no comma or } after a value") }
    return members
  }

  private mutating func value() throws -> ImportValue {
    let start = position
    switch peek() {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      try skipValue()
      return .text(try text(start..<position))
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return try literal()
    default: return try number()
    }
  }

  private mutating func skipValue() throws {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.greatestDepth else {
      throw failure("is nested deeper than \(Self.greatestDepth) levels")
    }
    switch peek() {
    case UInt8(ascii: "{"): _ = try members { try $0.skipValue() }
    case UInt8(ascii: "["):
      position += 1
      skipSpace()
      if take("]") { return }
      repeat {
        skipSpace()
        try skipValue()
        skipSpace()
      } while take(",")
      guard take("]") else { throw failure("has no comma or ] after a value") }
    default: _ = try value()
    }
  }

  private mutating func literal() throws -> ImportValue {
    for (word, value) in [
      ("true", ImportValue.integer(1)), ("false", .integer(0)), ("null", .null),
    ]
    where bytes[position...].starts(with: word.utf8) {
      position += word.utf8.count
      return value
    }
    throw failure("has an unknown word")
  }

  private mutating func number() throws -> ImportValue {
    let start = position
    _ = take("-")
    let isZero = peek() == UInt8(ascii: "0")
    let digits = skipDigits()
    guard digits > 0, digits == 1 || !isZero else { throw failure("has an invalid value") }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard skipDigits() > 0 else { throw failure("has an invalid number") }
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("-") { _ = take("+") }
      guard skipDigits() > 0 else { throw failure("has an invalid number") }
    }
    let text = try text(start..<position)
    if isInteger, text != "-0" {
      // Text preserves the digits of an integer that SQLite cannot store.
      return Int64(text).map { .integer($0) } ?? .text(text)
    }
    guard let real = Double(text) else { throw failure("has an invalid number") }
    return .real(real)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      position += 1
    }
    return position - start
  }
}

extension JSONScanner {
  private func text(_ range: Range<Int>) throws -> String {
    guard let text = PlainText.string(bytes[range]) else {
      throw failure("is not UTF-8")
    }
    return text
  }

  private mutating func string() throws -> String {
    position += 1
    let start = position
    // Most strings contain no escapes, and are copied as a whole.
    while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    var string = try text(start..<position)
    while true {
      switch peek() {
      case UInt8(ascii: "\""):
        position += 1
        return string
      case UInt8(ascii: "\\"):
        position += 1
        string.unicodeScalars.append(try escape())
      case let byte? where byte >= 0x20:
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"),
          byte >= 0x20
        {
          position += 1
        }
        string += try text(start..<position)
      case nil: throw failure("ends inside a string")
      default: throw failure("has a control character in a string")
      }
    }
  }

  /// Reads an escape sequence after its backslash.
  private mutating func escape() throws -> Unicode.Scalar {
    guard let byte = peek() else { throw failure("ends inside a string") }
    position += 1
    switch Unicode.Scalar(byte) {
    case "\"", "\\", "/": return Unicode.Scalar(byte)
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      let first = try unit()
      guard (0xd800..<0xdc00).contains(first) else { return try scalar(first) }
      guard take("\\"), take("u") else { throw failure("has half a surrogate pair") }
      let second = try unit()
      guard (0xdc00..<0xe000).contains(second) else { throw failure("has half a surrogate pair") }
      return try scalar(0x1_0000 + (first - 0xd800) << 10 + (second - 0xdc00))
    default: throw failure("has an unknown escape sequence")
    }
  }

  private func scalar(_ value: UInt32) throws -> Unicode.Scalar {
    guard let scalar = Unicode.Scalar(value) else { throw failure("has half a surrogate pair") }
    return scalar
  }

  /// Reads four hexadecimal digits.
  private mutating func unit() throws -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = peek().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw failure("has an invalid escape sequence")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
