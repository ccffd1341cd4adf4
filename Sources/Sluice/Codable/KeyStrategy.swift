/// Which column or parameter belongs to a property.
///
/// A column or parameter is looked for by the name that the strategy makes of the property's, and if
/// there is none, by the property's own. Keys inside of nested values are not touched.
///
/// Two properties can have names that become one, such as `userID` and `userId` in snake case. To encode
/// both throws an `EncodingError` that names them, as one would be lost. To decode both reads the same
/// column twice, with which nothing is lost.
public struct KeyStrategy: Sendable {
  /// Nil if each property goes by its own name.
  let name: (@Sendable (String) -> String)?
  /// The property of a column, for types that ask which properties there are.
  package let property: @Sendable (String) -> String

  /// The name that the column or parameter of a property has.
  package func name(of property: String) -> String { name?(property) ?? property }

  /// The one that has the property's name: its coding key, to the letter.
  public static let asWritten = KeyStrategy(name: nil, property: { $0 })

  /// The one in snake case: `homePage` is `home_page`, and `imageURL` is `image_url`.
  public static let snakeCase = KeyStrategy(name: { $0.snakeCased }, property: { $0.camelCased })

  /// The one that `name` makes of the property's coding key.
  ///
  /// `property` is the way back. It is needed for types that ask which keys there are, such as
  /// dictionaries; without it these get the names of the columns.
  public static func custom(
    _ name: @escaping @Sendable (_ property: String) -> String,
    property: @escaping @Sendable (_ name: String) -> String = { $0 }
  ) -> KeyStrategy {
    KeyStrategy(name: name, property: property)
  }
}

extension String {
  /// Words apart: one begins with each capital, but several in a row are a word together, up to the
  /// one that begins the next.
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

  /// Words together, without the underscores between them.
  fileprivate var camelCased: String {
    let start = prefix { $0 == "_" }
    let end = String(reversed().prefix { $0 == "_" })
    guard start.count < count else { return self }
    let words = dropFirst(start.count).dropLast(end.count).split(separator: "_")
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return start + words[0] + rest.joined() + end
  }
}
