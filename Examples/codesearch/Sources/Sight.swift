import Sluice

/// The state of the index that a reader sees while it is being written.
struct Sight: Sendable {
  /// How many lines can be found.
  let lines: Int
  /// How many lines match, if anything is searched for.
  let matches: Int?
}

extension CodeIndex {
  /// Asks the reader, which does not wait for the writer.
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
