/// The mapping from properties to columns and parameters.
///
/// The strategy converts the name of a property, and the converted name identifies the column or parameter. If
/// there is none with that name, the property's own name is used. Keys inside nested values are not converted.
///
/// Two properties can have the same converted name, such as `userID` and `userId` in snake case. Encoding both
/// throws an `EncodingError` that names them, because one value would be lost. Decoding both reads the same
/// column twice, so nothing is lost.
public struct KeyStrategy: Sendable {
  /// The closure that converts the name of a property; nil if names are not converted.
  let name: (@Sendable (String) -> String)?
  /// The closure that returns the property of a column, for types that request the list of existing keys.
  package let property: @Sendable (String) -> String

  /// Returns the name of the column or parameter for a property.
  package func name(of property: String) -> String { name?(property) ?? property }

  /// The strategy that uses exactly the property's coding key.
  public static let asWritten = KeyStrategy(name: nil, property: { $0 })

  /// The strategy that uses snake case: `homePage` becomes `home_page`, and `imageURL` becomes `image_url`.
  public static let snakeCase = KeyStrategy(name: { $0.snakeCased }, property: { $0.camelCased })

  /// Returns a strategy that calls `name` to convert the coding key of a property to a column or parameter name.
  ///
  /// `property` is the inverse of `name`. Types that request the list of existing keys, such as dictionaries, need
  /// `property`; without it, their keys are the names of the columns.
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
  /// Each capital letter begins a word. Several capitals in a row form one word, but the last of them begins the
  /// next word if a lowercase letter follows it.
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
