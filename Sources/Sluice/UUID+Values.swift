public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with a UUID as its 36 characters in uppercase; NULL for nil.
  public static func uuidString(_ uuid: UUID?) -> SQLParameter {
    (uuid?.uuidString).sqlParameter
  }

  /// Returns a parameter with a UUID in the form of a strategy, such as `.uuid(id, as: .lowercaseText)`; NULL for nil.
  ///
  /// The connection's strategies do not apply here, but only to `Codable` types.
  public static func uuid(_ uuid: UUID?, as strategy: UUIDStrategy) -> SQLParameter {
    switch strategy {
    case .text: uuidString(uuid)
    case .lowercaseText: (uuid?.uuidString.lowercased()).sqlParameter
    case .bytes: uuidBytes(uuid)
    }
  }

  /// Returns a parameter with a UUID as its 16 bytes; NULL for nil.
  public static func uuidBytes(_ uuid: UUID?) -> SQLParameter {
    guard let uuid else { return .null }
    let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = uuid.uuid
    return SQLParameter(.blob([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]))
  }
}

extension ColumnValueConverter where Value == UUID {
  /// A converter that reads a UUID from its 36 characters, in uppercase or lowercase.
  public static var uuidString: Self {
    Self { row, index in
      if try row.storageClass(at: index) == .text,
        let uuid = try row.withUTF8(at: index, { UUID(characters: $0) })
      {
        return uuid
      }
      let text = try row.get(.string, at: index)
      // Check the length, because Foundation treats a NUL as the end of the text.
      guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else {
        throw row.mismatch(at: index, "is not a UUID")
      }
      return uuid
    }
  }

  /// A converter that reads a UUID from its 16 bytes.
  public static var uuidBytes: Self {
    Self { row, index in
      let isBlob = try row.storageClass(at: index) == .blob
      let uuid =
        isBlob
        ? try row.withBytes(at: index) { UUID(bytes: $0) }
        : UUID(bytes: try row.get(.bytes, at: index))
      guard let uuid else { throw row.mismatch(at: index, "is not the 16 bytes of a UUID") }
      return uuid
    }
  }
}

extension UUID {
  package init?(bytes: [UInt8]) {
    let bytes = bytes[...]
    self.init(bytes: bytes.span)
  }

  init?(bytes: Span<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    for index in 0..<8 {
      high = high << 8 | UInt64(bytes[index])
      low = low << 8 | UInt64(bytes[index + 8])
    }
    self.init(high, low)
  }

  /// Creates a UUID from 36 characters; nil if Foundation must parse the text, which takes ten times as long.
  fileprivate init?(characters text: Span<UInt8>) {
    let hyphen = UInt8(ascii: "-")
    guard text.count == 36, text[8] == hyphen, text[13] == hyphen, text[18] == hyphen,
      text[23] == hyphen
    else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    guard text.addHex(0..<8, to: &high), text.addHex(9..<13, to: &high),
      text.addHex(14..<18, to: &high), text.addHex(19..<23, to: &low),
      text.addHex(24..<36, to: &low)
    else { return nil }
    self.init(high, low)
  }

  private init(_ high: UInt64, _ low: UInt64) {
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
    }
    self.init(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
        byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }
}

extension Span<UInt8> {
  /// Appends hexadecimal digits to a 64-bit integer, and returns whether all characters are such digits.
  @inline(__always)
  fileprivate func addHex(_ range: Range<Int>, to word: inout UInt64) -> Bool {
    for index in range {
      let digit = self[index] &- UInt8(ascii: "0")
      let letter = (self[index] | 0x20) &- UInt8(ascii: "a")
      guard digit < 10 || letter < 6 else { return false }
      word = word << 4 | UInt64(digit < 10 ? digit : letter + 10)
    }
    return true
  }
}
