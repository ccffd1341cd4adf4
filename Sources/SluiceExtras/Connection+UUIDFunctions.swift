public import SluiceCore

extension Connection {
  /// Adds SQL functions that create and convert UUIDs: `uuid()`, `uuid_str(X)` and `uuid_blob(X)`.
  ///
  /// Each call of `uuid()` returns a new random UUID as text. `uuid_str(X)` and `uuid_blob(X)` accept a UUID as
  /// text or as 16 bytes, and return it as lowercase text or as bytes. For any other value, these two
  /// functions return NULL. The text has 32 hexadecimal digits, in uppercase or lowercase. It can be enclosed in
  /// braces, and a hyphen can precede each byte, which is a pair of digits.
  public func addUUIDFunctions() throws {
    try addFunction("uuid", arity: 0, options: .innocuous) { _ in .text(UUIDBytes.random().text) }
    try addFunction("uuid_str", arity: 1, options: [.deterministic, .innocuous]) { values in
      try UUIDBytes(argumentOf: values).map { .text($0.text) } ?? .null
    }
    try addFunction("uuid_blob", arity: 1, options: [.deterministic, .innocuous]) { values in
      try UUIDBytes(argumentOf: values).map { .blob($0.bytes) } ?? .null
    }
  }
}

/// The 16 bytes of a UUID.
private struct UUIDBytes {
  let bytes: [UInt8]

  /// Returns a random version 4 UUID.
  static func random() -> UUIDBytes {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    return UUIDBytes(bytes: bytes)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a UUID from the only argument of a function; nil if the argument is not a UUID.
  init?(argumentOf values: borrowing SQLFunctionArguments) throws {
    switch try values.storageClass(at: 0) {
    case .text: self.init(text: try values.blob(at: 0))
    case .blob:
      let bytes = try values.blob(at: 0)
      guard bytes.count == 16 else { return nil }
      self.init(bytes: bytes)
    case .integer, .real, .null: return nil
    }
  }

  private init?(text: [UInt8]) {
    var rest = text[...]
    if rest.first == UInt8(ascii: "{") { rest.removeFirst() }
    var bytes: [UInt8] = []
    while bytes.count < 16 {
      if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      guard let high = rest.popFirst().flatMap(Self.digit),
        let low = rest.popFirst().flatMap(Self.digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    if rest.first == UInt8(ascii: "}") { rest.removeFirst() }
    guard rest.isEmpty else { return nil }
    self.init(bytes: bytes)
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  var text: String {
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
      .joined(separator: "-")
  }
}
