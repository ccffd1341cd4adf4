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
    try prefixed(prefix) { try base.superDecoder() }
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try prefixed(prefix) { try base.superDecoder(forKey: key) }
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
    try prefixed(prefix) { try base.superDecoder() }
  }
}

private func prefixed<T>(_ prefix: [any CodingKey], _ body: () throws -> T) throws -> T {
  do { return try body() } catch let error as DecodingError { throw error.prefixed(by: prefix) }
}
