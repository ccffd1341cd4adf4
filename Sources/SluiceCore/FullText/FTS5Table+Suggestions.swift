import CSluice

/// Words of the index that are similar to another word.
extension FTS5Table {
  /// Returns words of the index that are similar to a word, for "Did you mean …?".
  ///
  /// ```swift
  /// let words = try index.suggestions(for: "exmaple", limit: 3)
  /// print(words)  // ["example", "examples"]
  /// ```
  ///
  /// Two words are similar if at most two edits turn one into the other, or one edit for a word of up to four
  /// letters. An edit inserts, deletes or replaces a Unicode scalar, or swaps two neighbors. The first letter
  /// must be right, or be swapped with the second. The words with the fewest edits come first, and of those the
  /// words that occur in the most rows.
  ///
  /// The tokenizer of the table processes `word` first, so case, and for `unicode61` accents, do not matter. The
  /// suggestions are words as the tokenizer produced them; those of `porter` are stems. The word itself is not
  /// suggested. A text that the tokenizer does not turn into exactly one word has no suggestions.
  ///
  /// The method reads the words that begin with one of the first two letters, each with its list of rows. For an
  /// index of 200,000 words in 50,000 rows, this takes tens of milliseconds. At most 100,000 words are read for
  /// each of the letters.
  ///
  /// The method works on read-only connections and in read accesses too, because it creates its table of words
  /// in the database `temp`, and drops the table before it returns. Inside a transaction, `temp` counts as
  /// written until the transaction ends.
  ///
  /// - Parameters:
  ///   - word: Any text.
  ///   - limit: The greatest number of suggestions.
  /// - Returns: The similar words, the best first.
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

  /// Returns the only word that the tokenizer finds in a text; nil if there is another number of words.
  ///
  /// FTS5 offers the tokenizer of a table only for a row of the table. Without a row there are no suggestions.
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

  /// Runs `body` while a temporary table of the words exists.
  private func withVocabulary(_ schema: String, _ body: () throws -> Void) throws {
    // With `query_only`, not even temporary tables can be created.
    let isProtected = try connection.pragma(.queryOnly)
    if isProtected { try connection.setPragma(.queryOnly, to: false) }
    defer { if isProtected { try? connection.setPragma(.queryOnly, to: true) } }
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

  /// Executes SQL that changes nothing outside of this call, so that no observer has to know.
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
