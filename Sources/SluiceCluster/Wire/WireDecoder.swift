/// A position in the body of an answer.
///
/// Each method throws ``WireError/broken(_:)`` at the end of the body, whatever the bytes are. The body is valid only
/// during a call of `MessageInput.withBody`.
@safe struct WireDecoder {
  private let bytes: UnsafeRawBufferPointer
  /// The offset of the next byte; a multiple of 8.
  private(set) var position: Int

  init(_ bytes: UnsafeRawBufferPointer, from position: Int = 0) {
    unsafe self.bytes = bytes
    self.position = position
  }

  /// The number of the bytes that follow.
  var left: Int { unsafe bytes.count - position }

  /// Reads a word.
  mutating func word() throws -> UInt64 {
    guard left >= 8 else { throw WireError.broken("An answer ends within a number") }
    defer { position += 8 }
    return unsafe Self.word(bytes, position)
  }

  /// Reads the number of the elements that follow, which have at least `size` bytes each.
  mutating func count(of size: Int) throws -> Int {
    let word = try word()
    guard let count = Int(exactly: word), count <= left / size else {
      throw WireError.broken("An answer announces \(word) elements, but \(left) bytes follow")
    }
    return count
  }

  /// Reads the bytes of text, without their NUL.
  mutating func text() throws -> Range<Int> {
    let start = position
    while left >= 8 {
      let word = try word()
      let zeros = Self.zeros(in: word)
      if zeros != 0 { return start..<position - 8 + zeros.trailingZeroBitCount / 8 }
    }
    throw WireError.broken("An answer ends within text")
  }

  /// Reads text, and replaces invalid UTF-8.
  mutating func string() throws -> String {
    let range = try text()
    return unsafe String(decoding: bytes[range], as: UTF8.self)
  }

  /// Reads a number of bytes and the bytes, and returns where they are.
  mutating func blob() throws -> Range<Int> {
    let count = try count(of: 1)
    let range = position..<position + count
    // The last file of a dump may lack the zeros that complete its last word.
    position = unsafe Swift.min(bytes.count, position + (count + 7) & ~7)
    return range
  }

  /// Returns a copy of the bytes at `range`.
  func bytes(at range: Range<Int>) -> [UInt8] { unsafe Array(bytes[range]) }

  /// Reads the first batch of a query, and the names of its columns.
  func batch(names: inout ColumnNames) throws -> RowBatch {
    try unsafe RowBatch(bytes, &names)
  }

  /// Reads another batch of a query.
  func batch(with names: ColumnNames) throws -> RowBatch {
    try unsafe RowBatch(bytes, with: names)
  }

  /// Reads the failure at the end of the body.
  ///
  /// In the answer to a query, a failure follows names and rows that the node had encoded before. The text ends with
  /// the last word; of the words before, only the code contains a zero byte.
  func failure() throws -> WireError {
    let words = unsafe bytes.count / 8
    guard words >= 2, Self.zeros(in: unsafe Self.word(bytes, 8 * (words - 1))) != 0 else {
      throw WireError.broken("A failure has no text")
    }
    var first = words - 2
    while Self.zeros(in: unsafe Self.word(bytes, 8 * first)) == 0 {
      guard first > 0 else { throw WireError.broken("A failure has no code") }
      first -= 1
    }
    let number = unsafe Self.word(bytes, 8 * first)
    guard let code = Int(exactly: number) else {
      throw WireError.broken("A failure has the code \(number)")
    }
    var message = unsafe WireDecoder(bytes, from: 8 * (first + 1))
    return .failure(code: code, message: try message.string())
  }

  /// Returns the word at an offset, which must be within `bytes`.
  static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns a word in which the lowest set bit belongs to the first zero byte of `word`; zero if there is none.
  @inline(__always)
  static func zeros(in word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }
}
