import CSluice

/// What finds the tokens for one table.
protocol TokenSource {
  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, into tokens: borrowing FTS5TokenSink
  ) throws

  /// Lets go of what belongs to C, which it cannot wait for.
  func end()
}

/// A tokenizer that does it all.
struct WholeTokenizer<Tokenizer: FTS5Tokenizer>: TokenSource {
  let tokenizer: Tokenizer

  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, into tokens: borrowing FTS5TokenSink
  ) throws {
    try unsafe tokenizer.tokenize(text.span, reason: FTS5TokenizeReason(flags), into: tokens)
  }

  func end() {}
}

/// A filter, behind the tokenizer that it names.
struct FilteredTokenizer<Filter: FTS5TokenFilter>: TokenSource {
  let filter: Filter
  let base: KnownTokenizer

  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, into tokens: borrowing FTS5TokenSink
  ) throws {
    let reason = FTS5TokenizeReason(flags)
    try unsafe base.tokenize(text, flags) { token in
      try unsafe filter.filter(token, in: text.span, reason: reason, into: tokens)
    }
  }

  func end() { base.end() }
}

/// A closure that gets strings.
struct StringTokenizer: TokenSource {
  let tokens: (String) throws -> [FTS5Token]

  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, into sink: borrowing FTS5TokenSink
  ) throws {
    let repaired = unsafe RepairedText(text)
    for var token in try tokens(repaired.text) {
      token.range = repaired.original(token.range)
      try sink.add(token)
    }
  }

  func end() {}
}

extension FTS5TokenizeReason {
  fileprivate init(_ flags: Int32) {
    self =
      if flags & FTS5_TOKENIZE_AUX != 0 { .auxiliary } else if flags & FTS5_TOKENIZE_DOCUMENT != 0 {
        .document
      } else if flags & FTS5_TOKENIZE_PREFIX != 0 { .prefix } else { .query }
  }
}
