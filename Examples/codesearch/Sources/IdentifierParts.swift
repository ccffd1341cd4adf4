import Sluice

/// A token filter that also finds identifiers by their parts: `parseHTTP` and `parse_http` by `parse` or `http`.
///
/// The first of several parts also stands for the whole identifier as one word: `parsehttp`.
struct IdentifierParts: FTS5TokenFilter {
  /// The tokenizer that finds the identifiers, and that treats `_` as part of an identifier.
  let base: [String]

  func filter(
    _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
    into tokens: borrowing FTS5TokenSink
  ) throws {
    let parts = Self.parts(of: token, in: text)
    for (index, part) in parts.enumerated() {
      try tokens.add(part)
      // A query for an identifier needs no whole word: it becomes a sequence of parts, which are also indexed.
      guard index == 0, parts.count > 1, reason == .document || reason == .auxiliary else {
        continue
      }
      let whole = parts.map(\.text).joined()
      try tokens.add(whole, at: token.range, isColocated: true)
    }
  }

  /// Returns the parts of an identifier, in lower case like the token, each with its position.
  private static func parts(of token: FTS5Token, in text: Span<UInt8>) -> [FTS5Token] {
    let original = token.range.map { text[$0] }
    let folded = Array(token.text.utf8)
    // A letter without its accent has fewer bytes. Only underscores then separate parts.
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

  /// Returns the words of a piece, each of which begins with a capital: `HTTP` and `Server2` for `HTTPServer2`.
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
