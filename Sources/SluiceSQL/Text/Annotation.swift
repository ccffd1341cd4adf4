/// A comment line `-- @word text` above a query, or in the declarations file.
struct Annotation: Hashable, Sendable {
  enum Word: String, Hashable, Sendable, CaseIterable {
    case query, param, column, row, embed, children, warn, allow
    case type, function, aggregate, collation, tokenizer, `import`, access
  }

  let word: Word
  /// The byte offset of the `@`.
  let offset: Int
  /// The text after the word, without surrounding blanks.
  let text: String
  /// The byte offset of the text.
  let textOffset: Int
}

extension Annotation {
  /// The text before the first colon, and the text after it; the latter is nil if there is no colon.
  var parts: (name: String, value: String?, valueOffset: Int) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return (text, nil, textOffset + text.utf8.count)
    }
    let rest = text[text.index(after: colon)...]
    let value = rest.trimmed
    let blanks = rest.utf8.prefix { $0 == 0x20 || $0 == 0x09 }.count
    let before = text.utf8.distance(from: text.utf8.startIndex, to: colon)
    return (text[..<colon].trimmed, value, textOffset + before + 1 + blanks)
  }
}

extension StringProtocol {
  /// The text without surrounding blanks.
  var trimmed: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
    var text = Substring(self).drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(text)
  }
}
