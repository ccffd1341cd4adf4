/// A part of a nested value, whose errors tell the column as well.
struct NestedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let base: KeyedDecodingContainer<Key>
  let prefix: [any CodingKey]

  var codingPath: [any CodingKey] { prefix + base.codingPath }
  var allKeys: [Key] { base.allKeys }

  func contains(_ key: Key) -> Bool { base.contains(key) }

  func decodeNil(forKey key: Key) throws -> Bool {
    try prefixed(prefix) { try base.decodeNil(forKey: key) }
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try prefixed(prefix) { try base.decode(type, forKey: key) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let part: KeyedDecodingContainer<NestedKey> = try prefixed(prefix) {
      try base.nestedContainer(keyedBy: type, forKey: key)
    }
    return KeyedDecodingContainer(NestedContainer<NestedKey>(base: part, prefix: prefix))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    let part: any UnkeyedDecodingContainer = try prefixed(prefix) {
      try base.nestedUnkeyedContainer(forKey: key)
    }
    return NestedSequence(base: part, prefix: prefix)
  }

  func superDecoder() throws -> any Decoder {
    let part = try prefixed(prefix) { try base.superDecoder() }
    return NestedDecoder(base: part, prefix: prefix)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    let part = try prefixed(prefix) { try base.superDecoder(forKey: key) }
    return NestedDecoder(base: part, prefix: prefix)
  }
}

/// A list inside of a nested value, whose errors tell the column as well.
struct NestedSequence: UnkeyedDecodingContainer {
  var base: any UnkeyedDecodingContainer
  let prefix: [any CodingKey]

  var codingPath: [any CodingKey] { prefix + base.codingPath }
  var count: Int? { base.count }
  var isAtEnd: Bool { base.isAtEnd }
  var currentIndex: Int { base.currentIndex }

  mutating func decodeNil() throws -> Bool { try prefixed(prefix) { try base.decodeNil() } }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try prefixed(prefix) { try base.decode(type) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let part: KeyedDecodingContainer<NestedKey> = try prefixed(prefix) {
      try base.nestedContainer(keyedBy: type)
    }
    return KeyedDecodingContainer(NestedContainer(base: part, prefix: prefix))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let part: any UnkeyedDecodingContainer = try prefixed(prefix) {
      try base.nestedUnkeyedContainer()
    }
    return NestedSequence(base: part, prefix: prefix)
  }

  mutating func superDecoder() throws -> any Decoder {
    let part = try prefixed(prefix) { try base.superDecoder() }
    return NestedDecoder(base: part, prefix: prefix)
  }
}

/// A value inside of a nested value that decodes itself, whose errors tell the column as well.
private struct NestedDecoder: Decoder {
  let base: any Decoder
  let prefix: [any CodingKey]

  var codingPath: [any CodingKey] { prefix + base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let part = try prefixed(prefix) { try base.container(keyedBy: type) }
    return KeyedDecodingContainer(NestedContainer(base: part, prefix: prefix))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let part = try prefixed(prefix) { try base.unkeyedContainer() }
    return NestedSequence(base: part, prefix: prefix)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    let part = try prefixed(prefix) { try base.singleValueContainer() }
    return NestedSingle(base: part, prefix: prefix)
  }
}

private struct NestedSingle: SingleValueDecodingContainer {
  let base: any SingleValueDecodingContainer
  let prefix: [any CodingKey]

  var codingPath: [any CodingKey] { prefix + base.codingPath }

  func decodeNil() -> Bool { base.decodeNil() }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try prefixed(prefix) { try base.decode(type) }
  }
}

private func prefixed<T>(_ prefix: [any CodingKey], _ body: () throws -> T) throws -> T {
  do { return try body() } catch let error as DecodingError { throw error.prefixed(by: prefix) }
}
