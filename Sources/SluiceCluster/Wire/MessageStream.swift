import SluiceCore

/// The body of an answer that is too large to be in memory as a whole.
struct MessageStream {
  private let connection: NodeConnection
  /// Returns the patience for the next bytes.
  private let patience: () -> Patience
  /// The number of bytes that follow.
  private(set) var left: Int

  init(of connection: NodeConnection, count: Int, _ patience: @escaping () -> Patience) {
    self.connection = connection
    self.patience = patience
    left = count
  }

  /// Reads a word.
  mutating func word() throws -> UInt64 {
    guard left >= 8 else { throw WireError.broken("An answer ends within a number") }
    left -= 8
    return try connection.receiveWord(patience())
  }

  /// Reads text, and replaces invalid UTF-8.
  mutating func string() throws -> String {
    var bytes: [UInt8] = []
    while bytes.count < 4096 {
      let word = try word()
      let zeros = WireDecoder.zeros(in: word)
      let count = zeros == 0 ? 8 : zeros.trailingZeroBitCount / 8
      bytes += (0..<UInt64(count)).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
      if zeros != 0 { return String(decoding: bytes, as: UTF8.self) }
    }
    throw WireError.broken("The name of a file has more than 4096 bytes")
  }

  /// Reads up to `count` bytes, and at least one, unless none is left.
  mutating func bytes(atMost count: Int) throws -> [UInt8] {
    guard left > 0, count > 0 else { return [] }
    let bytes = try connection.receivePart(atMost: min(count, left), patience())
    left -= bytes.count
    return bytes
  }
}
