import Sluice

/// The number of lines and files in one language.
struct LanguageSummary: Equatable, Sendable {
  let language: String
  let lines: Int
  let files: Int
  /// The median number of these lines in a file.
  let median: Int
}

extension Connection {
  /// Returns a summary of all indexed files by language.
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

  /// Returns a summary of the matching lines by language.
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
