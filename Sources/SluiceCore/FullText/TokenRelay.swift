import CSluice

/// Hands the tokens that C finds to a closure.
@safe struct TokenRelay {
  private let body: (FTS5Token) throws -> Void
  private var error: (any Error)?

  /// Lets `call` tokenize, with what it has to give to C, and throws what `body` threw.
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
        throw SQLiteError(.range, "A tokenizer says that a token is at \(start)..<\(end)")
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
