import SluiceCore

/// A keyed container that looks up parameters by the names of properties.
///
/// The most common types have their own methods, which need no type check. Without the methods for optional
/// values, Swift would omit values that are nil.
struct ParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let writer: ParameterWriter

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { try encode(optional: Optional<Int>.none, key) }

  func encode(_ value: Bool, forKey key: Key) throws { try bind(.bool(value), value, key) }
  func encode(_ value: Int, forKey key: Key) throws { try bind(.int(value), value, key) }
  func encode(_ value: Int64, forKey key: Key) throws { try bind(.int64(value), value, key) }
  func encode(_ value: Double, forKey key: Key) throws { try bind(.double(value), value, key) }
  func encode(_ value: String, forKey key: Key) throws { try bind(.string(value), value, key) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let property = property(key)
    guard !writer.isGroup(property) else { return try encode(parts: value, property, key) }
    try writer.encode(value, .property(property), key)
  }

  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
    try bind(.bool(value), value, key)
  }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
    try bind(.int(value), value, key)
  }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
    try bind(.int64(value), value, key)
  }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
    try encode(optional: value, key)
  }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
    try encode(optional: value, key)
  }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
    try encode(optional: value, key)
  }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
    try bind(.double(value), value, key)
  }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws {
    try bind(.string(value), value, key)
  }
  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    try encode(optional: value, key)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    part(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    part(key).unkeyedContainer()
  }

  // A subclass shares the parameters with its superclass.
  func superEncoder() -> any Encoder {
    ParameterEncoding(writing: ParameterWriting(sharing: writer))
  }

  func superEncoder(forKey key: Key) -> any Encoder { part(key) }
}

extension ParameterContainer {
  @inline(__always)
  private func bind<T>(_ parameter: SQLParameter, _ value: T, _ key: Key) throws {
    do { try writer.bind(parameter, property(key)) } catch {
      throw writer.failure(error, value, key)
    }
  }

  private func encode<T: Encodable>(optional value: T?, _ key: Key) throws {
    if let value { return try encode(value, forKey: key) }
    // The columns of a nested value to which nothing is bound become NULL.
    guard !writer.isGroup(property(key)) else { return }
    try bind(nil, value, key)
  }

  /// Encodes a nested value that has columns of its own.
  private func encode<T: Encodable>(parts value: T, _ property: String, _ key: Key) throws {
    let encoder = PartEncoding(writing: ParameterWriting(sharing: writer))
    do { try writer.inside(property) { try value.encode(to: encoder) } } catch let error
      as EncodingError
    {
      throw error.prefixed(by: [ColumnKey(key)])
    }
  }

  /// Returns the name of a property, with that of the nested value which contains it.
  @inline(__always)
  private func property(_ key: Key) -> String { writer.property(key.stringValue) }

  private func part(_ key: Key) -> ColumnEncoding {
    writer.part(.property(property(key)), ColumnKey(key))
  }
}
