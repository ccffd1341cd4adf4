// The sink that receives a text's tokens cannot be stored beyond the call.
// says: implicit conversion to 'FTS5TokenSink?' is consuming

import Sluice

final class Kept: FTS5Tokenizer {
  #if REJECTED
    var tokens: FTS5TokenSink?
  #else
    var tokens: [FTS5Token] = []
  #endif

  func tokenize(
    _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
  ) throws {
    #if REJECTED
      self.tokens = tokens
    #else
      for token in self.tokens { try tokens.add(token) }
    #endif
  }
}
