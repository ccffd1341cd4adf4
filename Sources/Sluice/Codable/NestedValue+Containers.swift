/// The containers into which nested values encode themselves.
extension NestedValue {
  struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let value: NestedValue
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    func encodeNil(forKey key: Key) { value.setNull(forKey: key) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) { self.value.set(value, forKey: key) }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      value.part(key).container(type, codingPath + [key], userInfo)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      value.part(key).sequence(codingPath + [key], userInfo)
    }

    func superEncoder() -> any Encoder { encoder(ColumnKey(stringValue: "super")) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: some CodingKey) -> any Encoder {
      NestedEncoding(value: value.part(key), codingPath: codingPath + [key], userInfo: userInfo)
    }
  }

  struct List: UnkeyedEncodingContainer {
    let value: NestedValue
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    var count: Int { value.count }

    func encodeNil() { part().setNull() }

    func encode<T: Encodable>(_ value: T) { self.value.append(value) }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
      let path = codingPath + [ColumnKey(index: count)]
      return part().container(type, path, userInfo)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      let path = codingPath + [ColumnKey(index: count)]
      return part().sequence(path, userInfo)
    }

    func superEncoder() -> any Encoder {
      let path = codingPath + [ColumnKey(index: count)]
      return NestedEncoding(value: part(), codingPath: path, userInfo: userInfo)
    }

    private func part() -> NestedValue {
      let part = NestedValue()
      value.append(part)
      return part
    }
  }
}

/// An encoder for a part of a nested value.
private struct NestedEncoding: Encoder, SingleValueEncodingContainer {
  let value: NestedValue
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    value.container(type, codingPath, userInfo)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { value.sequence(codingPath, userInfo) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { value.setNull() }
  func encode<T: Encodable>(_ value: T) { self.value.set(value) }
}
