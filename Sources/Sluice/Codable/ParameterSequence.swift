import SluiceCore

/// An unkeyed container whose values are bound to the parameters in order.
struct ParameterSequence: UnkeyedEncodingContainer {
  let writer: ParameterWriter
  private(set) var count = 0

  init(writer: ParameterWriter) { self.writer = writer }

  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() throws { try encode(Optional<Int>.none) }

  mutating func encode<T: Encodable>(_ value: T) throws {
    try writer.encode(value, .number(count + 1), ColumnKey(index: count))
    count += 1
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    part().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    part().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { part() }

  private mutating func part() -> ColumnEncoding {
    defer { count += 1 }
    return writer.part(.number(count + 1), ColumnKey(index: count))
  }
}

/// A single-value container whose value is bound to the first parameter, or whose parts are bound to all of them.
struct ParameterValue: SingleValueEncodingContainer {
  let writing: ParameterWriting
  var codingPath: [any CodingKey] { [] }

  func encodeNil() throws { try writing.encode(Optional<Int>.none) }
  func encode<T: Encodable>(_ value: T) throws { try writing.encode(value) }
}
