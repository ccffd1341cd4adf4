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

/// A word as the index has it, and the place in the text that it was made of.
public struct FTS5Token: Hashable, Sendable {
  /// The word.
  ///
  /// Those that are to be found by each other have to be the same, byte by byte.
  public var text: String
  /// Where it stands in the text, in bytes of UTF-8.
  public var range: Range<Int>
  /// Whether it is another word for the token before it, and has the same place in phrases.
  ///
  /// The corresponding C value is `FTS5_TOKEN_COLOCATED`.
  public var isColocated: Bool

  /// A token that stands at `range` of the text, in bytes of UTF-8.
  public init(_ text: String, at range: Range<Int>, isColocated: Bool = false) {
    self.text = text
    self.range = range
    self.isColocated = isColocated
  }

  /// A token that is made of `part`, which is cut out of the text.
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

/// Tokenizers for full-text search, which need ``SQLiteCapability/fts5``.
extension Connection {
  /// Lets full-text tables split their text by a tokenizer, as in `tokenize = 'name argument'`.
  ///
  /// ```swift
  /// try connection.addTokenizer("segments") { arguments in
  ///   try Segments(language: arguments.first ?? "en")
  /// }
  /// ```
  ///
  /// `make` makes the one for each table, with what stands behind the name. What it throws is thrown by
  /// the statement that makes or first uses the table.
  ///
  /// A database that has such a table can be used only with the tokenizer: without it, statements with
  /// that table throw, with SQLite's message "no such tokenizer".
  ///
  /// One of the same name is replaced, and a table that is in use keeps the one it has. One that SQLite
  /// or an extension has by this name throws ``ResultCode/misuse``. The connection keeps `make` until it
  /// is replaced or removed, or the connection closes.
  ///
  /// The corresponding C function is `fts5_api.xCreateTokenizer`.
  public func addTokenizer<Tokenizer: FTS5Tokenizer>(
    _ name: String, _ make: @escaping (_ arguments: [String]) throws -> Tokenizer
  ) throws {
    try setTokenizer(name) { WholeTokenizer(tokenizer: try make($0)) }
  }

  /// Lets full-text tables split their text by another tokenizer, behind which stands a filter.
  ///
  /// `make` makes the one for each table, with what stands behind the name. In all else it is like a
  /// tokenizer.
  ///
  /// The corresponding C functions are `fts5_api.xCreateTokenizer` and `xFindTokenizer`.
  public func addTokenizer<Filter: FTS5TokenFilter>(
    _ name: String, _ make: @escaping (_ arguments: [String]) throws -> Filter
  ) throws {
    let registry = try fullTextRegistry()
    // What the registry has holds this closure.
    try setTokenizer(name) { [state, unowned registry] arguments in
      let filter = try make(arguments)
      return try FilteredTokenizer(
        filter: filter, base: KnownTokenizer(filter.base, registry, state))
    }
  }

  /// Lets full-text tables split their text by a closure, which gets it as a string.
  ///
  /// ```swift
  /// try connection.addTokenizer("words") { text in
  ///   text.split(separator: " ").map { FTS5Token($0.lowercased(), at: $0) }
  /// }
  /// ```
  ///
  /// In the place of what is not UTF-8 the string has U+FFFD; the tokens are where they are all the same. A
  /// NUL in the text comes to `tokens` as well, and a token with one throws ``ResultCode/misuse``: text is to be split
  /// there.
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

  /// Takes a tokenizer back, and releases what makes it.
  ///
  /// A table that is in use keeps the one it has. For one that is not, it is missing from now on.
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
