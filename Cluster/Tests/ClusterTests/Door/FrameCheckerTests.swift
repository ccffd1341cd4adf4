import ClusterDoor
import Testing

@Suite struct `The check of requests` {
  @Test(arguments: Frame.valid)
  func `a valid request passes, in whatever pieces it arrives`(
    type: UInt8, body: [UInt8], isForClients: Bool
  ) throws {
    let bytes = Frame.protocolVersion + Frame.client + Frame.message(type, body)
    for size in [bytes.count, 1, 3, 8, 11] {
      var checker = FrameChecker(role: .node, limit: 1 << 20)
      try checker.check(bytes, in: size)
      #expect(checker.requestCount == 2)
      #expect(!checker.isInRequest)
      #expect(checker.isStream == (type == 11))
    }
  }

  @Test(arguments: Frame.valid)
  func `a request is complete with its last byte`(
    type: UInt8, body: [UInt8], isForClients: Bool
  ) throws {
    let bytes = Frame.protocolVersion + Frame.message(type, body)
    for count in 1..<bytes.count where count != 8 {
      var checker = FrameChecker(role: .node, limit: 1 << 20)
      try checker.check(Array(bytes.prefix(count)), in: count)
      #expect(checker.requestCount == 0)
      #expect(checker.isInRequest)
    }
  }

  @Test(arguments: Frame.valid)
  func `a client can only send the requests of its role`(
    type: UInt8, body: [UInt8], isForClients: Bool
  ) {
    var checker = FrameChecker(role: .client, limit: 1 << 20)
    let bytes = Frame.protocolVersion + Frame.message(type, body)
    if isForClients {
      #expect(throws: Never.self) { try checker.check(bytes, in: bytes.count) }
    } else {
      let error = #expect(throws: FrameViolation.self) {
        try checker.check(bytes, in: bytes.count)
      }
      #expect(error?.description.contains("only for nodes") == true)
    }
  }

  @Test(arguments: Frame.valid)
  func `a body with a word too few or too many is refused`(
    type: UInt8, body: [UInt8], isForClients: Bool
  ) {
    #expect(isRefused(Frame.message(type, body + Frame.number(256))))
    #expect(isRefused(Frame.message(type, Array(body.dropLast(8)))))
  }

  @Test(arguments: Frame.invalid)
  func `an invalid request is refused, in whatever pieces it arrives`(
    name: String, bytes: [UInt8]
  ) {
    let before = Frame.message(8, Frame.number(0) + Frame.text("SELECT 1"))
    for size in [bytes.count, 1, 5] {
      #expect(isRefused(bytes, in: size), "\(name)")
      #expect(isRefused(Frame.client + before + bytes, in: size), "\(name)")
    }
  }

  @Test func `only the version 1 of the protocol begins a connection`() {
    for start: [UInt8] in [
      Array("GET / HTTP/1.1\r\n".utf8), [0x16, 3, 1, 2, 0, 1, 0, 1], Frame.number(0),
      Frame.number(0x8610_4dd7_6043_3fe5), Frame.number(1 << 32 | 1),
    ] {
      var checker = FrameChecker(role: .node, limit: 1 << 20)
      #expect(throws: FrameViolation.self) { try checker.check(start, in: start.count) }
    }
  }

  @Test func `a request has at most as many bytes as the limit`() throws {
    let text = Frame.text(String(repeating: "a", count: 1000))
    let body = Frame.number(0) + text
    var exact = FrameChecker(role: .client, limit: body.count)
    try exact.check(Frame.protocolVersion + Frame.message(8, body), in: 64)
    var less = FrameChecker(role: .client, limit: body.count - 8)
    #expect(throws: FrameViolation.self) {
      try less.check(Frame.protocolVersion + Frame.message(8, body), in: 64)
    }
  }

  @Test func `the bytes after CONNECT are a stream between nodes`() throws {
    var checker = FrameChecker(role: .node, limit: 1 << 20)
    let connect = Frame.message(11, Frame.number(2) + Frame.text("10.0.0.2:9001"))
    let stream = [UInt8](repeating: 0xff, count: 100)
    try checker.check(Frame.protocolVersion + connect + stream, in: 7)
    #expect(checker.isStream)
    #expect(!checker.isInRequest)
  }

  @Test func `changed bytes of requests never trap`() {
    for _ in 0..<5_000 {
      var bytes = Frame.protocolVersion
      for _ in 0..<3 {
        guard let (type, body, _) = Frame.valid.randomElement() else { continue }
        bytes += Frame.message(type, body)
      }
      for _ in 0..<Int.random(in: 1...4) {
        bytes[Int.random(in: 8..<bytes.count)] = UInt8.random(in: 0...255)
      }
      var checker = FrameChecker(role: .node, limit: 1 << 20)
      // Many of the changes are valid.
      try? checker.check(bytes, in: Int.random(in: 1...bytes.count))
    }
  }

  /// Whether bytes after the version of the protocol are no complete valid requests.
  private func isRefused(_ bytes: [UInt8], in size: Int = .max) -> Bool {
    var checker = FrameChecker(role: .node, limit: 1 << 20)
    do { try checker.check(Frame.protocolVersion + bytes, in: size) } catch { return true }
    return checker.isInRequest
  }
}

extension FrameChecker {
  /// Checks bytes in pieces of a size.
  mutating func check(_ bytes: [UInt8], in size: Int) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(size))
      try unsafe piece.withUnsafeBytes { try unsafe check($0) }
      rest = rest.dropFirst(piece.count)
    }
  }
}
