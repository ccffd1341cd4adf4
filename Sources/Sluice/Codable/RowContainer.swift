import SluiceCore

/// A keyed container that looks up the columns of a row by the names of properties.
///
/// The most common types have their own methods, which need no type check.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let reader: RowReader

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    // `properties()` throws only if the container is used after its row, and then decoding throws too.
    ((try? reader.properties()) ?? []).compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool {
    // If the lookup fails, the next call that decodes throws the reason.
    do { return try column(key) != nil || part(key) != nil } catch {
      return true
    }
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    guard let index = try column(key) else {
      guard let part = try part(key) else { throw reader.missing(key) }
      return try reader.read { row in try row.isNull(part) }
    }
    return try reader.read { row in try row.isNull(at: index) }
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(key, .bool) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(key, .int) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(key, .int64) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(key, .double) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(key, .string) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let index = try column(key) else {
      guard let part = try part(of: type, key) else { throw reader.missing(key) }
      return try decode(type, part, key)
    }
    return try reader.decode(type, at: index, key)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try readIfPresent(key, .bool)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try readIfPresent(key, .int)
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try readIfPresent(key, .int64)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try readIfPresent(key, .double)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try readIfPresent(key, .string)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let index = try column(key) else {
      // An outer join leaves all columns of a missing row NULL.
      guard let part = try part(of: type, key) else { return try reader.absent(key) }
      return try reader.read { row in try row.isNull(part) } ? nil : decode(type, part, key)
    }
    return try reader.read { row in try row.isNull(at: index) }
      ? nil : reader.decode(type, at: index, key)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoding(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoding(key).unkeyedContainer()
  }

  // A subclass shares the row with its superclass.
  func superDecoder() -> any Decoder { RowDecoding(reading: RowReading(sharing: reader)) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoding(key) }
}

extension RowContainer {
  @inline(__always)
  private func read<T: SQLValue>(
    _ key: Key, _ converter: ColumnValueConverter<T>
  ) throws -> T {
    let index = try index(key)
    do { return try reader.read { row in try row.get(converter, at: index) } } catch {
      throw reader.failure(error, T.self, at: index, key)
    }
  }

  @inline(__always)
  private func readIfPresent<T: SQLValue>(
    _ key: Key, _ converter: ColumnValueConverter<T>
  ) throws -> T? {
    guard let index = try reader.column(key.stringValue) else { return try reader.absent(key) }
    do { return try reader.read { row in try row.optional(converter, at: index) } } catch {
      throw reader.failure(error, T.self, at: index, key)
    }
  }

  /// Returns the index of the column for a property; nil if there is none, or if the property has several.
  @inline(__always)
  private func column(_ key: Key) throws -> Int? {
    try reader.isGroup(key.stringValue) ? nil : reader.column(key.stringValue)
  }

  /// Returns the columns of a property whose names begin with its name and a period; nil if there are none.
  private func part(_ key: Key) throws -> ColumnPart? { try reader.part(key.stringValue) }

  /// Returns the columns of a property that is not read from a single column.
  private func part(of type: Any.Type, _ key: Key) throws -> ColumnPart? {
    RowReader.reads(type) ? nil : try part(key)
  }

  /// Decodes a value whose properties are the columns of a part.
  private func decode<T: Decodable>(_ type: T.Type, _ part: ColumnPart, _ key: Key) throws -> T {
    try reader.read { row in
      try row.read(part) { row in
        do {
          // A model knows the names and representations of its columns, which its properties do not say. If the model is
          // optional, the decoder below finds out that it is nil.
          if !reader.isGroup(key.stringValue), let own = type as? any RowConvertible.Type,
            try !(type is any OptionalType.Type && row.isNull(part)),
            let value = try own.init(row: row) as? T
          {
            return value
          }
          let decoder = PartDecoding(reading: RowReading(sharing: reader), part: part)
          return try reader.inside(key.stringValue) { try T(from: decoder) }
        } catch let error as DecodingError {
          throw error.prefixed(by: [ColumnKey(key)])
        }
      }
    }
  }

  @inline(__always)
  private func index(_ key: Key) throws -> Int {
    guard let index = try reader.column(key.stringValue) else { throw reader.missing(key) }
    return index
  }

  private func decoding(_ key: Key) throws -> ColumnDecoding {
    ColumnDecoding(
      reader: reader, values: reader.values(of: key), index: try index(key),
      key: ColumnKey(key))
  }
}
