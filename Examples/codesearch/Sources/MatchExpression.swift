import Sluice

/// A search for phrases; the last word of each phrase also matches the beginning of a longer word.
struct MatchExpression: Hashable, Sendable {
  /// The pattern for the right side of `MATCH`.
  let pattern: FTS5Pattern
  /// The words as the user entered them, for the SQL function `mentions`.
  let words: String

  /// Creates a search in which each argument is a phrase; nil if there are no arguments.
  init?(words: [String]) {
    guard !words.isEmpty else { return nil }
    pattern = .all(words.map { .prefix($0) })
    self.words = words.joined(separator: " ")
  }
}
