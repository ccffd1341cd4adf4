/// A value with several parts, which is recorded first and then written by one of Foundation's encoders.
final class NestedValue: Encodable {
  private var content: Content = .nothing

  private enum Content {
    case nothing
    case null
    case value(any Encodable)
    case keyed(NestedParts)
    case sequence([NestedValue])
    /// A value that cannot be encoded, and the reason.
    case refused(String)
  }

  init() {}

  private init(_ content: Content) { self.content = content }

  func encode(to encoder: any Encoder) throws {
    switch content {
    case .nothing: break
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .value(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .keyed(let parts):
      var container = encoder.container(keyedBy: ColumnKey.self)
      for (key, value) in parts.all { try container.encode(value, forKey: key) }
    case .sequence(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    case .refused(let reason):
      throw EncodingError.invalidValue(
        shown, .init(codingPath: encoder.codingPath, debugDescription: reason))
    }
  }

  /// The encoded values, for errors.
  var shown: Any {
    switch content {
    case .nothing, .null, .refused: Any?.none as Any
    case .value(let value): value
    case .keyed(let parts):
      Dictionary(parts.all.map { ($0.key.stringValue, $0.value.shown) }) { _, last in last }
    case .sequence(let values): values.map(\.shown)
    }
  }

  func setNull() { setOnce(.null) }

  func set(_ value: any Encodable) { setOnce(.value(value)) }

  private func setOnce(_ content: Content) {
    guard case .nothing = self.content else { return refuse() }
    self.content = content
  }

  /// Records an error; otherwise, Foundation's encoders would crash the process.
  private func refuse() { content = .refused(Self.twice) }

  static let twice = "The value was encoded twice; an encoder accepts only one value"

  func setNull(forKey key: some CodingKey) { put(NestedValue(.null), key) }

  func set(_ value: any Encodable, forKey key: some CodingKey) {
    put(NestedValue(.value(value)), key)
  }

  /// Sets the value of a key; as in Foundation, the last value of a key is used.
  private func put(_ value: NestedValue, _ key: some CodingKey) {
    change(key) { parts, place in
      guard let place else { return parts.append(value, key) }
      let there = parts.all[place].value
      if there.hasParts { there.refuse() } else { parts.replace(at: place, by: value) }
    }
  }

  /// Returns the part of a key, and creates it if necessary.
  func part(_ key: some CodingKey) -> NestedValue {
    var part = NestedValue()
    change(key) { parts, place in
      if let place { part = parts.all[place].value } else { parts.append(part, key) }
    }
    return part
  }

  private func change(
    _ key: some CodingKey, _ body: (_ parts: inout NestedParts, _ place: Int?) -> Void
  ) {
    guard case .keyed(var parts) = content else { return }
    content = .nothing
    let place = parts.place(of: key)
    if let place, !parts.has(key, at: place) {
      content = .refused(
        "Two keys are converted to \"\(key.stringValue)\"; converted keys must be unique")
    } else {
      body(&parts, place)
      content = .keyed(parts)
    }
  }

  private var hasParts: Bool {
    switch content {
    case .keyed, .sequence, .refused: true
    case .nothing, .null, .value: false
    }
  }

  func append(_ value: NestedValue) {
    guard case .sequence(var values) = content else { return }
    content = .nothing
    values.append(value)
    content = .sequence(values)
  }

  func append(_ value: any Encodable) { append(NestedValue(.value(value))) }

  var count: Int {
    if case .sequence(let values) = content { values.count } else { 0 }
  }

  /// Returns a keyed container, which adds to the existing parts if there are any.
  func container<Key: CodingKey>(
    _ type: Key.Type, _ path: [any CodingKey], _ userInfo: [CodingUserInfoKey: Any]
  ) -> KeyedEncodingContainer<Key> {
    if case .keyed = content {} else { setOnce(.keyed(NestedParts())) }
    return KeyedEncodingContainer(Keyed<Key>(value: self, codingPath: path, userInfo: userInfo))
  }

  func sequence(
    _ path: [any CodingKey], _ userInfo: [CodingUserInfoKey: Any]
  ) -> any UnkeyedEncodingContainer {
    if case .sequence = content {} else { setOnce(.sequence([])) }
    return List(value: self, codingPath: path, userInfo: userInfo)
  }
}
