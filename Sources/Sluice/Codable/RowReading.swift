import SluiceCore

/// A row reader, and the containers that were created for it.
///
/// The containers refer to the reader, so the reader must not refer to them.
final class RowReading {
  let reader: RowReader
  @exclusivity(unchecked) private var containers = KeptContainers()
  @exclusivity(unchecked) private var latest = LatestType()

  init(_ settings: CodingSettings, model columns: ReadColumns? = nil) {
    reader = RowReader(settings, model: columns)
  }

  /// Creates another set of containers for the row of `reader`.
  init(sharing reader: RowReader) { self.reader = reader }

  func decode<T: Decodable>(_ type: T.Type, of row: consuming Row) throws -> T {
    try reader.read(row) { try decode(type) }
  }

  /// Decodes a value from the current row: from its first column, or from all columns.
  @inline(__always)
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard unsafe latest.isSingle(type) else { return try T(from: RowDecoding(reading: self)) }
    return try reader.decode(type, at: 0, nil)
  }

  /// Returns the container for a key type; all values share it, because creating one takes memory and time.
  func container<Key: CodingKey>(_ type: Key.Type) -> KeyedDecodingContainer<Key> {
    let id = ObjectIdentifier(type)
    if let kept = unsafe containers[id] {
      // `make` creates every container that is stored for this key type.
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

/// A decoder for a value that decodes itself from a row.
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
