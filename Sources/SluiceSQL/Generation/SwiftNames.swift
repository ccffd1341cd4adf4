import Sluice

extension String {
  /// The property name for a column with this name, or nil if there is none.
  var propertyLabel: String? {
    let name = KeyStrategy.snakeCase.property(self)
    guard name.isSwiftName, !Self.refused.contains(name), name.contains(where: { $0 != "_" }) else {
      return nil
    }
    return name
  }

  /// The argument name for a parameter with this name, or nil if there is none.
  var parameterLabel: String? {
    let name = KeyStrategy.snakeCase.property(self)
    guard name.isSwiftName, !Self.refusedParameters.contains(name),
      name.contains(where: { $0 != "_" })
    else { return nil }
    return name
  }

  /// The name with an uppercase first letter.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The name as written in Swift.
  var escaped: String { Self.keywords.contains(self) ? "`\(self)`" : self }

  /// Names that have another meaning as members, in any context.
  private static let refused: Set<String> = [
    "self", "Self", "Type", "Protocol", "init", "inout",
    // The struct needs the types with these names.
    "CodingKeys", "ColumnValueConverter", "RowConverter",
  ]

  /// Names that no value can have, or that the function needs.
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
