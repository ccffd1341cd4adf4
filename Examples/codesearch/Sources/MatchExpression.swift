import Sluice

/// A search: each argument is a phrase, and its last word may be the beginning of a longer one.
struct MatchExpression: Hashable, Sendable {
  /// The expression, for the right side of `MATCH`.
  let pattern: FTS5Pattern
  /// The words as they were given, for the function `mentions`.
  let words: String

  /// Is nil if there are no words.
  init?(words: [String]) {
    guard !words.isEmpty else { return nil }
    pattern = .all(words.map { .prefix($0) })
    self.words = words.joined(separator: " ")
  }
}
