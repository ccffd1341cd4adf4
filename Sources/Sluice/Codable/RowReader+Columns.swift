import Foundation
import SluiceCore

/// Conversion of columns to types, according to the strategies.
extension RowReader {
  /// Returns whether a type is read directly from a column instead of decoding itself.
  static func reads(_ type: Any.Type) -> Bool {
    type == Date.self || type == Data.self || type == UUID.self || type == URL.self
      || type == Decimal.self || type is any SQLValue.Type
  }

  func decode<T: Decodable>(
    _ type: T.Type, at index: Int, _ key: (any CodingKey)?
  ) throws -> T {
    try decode(type, at: index, key, values(of: key))
  }

  @inline(__always)
  func decode<T: Decodable>(
    _ type: T.Type, at index: Int, _ key: (any CodingKey)?, _ values: ValueDecoding
  ) throws -> T {
    do { if let value = try value(type, at: index, values) { return value } } catch {
      throw failure(error, type, at: index, key)
    }
    return try T(
      from: ColumnDecoding(
        reader: self, values: values, index: index, key: key.map(ColumnKey.init)))
  }

  /// Returns the value of a column; nil if the type must decode itself.
  private func value<T>(_ type: T.Type, at index: Int, _ values: ValueDecoding) throws -> T? {
    if type == Date.self { return try date(at: index, values.strategies.dates) as? T }
    if type == Data.self { return try data(at: index, values.strategies.data) as? T }
    if type == UUID.self { return try uuid(at: index) as? T }
    if type == URL.self { return try read { row in try row.get(.urlString, at: index) } as? T }
    if type == Decimal.self { return try read { row in try row.get(.decimal, at: index) } as? T }
    if let array = plainArray(type, at: index, values.strategies.nested) { return array }
    // An optional may contain `Data`, which this strategy does not store as an `SQLValue`.
    if values.strategies.data != .blob, type is any OptionalType.Type { return nil }
    guard let type = type as? any SQLValue.Type else { return nil }
    return try read(type, at: index) as? T
  }

  private func read<Value: SQLValue>(_ type: Value.Type, at index: Int) throws -> Value {
    try read { row in try row[index] as Value }
  }

  private func stored(at index: Int) throws -> DatabaseValue {
    let value = try read { row in try row.value(at: index) }
    // `failure(_:_:at:_:)` converts this error to a `DecodingError`.
    guard !value.isNull else { throw try mismatch(at: index, "is NULL") }
    return value
  }

  private func date(at index: Int, _ strategy: DateStrategy) throws -> Date {
    let stored = try stored(at: index)
    do { return try strategy.decode(stored) } catch let refusal as Refusal {
      throw try mismatch(at: index, refusal.reason)
    }
  }

  private func data(at index: Int, _ strategy: DataStrategy) throws -> Data {
    guard strategy == .base64 else {
      return try read { row in try row.get(.data, at: index) }
    }
    guard case .text(let text) = try stored(at: index), let data = Data(base64Encoded: text) else {
      throw try mismatch(at: index, "is not text in Base64")
    }
    return data
  }

  private func uuid(at index: Int) throws -> UUID {
    try read { row in
      try row.storageClass(at: index) == .blob
        ? try row.get(.uuidBytes, at: index) : try row.get(.uuidString, at: index)
    }
  }

  private func mismatch(at index: Int, _ reason: String) throws -> SQLiteError {
    try read { row in row.mismatch(at: index, reason) }
  }
}

/// Conversion of errors to decoding errors.
extension RowReader {
  /// Converts an error from reading a column into a `DecodingError`.
  ///
  /// An error that the value did not cause is returned unchanged, such as the error for a row that is no longer
  /// valid.
  func failure(
    _ error: any Error, _ type: Any.Type, at index: Int, _ key: (any CodingKey)?
  ) -> any Error {
    let path = [key].compactMap { $0 }
    guard let error = error as? SQLiteError else {
      if error is DecodingError { return error }
      return DecodingError.dataCorrupted(
        .init(codingPath: path, debugDescription: "\(error)", underlyingError: error))
    }
    // If the storage class cannot be read, report the original error.
    guard error.code == .mismatch || error.code == .range,
      let found = try? read({ row in try row.storageClass(at: index) })
    else {
      // A range error here means that the row has no columns at all.
      guard error.code == .range else { return error }
      return DecodingError.valueNotFound(
        type,
        .init(codingPath: path, debugDescription: error.message, underlyingError: error))
    }
    let context = DecodingError.Context(
      codingPath: path, debugDescription: error.message, underlyingError: error)
    if found == .null { return DecodingError.valueNotFound(type, context) }
    return isOfKind(type, found)
      ? DecodingError.dataCorrupted(context) : DecodingError.typeMismatch(type, context)
  }

  /// Returns whether other values of this storage class can be valid for the type.
  private func isOfKind(_ type: Any.Type, _ found: StorageClass) -> Bool {
    switch found {
    case .integer, .real:
      type is any Numeric.Type || type == Bool.self || type == Date.self
    case .text:
      !(type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type
        || type == Bool.self)
    case .blob:
      type == String.self || type == UUID.self || type == [Any].self || type == [String: Any].self
    case .null: false
    }
  }

  func missing(_ key: any CodingKey) -> DecodingError {
    let error = SQLiteError(.range, "There is no column named \"\(key.stringValue)\"")
    return .keyNotFound(
      key,
      .init(codingPath: [], debugDescription: error.message, underlyingError: error))
  }
}

/// A column as a component of a coding path.
struct ColumnKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ key: any CodingKey) { (stringValue, intValue) = (key.stringValue, key.intValue) }
  init(index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
  init?(intValue: Int) { self.init(index: intValue) }
}
