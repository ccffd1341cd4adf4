import Sluice

/// How much there is in one language.
struct LanguageSummary: Equatable, Sendable {
  let language: String
  let lines: Int
  let files: Int
  /// How many of the lines a typical file has.
  let median: Int
}

extension Connection {
  /// Returns the languages of all indexed files.
  func languages() throws -> [LanguageSummary] {
    try query(
      .languageSummary,
      sql: """
        SELECT language(path) AS language,
          sum(lines) AS lines, count(*) AS files, median(lines) AS median
        FROM file
        WHERE skipped IS NULL
        GROUP BY 1
        ORDER BY lines DESC, 1
        """)
  }

  /// Returns the languages of the files that match.
  func languages(matching query: MatchExpression) throws -> [LanguageSummary] {
    try self.query(
      .languageSummary,
      sql: """
        WITH hit AS (
          SELECT path, count(*) AS lines
          FROM line_text
          JOIN line ON line.id = line_text.rowid
          JOIN file ON file.id = line.file
          WHERE line_text MATCH ?
          GROUP BY file.id
        )
        SELECT language(path) AS language,
          sum(lines) AS lines, count(*) AS files, median(lines) AS median
        FROM hit
        GROUP BY 1
        ORDER BY lines DESC, 1
        """,
      parameters: .pattern(query.pattern))
  }
}

extension RowConverter where Value == LanguageSummary {
  fileprivate static var languageSummary: Self {
    Self { row in
      try LanguageSummary(
        language: row.get(.string, named: "language"), lines: row.get(.int, named: "lines"),
        files: row.get(.int, named: "files"), median: row.get(.int, named: "median"))
    }
  }
}
