import SluiceCore

/// An encoder for a nested value that has columns of its own, by the names of its properties.
struct PartEncoding: Encoder {
  let writing: ParameterWriting
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { writing.writer.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    writing.container(type)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    // The nested value has no column with the number of an element, so binding the element throws.
    ParameterSequence(writer: writing.writer)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension PartEncoding: SingleValueEncodingContainer {
  // The columns of a nested value to which nothing is bound become NULL.
  func encodeNil() {}

  func encode<T: Encodable>(_ value: T) throws {
    guard !RowReader.reads(T.self) else {
      throw EncodingError.invalidValue(
        value,
        .init(
          codingPath: [],
          debugDescription: "Several columns are a value with properties, not \(T.self)"))
    }
    try value.encode(to: self)
  }
}
