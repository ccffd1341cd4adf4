import Sluice

extension SourceText {
  /// Returns a diagnostic for an unclosed comment; nil if there is none.
  func unclosedComment(behind tokens: [SQLToken]) -> Diagnostic? {
    // Only a comment after the last token can be unclosed.
    var rest = Array(text.utf8)[(tokens.last?.range.upperBound ?? 0)...]
    while !rest.isEmpty {
      if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        guard let end = rest.dropFirst(2).firstRange(of: "*/".utf8) else {
          return Diagnostic("the comment is not closed", at: rest.startIndex, in: self)
        }
        rest = rest[end.upperBound...]
      } else {
        rest = rest.dropFirst()
      }
    }
    return nil
  }
}
