import SluiceCore

/// The bytes of requests, in a buffer that all requests of a connection share.
///
/// A message consists of a header of 8 bytes and a body of words. A word has 8 bytes, and numbers are little-endian.
struct WireEncoder {
  /// The bytes of the message.
  private(set) var bytes: [UInt8] = []

  /// The first bytes of a connection: the version of the protocol.
  static let handshake: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]

  /// Removes the previous message, and begins one with this type.
  mutating func begin(_ type: WireRequest) {
    bytes.removeAll(keepingCapacity: true)
    append(UInt64(type.rawValue) << 32)
  }

  /// Releases the memory of a message of more than 1 MiB.
  mutating func releaseLargeMessage() {
    if bytes.count > 1 << 20 { bytes = [] }
  }

  /// Writes the length of the body into the header.
  ///
  /// - Throws: ``ResultCode/tooBig`` if the message has more than `limit` bytes.
  mutating func end(limit: Int) throws {
    let words = bytes.count / 8 - 1
    guard bytes.count <= limit, let count = UInt32(exactly: words) else {
      throw SQLiteError(
        .tooBig, "A request to a node has at most \(limit) bytes (got \(bytes.count))")
    }
    unsafe withUnsafeBytes(of: count.littleEndian) { count in
      for index in 0..<4 { bytes[index] = unsafe count[index] }
    }
  }

  /// Appends a number of 4 or 8 bytes.
  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends text and a NUL, and zeros up to the next word.
  ///
  /// - Throws: an error with this code if the text contains a NUL, at which the node would end the text.
  mutating func append(_ text: String, _ noun: String, _ code: ResultCode) throws {
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    guard !bytes[start...].contains(0) else {
      throw SQLiteError(code, "\(noun) contains a NUL, at which a node would end it")
    }
    bytes.append(0)
    pad()
  }

  /// Appends the values of a statement's parameters: their number and types in words, and then the values.
  ///
  /// - Throws: ``ResultCode/range`` for more than 255 values, and ``ResultCode/mismatch`` for NaN and for text with a NUL.
  mutating func append(_ values: [DatabaseValue]) throws {
    guard !values.isEmpty else { return }
    guard let count = UInt8(exactly: values.count) else {
      throw SQLiteError(
        .range, "A statement in a cluster has at most 255 parameters (got \(values.count))")
    }
    bytes.append(count)
    for value in values { bytes.append(WireType(value).rawValue) }
    pad()
    for (index, value) in values.enumerated() {
      switch value {
      case .integer(let value): append(value)
      case .real(let value):
        guard !value.isNaN else {
          throw SQLiteError(
            .mismatch, "Parameter \(index + 1) is NaN, which SQLite cannot store; bind NULL instead"
          )
        }
        append(value.bitPattern)
      case .text(let value): try append(value, "Parameter \(index + 1)", .mismatch)
      case .blob(let value):
        append(UInt64(value.count))
        bytes.append(contentsOf: value)
        pad()
      case .null: append(UInt64(0))
      }
    }
  }

  private mutating func pad() {
    while bytes.count % 8 != 0 { bytes.append(0) }
  }
}
