import Foundation
import Sluice

/// Searches in the full-text index, which no query file can contain, because Swift code creates the index.
extension Connection {
  func search(_ pattern: FTS5Pattern, limit: Int) throws -> [SearchHit] {
    let index = try fullText(Schema.index)
    return try query(
      .decoding(SearchHit.self),
      """
      SELECT rowid AS id, title, \(index.snippet(from: "[", to: "]")) AS excerpt
      FROM note_index WHERE note_index MATCH \(pattern)
      ORDER BY \(index.bm25(weights: ["title": 10])) LIMIT \(limit)
      """)
  }

  /// Returns the words with each misspelled one of the first eight replaced; nil if no word has a replacement.
  func correction(of words: String) throws -> String? {
    let index = try fullText(Schema.index)
    let words = words.split(whereSeparator: \.isWhitespace).map(String.init)
    let corrected = try words.prefix(8).map { word in
      try contains(.allWords(word, prefixes: .last))
        ? word : try index.suggestions(for: word, limit: 1).first ?? word
    }
    let answer = corrected + words.dropFirst(8)
    return answer == words ? nil : answer.joined(separator: " ")
  }

  private func contains(_ pattern: FTS5Pattern) throws -> Bool {
    let row = try first(
      .column(.int), "SELECT 1 FROM note_index WHERE note_index MATCH \(pattern) LIMIT 1")
    return row != nil
  }
}
