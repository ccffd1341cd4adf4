/// What to search for, in the language of FTS5.
///
/// Each argument becomes a string of that language, in which nothing but the quote is special: no
/// input can be a syntax error, or mean an operator. The star lets the last word of a string also
/// be the beginning of a longer word.
struct MatchExpression: Hashable, Sendable {
  /// The expression, for the right side of `MATCH`.
  let text: String
  /// The words as they were given, for the function `mentions`.
  let words: String

  /// Is nil if there are no words.
  init?(words: [String]) {
    guard !words.isEmpty else { return nil }
    text = words.map { "\(Self.quoted($0)) *" }.joined(separator: " AND ")
    self.words = words.joined(separator: " ")
  }

  /// Scalars are looked at, not characters: a quote and an accent that follows it are one of those.
  private static func quoted(_ word: String) -> String {
    "\"" + word.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
  }
}
