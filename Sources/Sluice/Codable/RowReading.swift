import SluiceCore

/// A reader, and the containers that it has been put into so far.
///
/// Those refer to the reader, which therefore does not refer to them.
final class RowReading {
  let reader: RowReader
  @exclusivity(unchecked) private var containers = KeptContainers()
  @exclusivity(unchecked) private var latest = LatestType()

  init(_ settings: CodingSettings) { reader = RowReader(settings) }

  /// Another view of the same row.
  init(sharing reader: RowReader) { self.reader = reader }

  func decode<T: Decodable>(_ type: T.Type, of row: consuming Row) throws -> T {
    try reader.read(row) { try decode(type) }
  }

  /// Makes a value of the row that is being decoded: of its first column, or of all.
  @inline(__always)
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    unsafe latest.isSingle(type)
      ? try reader.decode(type, at: 0, nil) : try T(from: RowDecoding(reading: self))
  }

  /// The container for keys of a type, the same for all values: to make one takes memory and time.
  func container<Key: CodingKey>(_ type: Key.Type) -> KeyedDecodingContainer<Key> {
    let id = ObjectIdentifier(type)
    if let kept = unsafe containers[id] {
      // What is kept for these keys was made below.
      return unsafe unsafeDowncast(kept, to: KeptContainer<KeyedDecodingContainer<Key>>.self)
        .value()
    }
    return make(type)
  }

  @inline(never)
  private func make<Key: CodingKey>(_ type: Key.Type) -> KeyedDecodingContainer<Key> {
    let container = KeyedDecodingContainer(RowContainer<Key>(reader: reader))
    unsafe containers.keep(KeptContainer(container), for: ObjectIdentifier(type))
    return container
  }
}

/// A row as what decodes itself sees it.
struct RowDecoding: Decoder {
  let reading: RowReading
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { reading.reader.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    reading.container(type)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    RowSequence(
      reader: reading.reader, count: try reading.reader.read { row in row.indices.count })
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    RowValue(reading: reading)
  }
}
