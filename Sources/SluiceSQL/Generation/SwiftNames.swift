import Sluice

extension String {
  /// The name of a property for a column, or nil if it cannot have one.
  var propertyLabel: String? {
    let name = KeyStrategy.snakeCase.property(self)
    guard name.isSwiftName, !Self.refused.contains(name), name.contains(where: { $0 != "_" }) else {
      return nil
    }
    return name
  }

  /// The name of an argument for a parameter, or nil if it cannot have one.
  var parameterLabel: String? {
    let name = KeyStrategy.snakeCase.property(self)
    guard name.isSwiftName, !Self.refusedParameters.contains(name),
      name.contains(where: { $0 != "_" })
    else { return nil }
    return name
  }

  /// The name with a capital at its beginning.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The name as it stands in Swift.
  var escaped: String { Self.keywords.contains(self) ? "`\(self)`" : self }

  /// As members these mean something else, whatever stands around them.
  private static let refused: Set<String> = [
    "self", "Self", "Type", "Protocol", "init", "inout",
    // The struct needs what these are called.
    "CodingKeys", "ColumnValueConverter", "RowConverter",
  ]

  /// These are no names of values, or those of something that the function needs.
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
  /// The type as it stands in Swift.
  package var swift: String { isOptional ? "\(name)?" : name }
}
