/// The values that features store with a connection: at most one of each type.
///
/// The type of a value belongs to its feature, so that the connection does not know it.
struct FeatureSlots {
  private var values: [ObjectIdentifier: Any] = [:]

  subscript<Value>(_ type: Value.Type) -> Value? { values[ObjectIdentifier(type)] as? Value }

  /// Stores a value, and returns the old one, whose deinit can run any code; nil removes the value.
  mutating func replace<Value>(_ type: Value.Type, by value: Value?) -> Value? {
    let old = self[type]
    values[ObjectIdentifier(type)] = value
    return old
  }

  /// Removes and returns all values.
  mutating func takeAll() -> [Any] {
    defer { values = [:] }
    return Array(values.values)
  }
}

/// The mark of a connection whose module fts5 was removed or replaced, so that the FTS5 API cannot be used.
private struct LostFTS5 {}

extension Connection {
  var hasLostFTS5: Bool { slots[LostFTS5.self] != nil }

  func loseFTS5() { _ = slots.replace(LostFTS5.self, by: LostFTS5()) }
}
