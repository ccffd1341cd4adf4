import SluiceCore

extension ParameterWriter {
  /// Encodes a value, and binds the result to one parameter.
  func encode<T: Encodable>(_ value: T, _ target: Target, _ key: (any CodingKey)?) throws {
    try encode(value, target, key, values(of: target))
  }

  fileprivate func encode<T: Encodable>(
    _ value: T, _ target: Target, _ key: (any CodingKey)?, _ values: ValueEncoding
  ) throws {
    do {
      if let parameter = try values.parameter(value) { return try bind(parameter, target) }
    } catch {
      throw failure(error, value, key)
    }
    let column = ColumnEncoding(writer: self, values, target, key.map(ColumnKey.init))
    try value.encode(to: column)
    try column.close()
    guard column.isWritten else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: column.codingPath, debugDescription: "The value did not encode anything"))
    }
  }
}

/// An encoder for a type that encodes itself into a parameter, as a single or a nested value.
final class ColumnEncoding: Encoder {
  private let writer: ParameterWriter
  private let values: ValueEncoding
  private let target: ParameterWriter.Target
  private let key: ColumnKey?
  private var nested: NestedValue?
  /// Whether a value was encoded.
  private(set) var isWritten = false

  init(
    writer: ParameterWriter, _ values: ValueEncoding, _ target: ParameterWriter.Target,
    _ key: ColumnKey?
  ) {
    self.writer = writer
    self.values = values
    self.target = target
    self.key = key
  }

  var codingPath: [any CodingKey] { [key].compactMap { $0 } }
  var userInfo: [CodingUserInfoKey: Any] { writer.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    value.container(type, codingPath, userInfo)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { value.sequence(codingPath, userInfo) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  private var value: NestedValue {
    let value = nested ?? NestedValue()
    nested = value
    return value
  }

  /// Binds the nested value, if there is one.
  func close() throws {
    guard let nested else { return }
    guard !isWritten else { throw twice(nested.shown) }
    do { try writer.bind(values.nested(nested), target) } catch let error as EncodingError {
      throw error.prefixed(by: codingPath)
    } catch {
      throw writer.failure(error, nested.shown, key)
    }
    isWritten = true
  }

  /// Binds the nested value when the whole value is complete; throws if the parameter already has a value.
  func closePart() throws {
    if let nested, try writer.hasBound(target) { throw twice(nested.shown) }
    try close()
  }

  /// Returns an error for a value that would be lost, because another value was encoded in its place.
  private func twice(_ value: Any) -> EncodingError {
    EncodingError.invalidValue(
      value, .init(codingPath: codingPath, debugDescription: NestedValue.twice))
  }
}

extension ColumnEncoding: SingleValueEncodingContainer {
  func encodeNil() throws { try encode(Optional<Int>.none, nil) }

  func encode<T: Encodable>(_ value: T) throws {
    guard !isWritten else { throw twice(value) }
    try writer.encode(value, target, key, values)
    isWritten = true
  }

  private func encode<T>(_ value: T, _ parameter: SQLParameter) throws {
    guard !isWritten else { throw twice(value) }
    do { try writer.bind(parameter, target) } catch { throw writer.failure(error, value, key) }
    isWritten = true
  }
}

extension EncodingError {
  /// Returns the same error, with `prefix` before its coding path.
  func prefixed(by prefix: [any CodingKey]) -> EncodingError {
    guard case .invalidValue(let value, let context) = self else { return self }
    return .invalidValue(
      value,
      Context(
        codingPath: prefix + context.codingPath, debugDescription: context.debugDescription,
        underlyingError: context.underlyingError))
  }
}
