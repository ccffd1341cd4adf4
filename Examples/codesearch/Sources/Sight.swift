import Sluice

/// The state of the index that a reader sees during an update.
struct Sight: Sendable {
  /// The number of searchable lines.
  let lines: Int
  /// The number of matching lines; nil if there are no search words.
  let matches: Int?
}

extension CodeIndex {
  /// Returns the state that the reader sees, without waiting for the writer.
  func sight(of query: MatchExpression?) async throws -> Sight {
    try await reader.readTransaction { connection in
      let lines = try connection.first(.column(.int), sql: "SELECT total(lines) FROM file")
      let matches = try query.flatMap { query in
        try connection.first(
          .column(.int), sql: "SELECT count(*) FROM line_text WHERE line_text MATCH ?",
          parameters: .pattern(query.pattern))
      }
      return Sight(lines: lines ?? 0, matches: matches)
    }
  }
}

extension Sight: CustomStringConvertible {
  var description: String {
    let lines = "\(count(self.lines, "line")) searchable"
    return matches.map { "\(lines), \($0) matching" } ?? lines
  }
}
