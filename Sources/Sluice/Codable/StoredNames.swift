/// The names of columns or parameters for those of properties, each made once.
final class StoredNames {
  private let make: (@Sendable (String) -> String)?
  /// Whether they are other names at all.
  let areMade: Bool
  private var made: [String: String] = [:]

  init(_ strategy: KeyStrategy) {
    make = strategy.name
    areMade = make != nil
  }

  subscript(property: String) -> String {
    if let name = made[property] { return name }
    let name = make?(property) ?? property
    made[property] = name
    return name
  }
}
