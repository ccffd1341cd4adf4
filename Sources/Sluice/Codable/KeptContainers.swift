/// The containers for each key type, stored for reuse.
struct KeptContainers {
  /// The first container, which is usually the only one.
  private var first: (key: ObjectIdentifier, container: AnyObject)?
  private var others: [ObjectIdentifier: AnyObject] = [:]

  @inline(__always)
  subscript(key: ObjectIdentifier) -> AnyObject? {
    if let first, first.key == key { return first.container }
    return others.isEmpty ? nil : others[key]
  }

  mutating func keep(_ container: AnyObject, for key: ObjectIdentifier) {
    if first == nil { first = (key, container) } else { others[key] = container }
  }
}

/// A container that is stored for reuse.
///
/// The class records the type of the container, which would otherwise be expensive to determine.
final class KeptContainer<Container> {
  private let container: Container
  init(_ container: Container) { self.container = container }

  @inline(never)
  func value() -> Container { container }
}
