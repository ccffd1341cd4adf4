import Glibc

/// A check of the bytes that a client sends, before a node gets them.
///
/// A node of dqlite ends its process for some malformed requests. The checker follows the structure of each request,
/// whose bytes can arrive in any pieces, and stores no more than a word and the types of parameters.
public struct FrameChecker {
  /// The step that the next bytes belong to.
  private enum Step {
    case protocolVersion
    case header
    /// A word of the body.
    case word
    /// Text of the body, of which this number of bytes was checked.
    case text(Int)
    /// Bytes of the body without a structure.
    case bytes(Int)
  }

  /// The part of the parameters that comes next.
  private enum Parameters {
    case count
    case types(missing: Int)
    case values(next: Int)
  }

  private let role: DoorRole
  private let limit: Int
  private var step = Step.protocolVersion
  private var word: UInt64 = 0
  private var wordCount = 0
  private var kind = RequestKind.leader
  private var fields: ArraySlice<RequestKind.Field> = []
  /// The number of bytes of the body that have not arrived.
  private var left = 0
  private var parameters: Parameters?
  private var types: [UInt8] = []
  /// Whether the next word is the size of a blob.
  private var isBlobSize = false
  private var transaction = TransactionReader()

  /// The number of requests that were complete.
  public private(set) var requestCount = 0
  /// Whether the connection became a stream between nodes, which is not checked.
  public private(set) var isStream = false

  /// Creates a checker for the requests of a role, whose bodies have at most `limit` bytes.
  public init(role: DoorRole, limit: Int) {
    self.role = role
    self.limit = limit
  }

  /// Whether the client has begun a transaction that writes, and has not ended it, as far as its SQL tells.
  public var isInTransaction: Bool { transaction.isOpen }

  /// Whether a request has begun that is not complete.
  public var isInRequest: Bool {
    if case .header = step { wordCount > 0 } else { !isStream }
  }

  /// Checks the next bytes.
  ///
  /// - Throws: ``FrameViolation``, after which no byte of this call, and no later one, may reach the node.
  public mutating func check(_ input: UnsafeRawBufferPointer) throws {
    var rest = unsafe input[...]
    while unsafe !rest.isEmpty, !isStream {
      switch step {
      case .protocolVersion, .header, .word:
        guard let value = unsafe takeWord(&rest) else { return }
        try handle(value)
      case .text(let count):
        try unsafe takeText(&rest, count)
      case .bytes(let count):
        let taken = unsafe min(count, rest.count)
        unsafe rest = rest.dropFirst(taken)
        left -= taken
        if taken < count { step = .bytes(count - taken) } else { try nextField() }
      }
    }
  }

  private mutating func takeWord(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
    while wordCount < 8, let byte = unsafe rest.popFirst() {
      word |= UInt64(byte) << (8 * UInt64(wordCount))
      wordCount += 1
    }
    guard wordCount == 8 else { return nil }
    defer { (word, wordCount) = (0, 0) }
    return word
  }

