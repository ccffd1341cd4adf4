/// Finds the words of a text, for a full-text table that names it.
///
/// ```swift
/// struct Digits: FTS5Tokenizer {
///   func tokenize(
///     _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
///   ) throws {
///     for index in text.indices where (48...57).contains(text[index]) {
///       try tokens.add(utf8: text.extracting(index..<index + 1), at: index..<index + 1)
///     }
///   }
/// }
/// try connection.addTokenizer("digits") { _ in Digits() }
/// try connection.execute(sql: "CREATE VIRTUAL TABLE pin USING fts5(code, tokenize = 'digits')")
/// ```
///
/// Each table has one of its own, which it keeps for as long as the connection knows the table. The same
/// text must always give the same tokens; otherwise the index is of no use, and has to be rebuilt.
///
/// A tokenizer cannot use the connection: SQLite is in the middle of its work on an index, so all that it
/// tries throws ``ResultCode/misuse``. What it throws itself ends the statement, with its text and code.
///
/// The corresponding C type is `fts5_tokenizer`.
public protocol FTS5Tokenizer {
  /// Gives the tokens of a text to `tokens`, in the order in which they stand there.
  ///
  /// The bytes are not checked to be UTF-8. They are lent for the time of the call.
  func tokenize(
    _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
  ) throws
}

/// Why a text is to be split into tokens.
///
/// A tokenizer that adds synonyms does so for documents or for queries; for both would be a waste.
///
/// The corresponding C values are `FTS5_TOKENIZE_*`.
public enum FTS5TokenizeReason: Hashable, Sendable, CaseIterable {
  /// A row is written, or taken out of the index.
  case document
  /// A string of a query, of which whole words are looked for.
  case query
  /// A string of a query whose last token is the beginning of words.
  case prefix
  /// An auxiliary function, such as `highlight`, wants to know where the words are.
  case auxiliary
}
