import Sluice

/// A line that matches.
struct Hit: Equatable, Sendable {
  let path: String
  /// Counted from one.
  let line: Int
  /// The line, or the best part of a long one, with marks around what matches.
  let text: String

  /// The marks are from the end of what Unicode leaves to private use: hardly a text has them.
  static let start: Unicode.Scalar = "\u{10FFF0}"
  static let end: Unicode.Scalar = "\u{10FFF1}"
}

/// The result of a search, or the contents of the index if nothing was searched for.
struct SearchResults: Equatable, Sendable {
  /// The words of the search, or nil.
  let query: MatchExpression?
  /// The best lines, the best of them first.
  let hits: [Hit]
  /// All lines that match, by language.
  let languages: [LanguageSummary]
}

extension CodeIndex {
  /// Searches the index.
  ///
  /// Both queries run in one read transaction, so that they cannot contradict each other.
  func search(_ query: MatchExpression?, limit: Int) async throws -> SearchResults {
    try await reader.readTransaction { connection in try connection.results(query, limit: limit) }
  }
}

extension Connection {
  /// Searches the index.
  func results(_ query: MatchExpression?, limit: Int) throws -> SearchResults {
    guard let query else { return SearchResults(query: nil, hits: [], languages: try languages()) }
    return SearchResults(
      query: query, hits: try hits(query, limit: limit), languages: try languages(matching: query))
  }

  /// The best lines are chosen before any of them is highlighted, which takes much longer.
  ///
  /// The cross join keeps SQLite from matching anew for each of them.
  ///
  /// The rank of FTS5 is below zero, and the better the lower.
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