  private mutating func takeText(
    _ rest: inout Slice<UnsafeRawBufferPointer>, _ count: Int
  ) throws {
    let room = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(left))
    guard let base = room.baseAddress, let end = unsafe memchr(base, 0, room.count) else {
      if isSQL { unsafe transaction.take(room, from: count) }
      left -= room.count
      guard left > 0 else { throw violation("has text without its end") }
      step = .text(count + room.count)
      unsafe rest = rest.dropFirst(room.count)
      return
    }
    let length = unsafe end - UnsafeMutableRawPointer(mutating: base)
    if case .name? = fields.first, parameters == nil, count + length == 0 {
      throw violation("has an empty name")
    }
    if isSQL {
      unsafe transaction.take(UnsafeRawBufferPointer(rebasing: room[..<length]), from: count)
      transaction.end()
    }
    unsafe rest = rest.dropFirst(length + 1)
    left -= length + 1
    // The body consists of words, so the rest of the last word belongs to the text.
    if left % 8 > 0 { step = .bytes(left % 8) } else { try nextField() }
  }

  /// Whether the current text is SQL that is executed.
  private var isSQL: Bool { kind == .executeSQL && parameters == nil }

  private mutating func handle(_ value: UInt64) throws {
    switch step {
    case .protocolVersion:
      guard value == 1 else { throw FrameViolation("the first bytes are not those of a client") }
      step = .header
    case .header:
      try begin(value)
    case .word, .text, .bytes:
      left -= 8
      try take(value)
    }
  }

  private mutating func begin(_ header: UInt64) throws {
    let type = UInt8(truncatingIfNeeded: header >> 32)
    guard let kind = RequestKind(rawValue: type) else {
      throw FrameViolation("a request has the unknown type \(type)")
    }
    self.kind = kind
    guard role == .node || kind.isForClients else {
      throw violation("is only for nodes, but the certificate is that of a client")
    }
    guard header >> 40 == 0 else { throw violation("has an unknown format") }
    let words = Int(header & 0xffff_ffff)
    guard words > 0 else { throw violation("has no body") }
    guard words <= limit / 8 else {
      throw violation("has \(words * 8) bytes, but at most \(limit) are accepted")
    }
    if let size = kind.size, words != size {
      throw violation("has \(words * 8) bytes instead of \(size * 8)")
    }
    left = words * 8
    fields = kind.fields[...]
    try beginField()
  }

  /// Handles a word of the body.
  private mutating func take(_ value: UInt64) throws {
    if let parameters { return try take(value, parameters) }
    switch fields.first {
    case .number(let max)? where value > max:
      throw violation("has the value \(value), but at most \(max) is accepted")
    case .constant(let constant)? where value != constant:
      throw violation("has the format \(value) instead of \(constant)")
    default: try nextField()
    }
  }

  /// Ends a part of the body, and begins the next one.
  private mutating func nextField() throws {
    if case .values(let next)? = parameters {
      parameters = .values(next: next + 1)
      return try beginValue()
    }
    fields = fields.dropFirst()
    try beginField()
  }

  private mutating func beginField() throws {
    guard let field = fields.first else {
      guard left == 0 else { throw violation("has more bytes than its content") }
      return end()
    }
    if case .parameters = field {
      if left == 0 { return end() }
      parameters = .count
    }
    guard left > 0 else { throw violation("has fewer bytes than its content") }
    switch field {
    case .word, .number, .constant, .parameters: step = .word
    case .text, .name: step = .text(0)
    }
  }

  private mutating func end() {
    parameters = nil
    types.removeAll(keepingCapacity: true)
    step = .header
    requestCount += 1
    isStream = kind == .connect
  }

  private func violation(_ text: String) -> FrameViolation {
    FrameViolation("a request of the type \(kind.rawValue) (\(kind)) \(text)")
  }
}

extension FrameChecker {
  /// Handles a word of the parameters.
  private mutating func take(_ value: UInt64, _ parameters: Parameters) throws {
    switch parameters {
    case .count:
      let count = Int(value & 255)
      guard count > 0 else { throw violation("has no parameters, but their number") }
      try takeTypes(value >> 8, room: 7, missing: count)
    case .types(let missing):
      try takeTypes(value, room: 8, missing: missing)
    case .values:
      guard isBlobSize else { return try nextField() }
      isBlobSize = false
      guard value <= UInt64(left) else { throw violation("has a blob of \(value) bytes") }
      let padded = (Int(value) + 7) / 8 * 8
      guard padded <= left else { throw violation("has a blob of \(value) bytes") }
      if padded > 0 { step = .bytes(padded) } else { try nextField() }
    }
  }

  /// Stores the types that a word contains.
  private mutating func takeTypes(_ word: UInt64, room: Int, missing: Int) throws {
    let count = min(room, missing)
    for index in 0..<count {
      types.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(index))))
    }
    guard missing == count else {
      parameters = .types(missing: missing - count)
      guard left > 0 else { throw violation("has fewer bytes than its content") }
      return
    }
    parameters = .values(next: 0)
    try beginValue()
  }

  private mutating func beginValue() throws {
    guard case .values(let next)? = parameters, next < types.count else {
      guard left == 0 else { throw violation("has more bytes than its content") }
      return end()
    }
    guard left > 0 else { throw violation("has fewer bytes than its content") }
    switch types[next] {
    case 1, 2, 5, 11: step = .word
    case 3, 10: step = .text(0)
    case 4:
      step = .word
      isBlobSize = true
    default: throw violation("has a parameter of the unknown type \(types[next])")
    }
  }
}
