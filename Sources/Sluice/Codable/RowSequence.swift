import SluiceCore

/// An unkeyed container whose values are the columns of a row in order.
struct RowSequence: UnkeyedDecodingContainer {
  let reader: RowReader
  let count: Int?
  private(set) var currentIndex = 0

  init(reader: RowReader, count: Int) {
    self.reader = reader
    self.count = count
  }

  var codingPath: [any CodingKey] { [] }
  var isAtEnd: Bool { currentIndex >= count ?? 0 }

  mutating func decodeNil() throws -> Bool {
    let isNull = try take(Any?.self) { column in column.decodeNil() }
    if !isNull { currentIndex -= 1 }
    return isNull
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try take(type) { column in try column.decode(type) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try take(type) { column in try column.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try take([Any].self) { column in try column.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try take(Any.self) { column in column } }

  /// Calls `body` with the next column, and then advances, unless `body` throws.
  private mutating func take<T>(
    _ type: Any.Type, _ body: (ColumnDecoding) throws -> T
  ) throws -> T {
    let key = ColumnKey(index: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: [key], debugDescription: "The row has no more columns"))
    }
    let values = reader.values(of: nil)
    let column = ColumnDecoding(reader: reader, values: values, index: currentIndex, key: key)
    let value = try body(column)
    currentIndex += 1
    return value
  }
}

/// A single-value container whose value is the first column of a row, or the whole row.
struct RowValue: SingleValueDecodingContainer {
  let reading: RowReading
  var codingPath: [any CodingKey] { [] }

  /// Returns whether all columns of the row are NULL.
  func decodeNil() -> Bool {
    // Ignore an error here, because it recurs when the value is decoded.
    (try? reading.reader.read { row in try row.isNull() }) ?? false
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try reading.decode(type) }
}
