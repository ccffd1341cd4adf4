/// Changes, adds to or takes away from the tokens that another tokenizer finds.
///
/// ```swift
/// struct Stopwords: FTS5TokenFilter {
///   let base: [String]
///
///   func filter(
///     _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
///     into tokens: borrowing FTS5TokenSink
///   ) throws {
///     if !["a", "an", "the"].contains(token.text) { try tokens.add(token) }
///   }
/// }
/// try connection.addTokenizer("stopwords") { arguments in Stopwords(base: arguments) }
/// try connection.execute(
///   sql: "CREATE VIRTUAL TABLE note USING fts5(text, tokenize = 'stopwords porter ascii')")
/// ```
///
/// In all else it is like an ``FTS5Tokenizer``.
public protocol FTS5TokenFilter {
  /// The name of the tokenizer that comes first, and its arguments: `unicode61`, `ascii`, `porter`,
  /// `trigram`, or any other that the connection has.
  ///
  /// It is asked for once, when the filter of a table has been made.
  var base: [String] { get }

  /// Passes one token of the other tokenizer on to `tokens`, or something else in its place, or nothing.
  ///
  /// The bytes of the text are not checked to be UTF-8. They are lent for the time of the call.
  func filter(
    _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
    into tokens: borrowing FTS5TokenSink
  ) throws
}
