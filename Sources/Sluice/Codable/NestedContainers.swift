import Foundation

/// A keyed container in a nested value; the paths of its errors include the column.
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
    // For a missing key, there is no decoder, so let the base container report the error.
    guard !isKnownToFoundation(type), base.contains(key) else {
      return try known(type, at: codingPath + [key]) {
        try prefixed(prefix) { try base.decode(type, forKey: key) }
      }
    }
    return try T(from: superDecoder(forKey: key))
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

/// An unkeyed container in a nested value; the paths of its errors include the column.
struct NestedSequence: UnkeyedDecodingContainer {
  var base: any UnkeyedDecodingContainer
  let prefix: [any CodingKey]

  var codingPath: [any CodingKey] { prefix + base.codingPath }
  var count: Int? { base.count }
  var isAtEnd: Bool { base.isAtEnd }
  var currentIndex: Int { base.currentIndex }

  mutating func decodeNil() throws -> Bool { try prefixed(prefix) { try base.decodeNil() } }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard !isKnownToFoundation(type) else {
      return try known(type, at: codingPath + [ColumnKey(index: currentIndex)]) {
        try prefixed(prefix) { try base.decode(type) }
      }
    }
    // Decode from a copy, so that an element that cannot be decoded is not skipped.
    var rest = self
    let value = try T(from: rest.superDecoder())
    self = rest
    return value
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

/// A decoder for a part of a nested value; the paths of its errors include the column.
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
    return NestedSingle(base: part, decoder: self)
  }
}

private struct NestedSingle: SingleValueDecodingContainer {
  let base: any SingleValueDecodingContainer
  let decoder: NestedDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { base.decodeNil() }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard isKnownToFoundation(type) else { return try T(from: decoder) }
    return try known(type, at: codingPath) {
      try prefixed(decoder.prefix) { try base.decode(type) }
    }
  }
}

/// A wrapper that decodes a nested value as a whole, so that an error contains the path of the failed part.
struct NestedWhole<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    value = try NestedDecoder(base: decoder, prefix: []).singleValueContainer().decode(Value.self)
  }
}

private func prefixed<T>(_ prefix: [any CodingKey], _ body: () throws -> T) throws -> T {
  do { return try body() } catch let error as DecodingError { throw error.prefixed(by: prefix) }
}

/// Runs `body`, and replaces Foundation's internal error for an out-of-range number with a `DecodingError`.
///
/// Foundation throws this error for types that it decodes directly.
private func known<T>(
  _ type: T.Type, at path: @autoclosure () -> [any CodingKey], _ body: () throws -> T
) throws -> T {
  do { return try body() } catch  where !(error is DecodingError) && isKnownToFoundation(type) {
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: path(), debugDescription: "The number does not fit into \(type)",
        underlyingError: error))
  }
}

/// Returns whether Foundation's decoders decode a type directly instead of calling its `init(from:)`.
private func isKnownToFoundation(_ type: Any.Type) -> Bool {
  typesKnownToFoundation.contains(ObjectIdentifier(type))
}

private let typesKnownToFoundation = Set(
  [
    Bool.self, String.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self,
    Int64.self, Int128.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
    UInt128.self, Date.self, Data.self, URL.self, Decimal.self,
  ].map { (type: Any.Type) in ObjectIdentifier(type) })
