/// The mapping from properties to columns and parameters.
///
/// A column or parameter is looked up by the name that the strategy makes from the property's name. If there is
/// none with that name, the property's own name is used. Keys inside nested values do not change.
///
/// The names of two properties can become one, such as `userID` and `userId` in snake case. Encoding both throws an
/// `EncodingError` that names them, because one value would be lost. Decoding both reads the same column twice, and
/// loses nothing.
public struct KeyStrategy: Sendable {
  /// The closure that converts the name of a property; nil if each property keeps its own name.
  let name: (@Sendable (String) -> String)?
  /// The closure that returns the property of a column, for types that ask which properties exist.
  package let property: @Sendable (String) -> String

  /// Returns the name of the column or parameter of a property.
  package func name(of property: String) -> String { name?(property) ?? property }

  /// The strategy that uses the property's name: exactly its coding key.
  public static let asWritten = KeyStrategy(name: nil, property: { $0 })

  /// The strategy that uses snake case: `homePage` is `home_page`, and `imageURL` is `image_url`.
  public static let snakeCase = KeyStrategy(name: { $0.snakeCased }, property: { $0.camelCased })

  /// Returns a strategy that uses the name that `name` makes from the property's coding key.
  ///
  /// `property` is the inverse of `name`. Types that ask which keys exist, such as dictionaries, need it; without
  /// it, they get the names of the columns.
  public static func custom(
    _ name: @escaping @Sendable (_ property: String) -> String,
    property: @escaping @Sendable (_ name: String) -> String = { $0 }
  ) -> KeyStrategy {
    KeyStrategy(name: name, property: property)
  }
}

extension String {
  /// The string in snake case.
  ///
  /// Each capital begins a word. Several capitals in a row form one word, up to the capital that begins the next
  /// word.
  fileprivate var snakeCased: String {
    let characters = Array(self)
    var result = ""
    for (index, character) in characters.enumerated() {
      if character.isUppercase, index > 0, characters[index - 1] != "_" {
        let follows = !characters[index - 1].isUppercase
        let begins =
          index + 1 < characters.count && characters[index + 1].isLowercase
        if follows || begins { result += "_" }
      }
      result += character.lowercased()
    }
    return result
  }

  /// The string in camel case, without the underscores between the words.
  fileprivate var camelCased: String {
    let start = prefix { $0 == "_" }
    let end = String(reversed().prefix { $0 == "_" })
    guard start.count < count else { return self }
    let words = dropFirst(start.count).dropLast(end.count).split(separator: "_")
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return start + words[0] + rest.joined() + end
  }
}
