/// A number by which an edited migration is told from the one that was applied.
///
/// It is made against accidents: who wants to can make two texts that have the same. `Hasher` would
/// not do, as it gives another number in each process; and SHA-256 is not there on each platform.
enum MigrationChecksum {
  /// The FNV-1a hash of 64 bits, as 16 hexadecimal digits.
  ///
  /// Line ends count as `\n`, so that a checkout with `\r\n` has the same.
  static func of(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var bytes = text.utf8.makeIterator()
    var next = bytes.next()
    while let byte = next {
      next = bytes.next()
      if byte == UInt8(ascii: "\r"), next == UInt8(ascii: "\n") { continue }
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
