import SluiceCore

/// A checksum that detects whether a migration was edited after it was applied.
///
/// The checksum detects only accidental edits, because it is easy to create another text with the same checksum.
/// `Hasher` is unsuitable, because its results differ between processes, and SHA-256 is not available on every
/// platform.
enum MigrationChecksum {
  /// Returns the 64-bit FNV-1a hash of a text, as 16 hexadecimal digits.
  ///
  /// `\r\n` counts as `\n`, so that a checkout with different line endings has the same hash.
  static func of(_ text: String) -> String {
    var hash = StableHash()
    var bytes = text.utf8.makeIterator()
    var next = bytes.next()
    while let byte = next {
      next = bytes.next()
      if byte == UInt8(ascii: "\r"), next == UInt8(ascii: "\n") { continue }
      hash.combine(byte)
    }
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
