import Sluice

/// A token filter that splits identifiers, so that `parse` or `http` finds both `parseHTTP` and `parse_http`.
///
/// If an identifier has several parts, the whole identifier is also indexed as one word: `parsehttp`.
struct IdentifierParts: FTS5TokenFilter {
  /// The base tokenizer, which treats `_` as part of an identifier.
  let base: [String]

  func filter(
    _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
    into tokens: borrowing FTS5TokenSink
  ) throws {
    let parts = Self.parts(of: token, in: text)
    for (index, part) in parts.enumerated() {
      try tokens.add(part)
      // A query for an identifier becomes a sequence of its parts, which are indexed, so it needs no whole word.
      guard index == 0, parts.count > 1, reason == .document || reason == .auxiliary else {
        continue
      }
      let whole = parts.map(\.text).joined()
      try tokens.add(whole, at: token.range, isColocated: true)
    }
  }

  /// Returns the parts of an identifier, in lower case like the token, each with its range.
  private static func parts(of token: FTS5Token, in text: Span<UInt8>) -> [FTS5Token] {
    let original = token.range.map { text[$0] }
    let folded = Array(token.text.utf8)
    // If an accent was removed, the bytes no longer correspond, so split the identifier only at underscores.
    let isAligned = original.count == folded.count
    let places = pieces(of: original)
    return zip(places, pieces(of: folded)).flatMap { place, piece in
      let words =
        isAligned ? camelWords(in: original, place) : [place]
      return words.map { word in
        FTS5Token(
          String(decoding: folded[isAligned ? word : piece], as: UTF8.self),
          at: token.range.lowerBound + word.lowerBound..<token.range.lowerBound + word.upperBound)
      }
    }
  }

  /// Returns the parts between underscores.
  private static func pieces(of identifier: [UInt8]) -> [Range<Int>] {
    identifier.split(separator: UInt8(ascii: "_")).map { $0.startIndex..<$0.endIndex }
  }

  /// Returns the words in a part, each of which begins with a capital: `HTTP` and `Server2` for `HTTPServer2`.
  private static func camelWords(in identifier: [UInt8], _ piece: Range<Int>) -> [Range<Int>] {
    var words: [Range<Int>] = []
    var start = piece.lowerBound
    for index in piece.dropFirst() where isCapital(identifier[index]) {
      let next = index + 1 < piece.upperBound ? identifier[index + 1] : 0
      let isInside = isCapital(identifier[index - 1]) && !isSmall(next)
      guard !isInside else { continue }
      words.append(start..<index)
      start = index
    }
    return words + [start..<piece.upperBound]
  }

  private static func isCapital(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static func isSmall(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}
