/// The containers for each type of keys, kept for reuse.
struct KeptContainers {
  /// The first container, which usually is the only one.
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

/// A container that is kept for reuse.
///
/// The class records the type of the container, which is expensive to determine otherwise.
final class KeptContainer<Container> {
  private let container: Container
  init(_ container: Container) { self.container = container }

  @inline(never)
  func value() -> Container { container }
}
