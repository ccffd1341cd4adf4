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

  /// Returns the words with each misspelled one replaced; nil if no word has a replacement.
  func correction(of words: String) throws -> String? {
    let index = try fullText(Schema.index)
    let words = words.split(whereSeparator: \.isWhitespace).prefix(8).map(String.init)
    let corrected = try words.map { word in
      let isKnown = try !search(.allWords(word, prefixes: .last), limit: 1).isEmpty
      return isKnown ? word : try index.suggestions(for: word, limit: 1).first ?? word
    }
    return corrected == words ? nil : corrected.joined(separator: " ")
  }
}
