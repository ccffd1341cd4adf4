/// The properties of a value, by their coding keys, as they are before anything is made of them.
struct Properties {
  let values: [String: any Encodable]

  init(of value: some Encodable) throws {
    let list = List()
    try value.encode(to: PropertiesEncoder(list: list))
    values = list.values
  }

  fileprivate final class List { var values: [String: any Encodable] = [:] }
}

/// What lets a model encode itself, and looks no deeper than its properties.
private struct PropertiesEncoder: Encoder {
  let list: Properties.List
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(PropertyContainer<Key>(list: list))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { refusal }
  func singleValueContainer() -> any SingleValueEncodingContainer { refusal }

  private var refusal: Refusing { Refusing(codingPath: [], reason: "A row needs properties") }
}

private struct PropertyContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let list: Properties.List
  var codingPath: [any CodingKey] { [] }

  /// A property that is missing is NULL.
  func encodeNil(forKey key: Key) {}

  func encode<T: Encodable>(_ value: T, forKey key: Key) { list.values[key.stringValue] = value }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeys(refusing: refusal(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { refusal(key) }

  func superEncoder() -> any Encoder { refusal(nil) }
  func superEncoder(forKey key: Key) -> any Encoder { refusal(key) }

  private func refusal(_ key: Key?) -> Refusing {
    Refusing(
      codingPath: [key].compactMap { $0 }, reason: "A column takes one value, not its pieces")
  }
}

/// Takes nothing.
private struct Refusing: Encoder, UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let codingPath: [any CodingKey]
  let reason: String
  var count: Int { 0 }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func encodeNil() throws { try encode(Int?.none) }

  func encode<T: Encodable>(_ value: T) throws {
    throw EncodingError.invalidValue(
      value, .init(codingPath: codingPath, debugDescription: reason))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeys(refusing: self))
  }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    container(keyedBy: type)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { self }
}

private struct RefusingKeys<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let refusing: Refusing
  var codingPath: [any CodingKey] { refusing.codingPath }

  func encodeNil(forKey key: Key) throws { try refusing.encodeNil() }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try refusing.encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    refusing.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { refusing }
  func superEncoder() -> any Encoder { refusing }
  func superEncoder(forKey key: Key) -> any Encoder { refusing }
}
