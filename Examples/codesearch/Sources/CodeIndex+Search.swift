import Sluice

/// A matching line.
struct Hit: Equatable, Sendable {
  let path: String
  /// The number of the line, counted from 1.
  let line: Int
  /// The line, or the best-matching excerpt of a long line, with marks around the matches.
  let text: String

  /// The mark before a match.
  ///
  /// Both marks are from the end of Unicode's private use areas, so almost no text contains them.
  static let start: Unicode.Scalar = "\u{10FFF0}"
  /// The mark after a match.
  static let end: Unicode.Scalar = "\u{10FFF1}"
}

/// The results of a search; without search words, a summary of the index.
struct SearchResults: Equatable, Sendable {
  /// The search; nil if there are no search words.
  let query: MatchExpression?
  /// The best matching lines, best match first.
  let hits: [Hit]
  /// A summary of all matching lines, or of the whole index, by language.
  let languages: [LanguageSummary]
}

extension CodeIndex {
  /// Searches the index.
  ///
  /// All queries run in one read transaction, so their results are consistent.
  func search(_ query: MatchExpression?, limit: Int) async throws -> SearchResults {
    try await reader.readTransaction { connection in try connection.results(query, limit: limit) }
  }
}

extension Connection {
  /// Returns the best matches, and a summary of all matches by language.
  func results(_ query: MatchExpression?, limit: Int) throws -> SearchResults {
    guard let query else { return SearchResults(query: nil, hits: [], languages: try languages()) }
    return SearchResults(
      query: query, hits: try hits(query, limit: limit), languages: try languages(matching: query))
  }

  /// Returns the best matching lines, with marks around the matches.
  ///
  /// The SQL selects the best lines before it highlights matches, because highlighting takes much longer. The
  /// cross join prevents SQLite from repeating the match for each line.
  ///
  /// The FTS5 rank is negative; a lower rank is a better match.
  fileprivate func hits(_ query: MatchExpression, limit: Int) throws -> [Hit] {
    let sql = """
      WITH best AS MATERIALIZED (
        SELECT line.id, path, number, bm25(line_text) * (1 + mentions(path, :words)) AS score
        FROM line_text
        JOIN line ON line.id = line_text.rowid
        JOIN file ON file.id = line.file
        WHERE line_text MATCH :match
        ORDER BY score, path COLLATE by_number, number
        LIMIT :limit
      )
      SELECT path, number,
        CASE WHEN length(line_text.text) <= 160
          THEN highlight(line_text, 0, :start, :end)
          ELSE snippet(line_text, 0, :start, :end, '…', 16)
        END AS text
      FROM line_text CROSS JOIN best ON best.id = line_text.rowid
      WHERE line_text MATCH :match
      ORDER BY score, path COLLATE by_number, number
      """
    let parameters: SQLParameters = [
      "match": .pattern(query.pattern), "words": query.words, "limit": limit,
      "start": String(Hit.start), "end": String(Hit.end),
    ]
    return try self.query(.hit, sql: sql, parameters: parameters)
  }
}

extension RowConverter where Value == Hit {
  fileprivate static var hit: Self {
    Self { row in
      try Hit(
        path: row.get(.string, named: "path"), line: row.get(.int, named: "number"),
        text: row.get(.string, named: "text"))
    }
  }
}
