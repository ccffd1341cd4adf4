extension SchemaDiagram {
  /// The diagram as Mermaid source, which many Markdown renderers draw.
  ///
  /// Mermaid restricts the names and types of columns to letters, digits and a few signs. Other characters become
  /// underscores, and a comment beside the column contains its real name and type.
  public var mermaid: String {
    let entities = tables.map { table in
      let columns = table.columns.map { "    \($0.mermaid)\n" }.joined()
      return "  \(table.name.quotedForMermaid) {\n\(columns)  }\n"
    }
    let lines = places().map { reference, table, referenced in
      let parent = reference.isOptional ? "|o" : "||"
      let child = reference.isUnique ? "o|" : "o{"
      let label = reference.columns.joined(separator: ", ")
      return "  \(tables[referenced].name.quotedForMermaid) \(parent)--\(child) "
        + "\(tables[table].name.quotedForMermaid) : \(label.quotedForMermaid)\n"
    }
    return "erDiagram\n" + entities.joined() + lines.joined()
  }
}

extension SchemaDiagram.Column {
  fileprivate var mermaid: String {
    let keys = marks.map { $0 == "U" ? "UK" : $0 }.joined(separator: ", ")
    let words = [(type ?? "any").mermaidWord, name.mermaidWord]
    var notes: [String] = []
    if words[1] != name { notes.append(name) }
    if let type, words[0] != type { notes.append(type) }
    if isNotNull == true, !isPrimaryKey { notes.append("NOT NULL") }
    let note = notes.isEmpty ? "" : notes.joined(separator: ", ").quotedForMermaid
    return (words + [keys, note]).filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension String {
  /// The text in double quotes, with entity codes for the characters that have a meaning in Mermaid.
  fileprivate var quotedForMermaid: String {
    var result = "\""
    for scalar in visible.shortened(to: 200).unicodeScalars {
      switch scalar {
      case "\"", "%", "\\", "#", ";", ":", "<", ">", "&", "`", "{", "}":
        result += "#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    // A line that contains `direction LR` sets the direction of the diagram, even inside quotes.
    if result.lowercased().contains("direction") { result = result.replacing(" ", with: "#32;") }
    // Mermaid requires at least one character.
    return (result == "\"" ? "\"#32;" : result) + "\""
  }

  /// The text as a word that Mermaid accepts as the type or name of a column.
  fileprivate var mermaidWord: String {
    var word = String.UnicodeScalarView()
    for scalar in shortened(to: 60).unicodeScalars {
      let isPlain = scalar.isWordCharacter || "()[]-".unicodeScalars.contains(scalar)
      word.append(isPlain || scalar.value >= 0xc0 && scalar.properties.isAlphabetic ? scalar : "_")
    }
    let isKey =
      ["pk", "fk", "uk"].contains(String(word.prefix(2)).lowercased())
      && word.dropFirst(2).first?.isWordCharacter != true
    let isStart = word.first.map { $0 == "_" || $0.properties.isAlphabetic } ?? false
    // A word that begins like a key mark would be read as one.
    return isKey || !isStart ? "_" + String(word) : String(word)
  }
}

extension Unicode.Scalar {
  fileprivate var isWordCharacter: Bool {
    isASCII && (properties.isAlphabetic || (48...57).contains(value) || self == "_")
  }
}
