import Sluice

/// The contents of an index, independent of the order in which they were written.
struct IndexDump: Equatable {
  let files: [RowValues]
  let lines: [RowValues]

  init(of path: String) throws {
    let connection = try Connection(path: path, readOnly: true)
    files = try connection.query(
      .values, sql: "SELECT path, size, modified, lines, skipped FROM file ORDER BY path")
    lines = try connection.query(
      .values,
      sql: """
        SELECT path, number, text FROM line JOIN file ON file.id = line.file
        ORDER BY path, number
        """)
  }

  /// Returns the damage that SQLite reports for the index at `path`.
  ///
  /// - Throws: An error if the full-text index is damaged or does not match the lines.
  static func problems(of path: String) throws -> [String] {
    let connection = try Connection(path: path, create: false)
    try connection.addTokenizer("identifiers") { arguments in IdentifierParts(base: arguments) }
    try connection.fullText("line_text").checkIntegrity()
    let broken = try connection.query(.values, sql: "PRAGMA foreign_key_check")
    return try connection.query(.column(.string), sql: "PRAGMA integrity_check")
      .filter { $0 != "ok" } + broken.map(\.description)
  }
}
