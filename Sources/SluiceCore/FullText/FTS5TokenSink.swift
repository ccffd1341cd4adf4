import CSluice

/// A receiver for the tokens that a tokenizer finds, valid only during one call.
///
/// Adding a token throws ``ResultCode/range`` if its range is outside the text, splits a character, or begins
/// before the range of the previous token. The last condition does not apply to colocated tokens. Adding a token
/// throws ``ResultCode/misuse`` if the token is empty, contains NUL, or is colocated although no token precedes it.
///
/// Tokens that are not colocated should not overlap: if a query matches two overlapping tokens, some versions of
/// SQLite repeat text in `highlight`.
@safe public struct FTS5TokenSink: ~Copyable {
  private let state: UnsafeMutablePointer<TokenSinkState>

  init(_ state: UnsafeMutablePointer<TokenSinkState>) { unsafe self.state = state }

  /// Adds a token.
  public func add(_ token: FTS5Token) throws {
    try add(token.text, at: token.range, isColocated: token.isColocated)
  }

  /// Adds a token at a range of the text, in UTF-8 bytes.
  public func add(_ text: String, at range: Range<Int>, isColocated: Bool = false) throws {
    var text = text
    try text.withUTF8 { try unsafe state.pointee.add($0, range, isColocated) }
  }

  /// Adds a token with a copy of these bytes, at a range of the text, in UTF-8 bytes.
  public func add(utf8: Span<UInt8>, at range: Range<Int>, isColocated: Bool = false) throws {
    try unsafe utf8.withUnsafeBufferPointer { try unsafe state.pointee.add($0, range, isColocated) }
  }
}

/// The C callback for one token.
typealias TokenCallback =
  @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32
  ) -> Int32

/// The C receiver for the tokens of a text, and the state after the tokens so far.
@safe struct TokenSinkState {
  private let text: UnsafeBufferPointer<UInt8>
  private let callback: TokenCallback
  private let context: UnsafeMutableRawPointer?
  private var lastStart: Int?
  /// The result code of the receiver; after an error, the receiver gets no more tokens.
  private(set) var code = SQLITE_OK

  init(
    _ text: UnsafeBufferPointer<UInt8>, _ callback: TokenCallback,
    _ context: UnsafeMutableRawPointer?
  ) {
    unsafe self.text = text
    unsafe self.callback = callback
    unsafe self.context = context
  }

  mutating func add(
    _ token: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ isColocated: Bool
  ) throws {
    guard code == SQLITE_OK else { throw Refused() }
    try check(range, isColocated)
    guard let start = token.baseAddress, !token.isEmpty else {
      throw SQLiteError(.misuse, "A token must not be empty")
    }
    // FTS5 would treat a NUL as the end of the token.
    guard !(unsafe token.contains(0)) else {
      throw SQLiteError(.misuse, "A token must not contain NUL")
    }
    guard let count = Int32(exactly: token.count) else {
      throw SQLiteError(.tooBig, "A token is too long (\(token.count) bytes)")
    }
    if !isColocated { lastStart = range.lowerBound }
    code = unsafe callback(
      context, isColocated ? FTS5_TOKEN_COLOCATED : 0,
      UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), count,
      Int32(truncatingIfNeeded: range.lowerBound), Int32(truncatingIfNeeded: range.upperBound))
    guard code == SQLITE_OK else { throw Refused() }
  }

  /// Throws for a range that is outside the text, or splits a character, because FTS5 does not check ranges.
  private func check(_ range: Range<Int>, _ isColocated: Bool) throws {
    guard range.lowerBound >= 0, unsafe range.upperBound <= text.count else {
      throw SQLiteError(
        .range, "The token range \(range) is outside the text of \(unsafe text.count) bytes")
    }
    guard !isInsideCharacter(range.lowerBound), !isInsideCharacter(range.upperBound) else {
      throw SQLiteError(.range, "The token range \(range) splits a character")
    }
    guard let lastStart else {
      guard !isColocated else {
        throw SQLiteError(.misuse, "The first token must not be colocated")
      }
      return
    }
    guard isColocated || range.lowerBound >= lastStart else {
      throw SQLiteError(
        .range,
        "The token range \(range) must not start before the previous token, which starts at \(lastStart)"
      )
    }
  }

  private func isInsideCharacter(_ offset: Int) -> Bool {
    guard offset > 0, unsafe offset < text.count, unsafe text[offset] & 0xc0 == 0x80 else {
      return false
    }
    let start = (max(0, offset - 3)..<offset).last { unsafe text[$0] & 0xc0 != 0x80 }
    guard let start else { return false }
    var parser = Unicode.UTF8.ForwardParser()
    var bytes = unsafe text[start..<min(start + 4, text.count)].makeIterator()
    // Bytes that are not UTF-8 do not form characters.
    guard case .valid(let character) = unsafe parser.parseScalar(from: &bytes) else { return false }
    return offset < start + character.count
  }

  /// The error that stops a tokenizer after FTS5 has rejected a token; FTS5 receives only its own result code.
  private struct Refused: Error {}
}

/// A relay that passes the tokens from C to a closure.
@safe struct TokenRelay {
  private let body: (FTS5Token) throws -> Void
  private var error: (any Error)?

  /// Runs `call` with a context and a callback for C, and rethrows any error that `body` throws.
  ///
  /// - Returns: The code that `call` returns.
  static func run(
    _ body: (FTS5Token) throws -> Void,
    _ call: (UnsafeMutableRawPointer, TokenCallback) -> Int32
  ) throws -> Int32 {
    try withoutActuallyEscaping(body) { body in
      var relay = TokenRelay(body: body)
      let code = unsafe withUnsafeMutablePointer(to: &relay) { unsafe call($0, callback) }
      if let error = relay.error { throw error }
      return code
    }
  }

  private static let callback: TokenCallback = { relay, flags, token, count, start, end in
    let relay = unsafe relay!.assumingMemoryBound(to: TokenRelay.self)
    let bytes = unsafe UnsafeRawBufferPointer(start: token, count: Int(max(0, count)))
    do {
      guard start >= 0, end >= start else {
        throw SQLiteError(.range, "A tokenizer returned the invalid token range \(start)..<\(end)")
      }
      try unsafe relay.pointee.body(
        FTS5Token(
          String(decoding: bytes, as: UTF8.self), at: Int(start)..<Int(end),
          isColocated: flags & FTS5_TOKEN_COLOCATED != 0))
      return SQLITE_OK
    } catch {
      unsafe relay.pointee.error = error
      return SQLITE_ERROR
    }
  }
}
