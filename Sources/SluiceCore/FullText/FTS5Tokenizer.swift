/// A tokenizer, which splits text into tokens for full-text tables.
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
/// Each table has its own tokenizer, and keeps it for as long as the connection uses the table. The same text
/// must always produce the same tokens; otherwise, the index becomes useless and must be rebuilt.
///
/// A tokenizer cannot use the connection, because SQLite is in the middle of its work on an index: every attempt
/// throws ``ResultCode/misuse``. If the tokenizer throws an error, the statement throws an error with the same
/// message and code.
///
/// The corresponding C type is `fts5_tokenizer`.
public protocol FTS5Tokenizer: SendableMetatype {
  /// Adds the tokens of a text to `tokens`, in the order of the text.
  ///
  /// `text` is valid only during the call, and may not be valid UTF-8.
  func tokenize(
    _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
  ) throws
}

/// The reason for splitting a text into tokens.
///
/// A tokenizer should add synonyms either for documents or for queries. Adding them for both is wasteful.
///
/// The corresponding C values are `FTS5_TOKENIZE_*`.
public enum FTS5TokenizeReason: Hashable, Sendable, CaseIterable {
  /// A row is written to the index, or removed from it.
  case document
  /// The text is a string in a query that must match whole words.
  case query
  /// The text is a string in a query whose last token must match the beginning of words.
  case prefix
  /// An auxiliary function, such as `highlight`, locates tokens in a text.
  case auxiliary
}

/// A word as it is stored in the index, and the range of the text from which it comes.
public struct FTS5Token: Hashable, Sendable {
  /// The word as it is stored in the index.
  ///
  /// Words that must match each other must be equal, byte by byte.
  public var text: String
  /// The range of the token in the text, in UTF-8 bytes.
  public var range: Range<Int>
  /// Whether the token is a synonym for the previous token, and has the same position in phrases.
  ///
  /// The corresponding C value is `FTS5_TOKEN_COLOCATED`.
  public var isColocated: Bool

  /// Creates a token at a range of the text, in UTF-8 bytes.
  public init(_ text: String, at range: Range<Int>, isColocated: Bool = false) {
    self.text = text
    self.range = range
    self.isColocated = isColocated
  }

  /// Creates a token from `part`, which is a substring of the text.
  ///
  /// ```swift
  /// try connection.addTokenizer("lines") { text in
  ///   text.split(separator: "\n").map { FTS5Token($0.lowercased(), at: $0) }
  /// }
  /// ```
  public init(_ text: String, at part: Substring, isColocated: Bool = false) {
    let start = part.base.utf8.distance(from: part.base.startIndex, to: part.startIndex)
    self.init(text, at: start..<start + part.utf8.count, isColocated: isColocated)
  }
}

/// A type that changes, adds or removes the tokens of another tokenizer.
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
/// Apart from receiving tokens instead of a whole text, a filter behaves like an ``FTS5Tokenizer``.
public protocol FTS5TokenFilter: SendableMetatype {
  /// The name of the base tokenizer, followed by its arguments.
  ///
  /// The base tokenizer is `unicode61`, `ascii`, `porter`, `trigram`, or any other tokenizer of the connection.
  /// This property is read once, after the filter of a table has been created.
  var base: [String] { get }

  /// Adds a token of the base tokenizer to `tokens`, or replaces it with any number of other tokens.
  ///
  /// `text` is valid only during the call, and may not be valid UTF-8.
  func filter(
    _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
    into tokens: borrowing FTS5TokenSink
  ) throws
}

/// Tokenizers for full-text search, which require ``SQLiteCapability/fts5``.
extension Connection {
  /// Adds a tokenizer for full-text tables, as in `tokenize = 'name argument'`.
  ///
  /// ```swift
  /// try connection.addTokenizer("segments") { arguments in
  ///   try Segments(language: arguments.first ?? "en")
  /// }
  /// ```
  ///
  /// `make` creates the tokenizer of each table from the arguments after the tokenizer's name. If `make` throws
  /// an error, the statement that creates or first uses the table throws that error.
  ///
  /// A database with such a table requires the tokenizer. Without it, statements that use the table throw
  /// SQLite's error "no such tokenizer".
  ///
  /// A tokenizer with the same name is replaced, but a table in use keeps its tokenizer. Throws
  /// ``ResultCode/misuse`` if SQLite or an extension has a tokenizer with this name. The connection retains
  /// `make` until it is replaced or removed, or the connection closes.
  ///
  /// The corresponding C function is `fts5_api.xCreateTokenizer`.
  public func addTokenizer<Tokenizer: FTS5Tokenizer>(
    _ name: String, _ make: @escaping (_ arguments: [String]) throws -> Tokenizer
  ) throws {
    try setTokenizer(name) { WholeTokenizer(tokenizer: try make($0)) }
  }

  /// Adds a tokenizer for full-text tables that filters the tokens of another tokenizer.
  ///
  /// `make` creates the filter of each table from the arguments after the tokenizer's name. In all other
  /// respects, this method behaves like the one for tokenizers.
  ///
  /// The corresponding C functions are `fts5_api.xCreateTokenizer` and `xFindTokenizer`.
  public func addTokenizer<Filter: FTS5TokenFilter>(
    _ name: String, _ make: @escaping (_ arguments: [String]) throws -> Filter
  ) throws {
    let registry = try fullTextRegistry()
    // The registry retains this closure, so the closure must not retain the registry.
    try setTokenizer(name) { [state, unowned registry] arguments in
      let filter = try make(arguments)
      return try FilteredTokenizer(
        filter: filter, base: KnownTokenizer(filter.base, registry, state))
    }
  }

  /// Adds a closure as a tokenizer for full-text tables, which receives the text as a string.
  ///
  /// ```swift
  /// try connection.addTokenizer("words") { text in
  ///   text.split(separator: " ").map { FTS5Token($0.lowercased(), at: $0) }
  /// }
  /// ```
  ///
  /// In the string, U+FFFD replaces bytes that are not UTF-8; the tokens keep their ranges in the original text.
  /// A NUL in the text is also passed to `tokens`. A token that contains NUL throws ``ResultCode/misuse``, so
  /// split the text at each NUL.
  public func addTokenizer(
    _ name: String, _ tokens: @escaping (_ text: String) throws -> [FTS5Token]
  ) throws {
    try setTokenizer(name) { arguments in
      guard arguments.isEmpty else {
        throw SQLiteError(.error, "The tokenizer \(name) takes no arguments")
      }
      return StringTokenizer(tokens: tokens)
    }
  }

  /// Removes a tokenizer, and releases the closure that creates it.
  ///
  /// A table in use keeps its tokenizer. No other table that needs the tokenizer can be used anymore.
  public func removeTokenizer(_ name: String) throws {
    let slot = try fullTextRegistry().tokenizer(name, isNew: false, state)
    guard let slot, slot.content != nil else {
      throw SQLiteError(.notFound, "No tokenizer named \(name) has been added")
    }
    slot.replace(by: nil)
    state.settle()
  }

  private func setTokenizer(
    _ name: String, _ make: @escaping (_ arguments: [String]) throws -> any TokenSource
  ) throws {
    defer { state.settle() }
    try fullTextRegistry().tokenizer(name, isNew: true, state)?
      .replace(by: TokenizerMaker(make: make))
  }
}
