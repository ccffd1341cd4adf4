/// Annotations for values inside the struct of a row.
extension QueryParts {
  /// Reads `book: Book, author: Author? shared`.
  mutating func readEmbeds(_ annotation: Annotation) {
    var position = annotation.textOffset
    for part in annotation.text.split(separator: ",", omittingEmptySubsequences: false) {
      readEmbed(Placed(value: part.trimmed, offset: position + part.blanks))
      position += part.utf8.count + 1
    }
  }

  private mutating func readEmbed(_ text: Placed<String>) {
    let (name, value, offset) = text.halves(before: ":")
    guard !name.isEmpty, value?.isEmpty != true else {
      return problem(
        "@embed must have the form \"-- @embed table\" or \"-- @embed table: Type\"", text.offset)
    }
    var words = value?.split(separator: " ").map(String.init) ?? []
    let isShared = words.count == 2 && words.last == "shared"
    if isShared { words.removeLast() }
    guard let written = words.first else {
      return add(.init(name: .init(value: name, offset: text.offset), type: nil, isShared: false))
    }
    guard words.count == 1, let type = TypeText(parsing: written), type.name.isSwiftName else {
      return problem(
        "\"\(value ?? "")\" is not the name of a struct: write \"Type\", \"Type?\" or \"Type shared\"",
        offset)
    }
    add(
      .init(
        name: .init(value: name, offset: text.offset), type: .init(value: type, offset: offset),
        isShared: isShared))
  }

  private mutating func add(_ embed: QueryText.Embed) {
    refuseStruct(embed.structName, embed.place)
    let name = embed.name
    if embeds.contains(where: { $0.name.value.lowercased() == name.value.lowercased() }) {
      return problem("@embed \(name.value) is repeated", name.offset)
    }
    embeds.append(embed)
  }

  /// Reads `books: booksOf(authors: id) by author`.
  mutating func readChildren(_ annotation: Annotation) {
    let whole = Placed(value: annotation.text, offset: annotation.textOffset)
    let (name, value, offset) = whole.halves(before: ":")
    let (query, call, callOffset) = Placed(value: value ?? "", offset: offset).halves(before: "(")
    let (arguments, end, endOffset) = Placed(value: call ?? "", offset: callOffset)
      .halves(before: ")")
    let (parameter, key, keyOffset) = Placed(value: arguments, offset: callOffset)
      .halves(before: ":")
    let (word, childKey, childKeyOffset) = Placed(value: end ?? "", offset: endOffset)
      .halves(before: " ")
    guard !name.isEmpty, query.isSwiftName, !parameter.isEmpty, word == "by",
      let key, !key.isEmpty, let childKey, !childKey.isEmpty
    else {
      return problem(
        "@children must have the form \"-- @children property: query(parameter: key) by column\"",
        annotation.offset)
    }
    guard let label = name.propertyLabel, label == name else {
      return problem("\"\(name)\" cannot be the name of a property", annotation.textOffset)
    }
    children.append(
      .init(
        name: .init(value: label, offset: annotation.textOffset),
        query: .init(value: query, offset: offset),
        parameter: .init(value: parameter, offset: callOffset),
        key: .init(value: key, offset: keyOffset),
        childKey: .init(value: childKey, offset: childKeyOffset)))
  }
}
