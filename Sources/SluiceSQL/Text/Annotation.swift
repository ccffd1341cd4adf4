/// A comment line `-- @word text` above a query, or in the declarations file.
struct Annotation: Hashable, Sendable {
  enum Word: String, Hashable, Sendable, CaseIterable {
    case query, param, column, row, embed, children, warn, allow
    case type, function, aggregate, collation, tokenizer, `import`, access, diagram
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
    let (name, value, offset) = QueryText.Placed(value: text, offset: textOffset)
      .halves(before: ":")
    return (name, value, offset)
  }
}
