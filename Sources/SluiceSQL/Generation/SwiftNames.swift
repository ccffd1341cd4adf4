import Sluice

extension String {
  /// The property name for a column with this name; nil if no valid name results.
  var propertyLabel: String? {
    let name = KeyStrategy.snakeCase.property(self)
    guard name.isSwiftName, !Self.refused.contains(name), name.contains(where: { $0 != "_" }) else {
      return nil
    }
    return name
  }

  /// The argument name for a parameter with this name; nil if no valid name results.
  var parameterLabel: String? {
    let name = KeyStrategy.snakeCase.property(self)
    guard name.isSwiftName, !Self.refusedParameters.contains(name),
      name.contains(where: { $0 != "_" })
    else { return nil }
    return name
  }

  /// The name with an uppercase first letter.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The name as written in Swift, in backticks if necessary.
  var escaped: String { Self.keywords.contains(self) ? "`\(self)`" : self }

  /// Names that no property can have.
  private static let refused: Set<String> = [
    "self", "Self", "Type", "Protocol", "init", "inout",
    // The generated struct uses the types with these names.
    "CodingKeys", "ColumnValueConverter", "RowConverter",
  ]

  /// Names that no parameter can have, or that the generated function uses.
  private static let refusedParameters: Set<String> = [
    "self", "Self", "inout", "ColumnValueConverter", "SQLParameter", "SQLiteError", "Statements",
  ]

  private static let keywords: Set<String> = [
    "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
    "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is",
    "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws",
    "true", "try", "typealias", "var", "where", "while", "actor", "Type", "Protocol",
  ]
}

extension TypeText {
  /// The type as written in Swift.
  package var swift: String { isOptional ? "\(name)?" : name }
}
