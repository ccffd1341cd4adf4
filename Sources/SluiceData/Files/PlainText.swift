/// Checks of bytes that should be text, and of text that a dump may write between quotes.
///
/// A literal can contain any valid text except a NUL. The `sqlite3` shell drops a carriage return before a line feed,
/// and other control characters could control a terminal, so a dump writes text with control characters as bytes.
enum PlainText {
  /// Returns whether the bytes are UTF-8 without control characters other than tabs and line feeds.
  static func isPlain(_ bytes: Span<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x80 {
        guard !isControl(UInt16(byte)) else { return false }
        index += 1
      } else {
        let count = sequenceLength(bytes, at: index)
        guard count > 0 else { return false }
        index += count
      }
    }
    return true
  }

  /// Returns whether the bytes are UTF-16 that SQLite converts to UTF-8 and back without loss, and without control
  /// characters other than tabs and line feeds.
  static func isPlain(utf16 bytes: Span<UInt8>, isLittleEndian: Bool) -> Bool {
    guard bytes.count.isMultiple(of: 2) else { return false }
    var isAfterHigh = false
    var index = 0
    while index < bytes.count {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      let unit = isLittleEndian ? second << 8 | first : first << 8 | second
      index += 2
      let isLow = (0xdc00...0xdfff).contains(unit)
      // SQLite converts U+FFFE and U+FFFF to U+FFFD.
      guard isLow == isAfterHigh, unit < 0xfffe, !isControl(unit) else { return false }
      isAfterHigh = (0xd800...0xdbff).contains(unit)
    }
    return !isAfterHigh
  }

  /// Returns whether the bytes are UTF-8.
  static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    let bytes = bytes.span
    var index = 0
    while index < bytes.count {
      let count = bytes[index] < 0x80 ? 1 : sequenceLength(bytes, at: index)
      guard count > 0 else { return false }
      index += count
    }
    return true
  }

  /// Returns the bytes as a string; nil if they are not UTF-8.
  ///
  /// For short text, this costs a third of the instructions of `String(validating:as:)`.
  static func string(_ bytes: ArraySlice<UInt8>) -> String? {
    isUTF8(bytes) ? String(decoding: bytes, as: UTF8.self) : nil
  }

  private static func isControl(_ unit: UInt16) -> Bool {
    unit < 0x20 ? unit != 9 && unit != 10 : unit == 0x7f
  }

  /// Returns the length of the valid UTF-8 sequence of two to four bytes at an index, or 0 if there is none.
  private static func sequenceLength(_ bytes: Span<UInt8>, at index: Int) -> Int {
    let first = bytes[index]
    let length =
      switch first {
      case 0xc2..<0xe0: 2
      case 0xe0..<0xf0: 3
      case 0xf0..<0xf5: 4
      default: 0
      }
    guard length > 0, index + length <= bytes.count else { return 0 }
    // These bounds exclude overlong forms, surrogates, and numbers above U+10FFFF.
    let lower: UInt8 = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80
    let upper: UInt8 = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf
    guard (lower...upper).contains(bytes[index + 1]) else { return 0 }
    for offset in 2..<max(length, 2) where bytes[index + offset] & 0xc0 != 0x80 { return 0 }
    return length
  }
}
