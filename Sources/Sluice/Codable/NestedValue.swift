/// A value that consists of several, as it encodes itself: what Foundation's encoders then write.
final class NestedValue: Encodable {
  private var content: Content = .nothing

  private enum Content {
    case nothing
    case null
    case value(any Encodable)
    case keyed([(key: ColumnKey, value: NestedValue)])
    case sequence([NestedValue])
  }

  init() {}

  init(_ value: any Encodable) { content = .value(value) }

  func encode(to encoder: any Encoder) throws {
    switch content {
    case .nothing: break
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .value(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .keyed(let values):
      var container = encoder.container(keyedBy: ColumnKey.self)
      for (key, value) in values { try container.encode(value, forKey: key) }
    case .sequence(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    }
  }

  func setNull() { content = .null }

  func set(_ value: any Encodable) { content = .value(value) }

  fileprivate func set(_ value: NestedValue, forKey key: some CodingKey) {
    guard case .keyed(var values) = content else { return }
    content = .nothing
    values.removeAll { $0.key.stringValue == key.stringValue }
    values.append((ColumnKey(key), value))
    content = .keyed(values)
  }

  fileprivate func append(_ value: NestedValue) {
    guard case .sequence(var values) = content else { return }
    content = .nothing
    values.append(value)
    content = .sequence(values)
  }

  fileprivate var count: Int {
    if case .sequence(let values) = content { values.count } else { 0 }
  }

  func container<Key: CodingKey>(
    _ type: Key.Type, _ path: [any CodingKey], _ userInfo: [CodingUserInfoKey: Any]
  ) -> KeyedEncodingContainer<Key> {
    if case .keyed = content {} else { content = .keyed([]) }
    return KeyedEncodingContainer(Keyed<Key>(value: self, codingPath: path, userInfo: userInfo))
  }

  func sequence(
    _ path: [any CodingKey], _ userInfo: [CodingUserInfoKey: Any]
  ) -> any UnkeyedEncodingContainer {
    if case .sequence = content {} else { content = .sequence([]) }
    return Sequence(value: self, codingPath: path, userInfo: userInfo)
  }
}

extension NestedValue {
  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let value: NestedValue
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    func encodeNil(forKey key: Key) { part(key).setNull() }

    func encode<T: Encodable>(_ value: T, forKey key: Key) {
      self.value.set(NestedValue(value), forKey: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      part(key).container(type, codingPath + [key], userInfo)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      part(key).sequence(codingPath + [key], userInfo)
    }

    func superEncoder() -> any Encoder { encoder(ColumnKey(stringValue: "super")) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func part(_ key: some CodingKey) -> NestedValue {
      let part = NestedValue()
      value.set(part, forKey: key)
      return part
    }

    private func encoder(_ key: some CodingKey) -> any Encoder {
      NestedEncoding(value: part(key), codingPath: codingPath + [key], userInfo: userInfo)
    }
  }

  private struct Sequence: UnkeyedEncodingContainer {
    let value: NestedValue
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    var count: Int { value.count }

    func encodeNil() { part().setNull() }

    func encode<T: Encodable>(_ value: T) { self.value.append(NestedValue(value)) }

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

/// A part of a nested value that encodes itself.
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
