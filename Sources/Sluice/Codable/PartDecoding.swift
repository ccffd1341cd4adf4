import SluiceCore

/// A decoder for a value that decodes itself from a part of a row, by the names of its properties.
struct PartDecoding: Decoder {
  let reading: RowReading
  let part: ColumnPart
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { reading.reader.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    reading.container(type)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw noSingleValue([Any].self) }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private func noSingleValue(_ type: Any.Type) -> DecodingError {
    .typeMismatch(
      type,
      .init(
        codingPath: [],
        debugDescription: "Several columns with one prefix are a value with properties, not \(type)"
      ))
  }
}

extension PartDecoding: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    // Ignore an error here, because it recurs when the value is decoded.
    (try? reading.reader.read { row in try row.isNull(part) }) ?? false
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard !RowReader.reads(type) else { throw noSingleValue(type) }
    return try T(from: self)
  }
}
