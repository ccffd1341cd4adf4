/// A word as the index has it, and the place in the text that it was made of.
public struct FTS5Token: Hashable, Sendable {
  /// The word.
  ///
  /// Those that are to be found by each other have to be the same, byte by byte.
  public var text: String
  /// Where it stands in the text, in bytes of UTF-8.
  public var range: Range<Int>
  /// Whether it is another word for the token before it, and has the same place in phrases.
  ///
  /// The corresponding C value is `FTS5_TOKEN_COLOCATED`.
  public var isColocated: Bool

  /// A token that stands at `range` of the text, in bytes of UTF-8.
  public init(_ text: String, at range: Range<Int>, isColocated: Bool = false) {
    self.text = text
    self.range = range
    self.isColocated = isColocated
  }

  /// A token that is made of `part`, which is cut out of the text.
  ///
  /// ```swift
  /// try connection.addTokenizer("lines") { text in
  ///   text.split(separator: "\n").map { FTS5Token($0.lowercased(), at: $0) }
  /// }
  /// ```
  public init(_ text: String, at part: Substring, isColocated: Bool = false) {
    let start = part.base.utf8.distance(from: part.base.startIndex, to: part.startIndex)
    self.init(text, at: start..<start + part.utf8.count, isColocated: isColocated)
  }
}
