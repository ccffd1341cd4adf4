/// The answers of a node, in a buffer that all answers of a connection share.
struct MessageInput {
  /// The bytes that were received, and unused room after them.
  private var bytes = [UInt8](repeating: 0, count: MessageInput.usualSize)
  /// The number of received bytes.
  private var received = 0
  /// The offset after the current message.
  private var end = 0
  /// The body of the current message.
  private(set) var body = 0..<0

  private static let usualSize = 1 << 16

  /// Whether bytes follow the current message.
  var hasMore: Bool { received > end }

  /// Receives the next message, and returns its type.
  ///
  /// The buffer grows only as bytes arrive, whatever length a header declares.
  ///
  /// - Throws: ``WireError/broken(_:)``, also if the body has more than `limit` bytes.
  mutating func next(
    from socket: NodeSocket, limit: Int, _ patience: Patience
  ) throws -> WireAnswer {
    let (type, count) = try header(from: socket, patience)
    guard count <= limit else {
      throw WireError.broken("An answer has \(count) bytes, but at most \(limit) are accepted")
    }
    try fill(count, from: socket, patience)
    body = end..<end + count
    end = body.upperBound
    return type
  }

  /// Receives the header of the next message, and returns its type and the number of the bytes of its body.
  mutating func header(
    from socket: NodeSocket, _ patience: Patience
  ) throws -> (type: WireAnswer, count: Int) {
    discard()
    let header = try word(from: socket, patience)
    guard let type = WireAnswer(rawValue: UInt8(truncatingIfNeeded: header >> 32)),
      header >> 40 == 0
    else { throw WireError.broken("An answer has an unknown header") }
    return (type, Int(UInt32(truncatingIfNeeded: header)) * 8)
  }

  /// Receives a word, which is not kept.
  mutating func word(from socket: NodeSocket, _ patience: Patience) throws -> UInt64 {
    try fill(8, from: socket, patience)
    defer { end += 8 }
    return unsafe bytes.withUnsafeBytes { unsafe WireDecoder.word($0, end) }
  }

  /// Receives up to `count` bytes, and at least one, which are not kept.
  mutating func part(
    atMost count: Int, from socket: NodeSocket, _ patience: Patience
  ) throws -> [UInt8] {
    discard()
    try fill(1, from: socket, patience)
    let part = Array(bytes[end..<min(received, end + count)])
    end += part.count
    return part
  }

  /// Calls `read` with the body of the current message.
  func withBody<T>(_ read: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
    try unsafe bytes.withUnsafeBytes { bytes in
      try unsafe read(UnsafeRawBufferPointer(rebasing: bytes[body]))
    }
  }

  /// Removes the current message, and releases the memory of a large one.
  mutating func discard() {
    body = 0..<0
    if end == received {
      received = 0
      end = 0
      if bytes.count > 16 * Self.usualSize {
        bytes = [UInt8](repeating: 0, count: Self.usualSize)
      }
    }
  }

  /// Receives until `count` bytes follow the current message, or what was received last.
  private mutating func fill(_ count: Int, from socket: NodeSocket, _ patience: Patience) throws {
    while received - end < count {
      if received == bytes.count { makeRoom() }
      received += try socket.receive(into: &bytes, from: received, patience)
    }
  }

  private mutating func makeRoom() {
    if end > 0 {
      bytes.removeSubrange(0..<end)
      bytes.append(contentsOf: repeatElement(0, count: end))
      received -= end
      end = 0
    } else {
      // An array is copied as a whole, also in a debug build.
      bytes.append(contentsOf: [UInt8](repeating: 0, count: bytes.count))
    }
  }
}
