import CSluice

/// Words in the index that are similar to another word.
extension FTS5Table {
  /// Returns words in the index that are similar to a word, for "Did you mean …?".
  ///
  /// ```swift
  /// let words = try index.suggestions(for: "exmaple", limit: 3)
  /// print(words)  // ["example", "examples"]
  /// ```
  ///
  /// Two words are similar if at most two edits turn one into the other; for a word of up to four letters, only
  /// one edit is allowed. An edit inserts, deletes or replaces a Unicode scalar, or swaps two neighbors. The first
  /// letter must be correct, or swapped with the second. The words with the fewest edits come first. Among words
  /// with the same number of edits, those that occur in the most rows come first.
  ///
  /// The table's tokenizer processes `word` first, so the usual tokenizers ignore case, and `unicode61` also
  /// ignores accents. The suggestions are words as the tokenizer produced them; `porter` produces stems. The word
  /// itself is not suggested. If the tokenizer does not find exactly one word in the text, there are no
  /// suggestions.
  ///
  /// The method reads the words that begin with one of the first two letters, each with its list of rows. For an
  /// index of 200,000 words in 50,000 rows, this takes tens of milliseconds. At most 100,000 words are read for
  /// each of the letters.
  ///
  /// The method works even on read-only connections and in read accesses, because it creates its table of words
  /// in the database `temp`, and drops the table before it returns. Inside a transaction, `temp` counts as
  /// written until the transaction ends.
  ///
  /// - Parameters:
  ///   - word: Any text.
  ///   - limit: The maximum number of suggestions.
  /// - Returns: The similar words, the most similar first.
  /// - Throws: ``ResultCode/range`` if `limit` is negative.
  ///
  /// The corresponding SQL is `CREATE VIRTUAL TABLE … USING fts5vocab`.
  public func suggestions(for word: String, limit: Int = 5) throws -> [String] {
    guard limit >= 0 else {
      throw SQLiteError(.range, "The limit must not be negative (got \(limit))")
    }
    let schema = try foundSchema()
    guard let word = try normalized(word, schema), limit > 0 else { return [] }
    let scalars = Array(word.unicodeScalars)
    var distance = WordDistance(from: scalars, limit: scalars.count <= 4 ? 1 : 2)
    var found: [(word: String, distance: Int, rows: Int64)] = []
    try withVocabulary(schema) {
      let statement = try connection.prepare(
        sql: """
          SELECT term, doc FROM temp.\(Self.vocabulary)
          WHERE term >= ?1 AND term <= ?1 || char(0x10FFFF) LIMIT 100000
          """)
      for first in Set(scalars.prefix(2)) {
        try statement.bind(String(first)).forEachRow { row in
          let term = try row.text(at: 0)
          guard let edits = distance.distance(to: term.unicodeScalars), edits > 0 else { return }
          found.append((term, edits, try row.get(.int64, at: 1)))
        }
      }
    }
    found.sort { ($0.distance, $1.rows, $0.word) < ($1.distance, $0.rows, $1.word) }
    return found.prefix(limit).map(\.word)
  }

  private static var vocabulary: String { "sluice_vocabulary" }
  private static var normalizer: String { "sluice_single_word" }

  /// Returns the only word that the tokenizer finds in a text; nil if it finds no word, or several.
  ///
  /// FTS5 provides a table's tokenizer only for a row of the table. If the table is empty, the result is nil.
  private func normalized(_ text: String, _ schema: String) throws -> String? {
    let slot = try connection.fullTextRegistry().function(
      Self.normalizer, isNew: true, connection.state)
    if slot?.content == nil {
      slot?.replace(
        by: FullTextFunction { context in
          var words: [String] = []
          try context.tokenize(context.arguments.text(at: 0)) { token in
            if !token.isColocated { words.append(token.text) }
          }
          return words.count == 1 ? .text(words[0]) : .null
        })
    }
    let found = try connection.first(
      .column(.optional(.string)),
      """
      SELECT \(raw: Self.normalizer)(\(identifier: name), \(text))
      FROM \(identifier: schema).\(identifier: name) LIMIT 1
      """)
    return found ?? nil
  }

  /// Runs `body` while a temporary table with the words of the index exists.
  private func withVocabulary(_ schema: String, _ body: () throws -> Void) throws {
    // With `query_only`, not even temporary tables can be created.
    let isProtected = try connection.pragma(.queryOnly)
    guard isProtected else { return try withWritableVocabulary(schema, body) }
    try connection.setPragma(.queryOnly, to: false)
    let result = Result { try withWritableVocabulary(schema, body) }
    // A failure must not leave the connection writable without notice.
    let end = Result {
      try connection.cleaningUp { try connection.setPragma(.queryOnly, to: true) }
    }
    try result.get()
    try end.get()
  }

  private func withWritableVocabulary(_ schema: String, _ body: () throws -> Void) throws {
    try run(
      """
      CREATE VIRTUAL TABLE temp.\(Self.vocabulary)
      USING fts5vocab(\(schema.quoted("'")), \(name.quoted("'")), 'row')
      """)
    let result = Result { try body() }
    let end = Result {
      try connection.cleaningUp { try run("DROP TABLE temp.\(Self.vocabulary)") }
    }
    connection.state.settle()
    try result.get()
    try end.get()
  }

  /// Executes SQL on objects that exist only during this call, without notifying observers.
  private func run(_ sql: String) throws {
    func run() throws {
      try unsafe connection.callSQLite(sql: sql) { handle in
        unsafe sqlite3_exec(handle, sql, nil, nil, nil)
      }
    }
    guard let tracker = connection.state.tracker else { return try run() }
    try tracker.collecting(for: StatementAccess(), run)
  }
}
