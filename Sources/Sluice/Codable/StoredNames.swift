/// A cache of the column or parameter names of properties, which converts each name only once.
final class StoredNames {
  private let make: (@Sendable (String) -> String)?
  /// Whether the strategy converts names.
  let areMade: Bool
  private var made: [String: (property: String, name: String)] = [:]

  init(_ strategy: KeyStrategy) {
    make = strategy.name
    areMade = make != nil
  }

  /// Creates a cache of the names of properties, and of those of nested values.
  init(_ strategies: CodingStrategies) {
    make =
      strategies.groups.isEmpty
      ? strategies.keys.name : { @Sendable name in strategies.name(of: name) }
    areMade = make != nil
  }

  subscript(property: String) -> String {
    let known = made[property]
    // Swift strings with different bytes can be equal, although they are the names of different properties.
    if let known, known.property.utf8.elementsEqual(property.utf8) { return known.name }
    let name = make?(property) ?? property
    made[property] = (property, name)
    return name
  }
}
