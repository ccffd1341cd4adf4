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
    state.drainOutside()
  }

  private func setTokenizer(
    _ name: String, _ make: @escaping (_ arguments: [String]) throws -> any TokenSource
  ) throws {
    defer { state.drainOutside() }
    try fullTextRegistry().tokenizer(name, isNew: true, state)?
      .replace(by: TokenizerMaker(make: make))
  }
}
