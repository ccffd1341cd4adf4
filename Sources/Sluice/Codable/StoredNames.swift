/// The names of columns or parameters for those of properties, each made once.
final class StoredNames {
  private let make: (@Sendable (String) -> String)?
  /// Whether they are other names at all.
  let areMade: Bool
  private var made: [String: (property: String, name: String)] = [:]

  init(_ strategy: KeyStrategy) {
    make = strategy.name
    areMade = make != nil
  }

  subscript(property: String) -> String {
    let known = made[property]
    // Text is equal to Swift if it only looks the same, which two properties may do.
    if let known, known.property.utf8.elementsEqual(property.utf8) { return known.name }
    let name = make?(property) ?? property
    made[property] = (property, name)
    return name
  }
}
