import Foundation
import SluiceCore

/// Values as parameters, with the choices of the strategies.
extension ParameterWriter {
  /// The parameter for a value, or nil if the value has to encode itself.
  func parameter<T>(_ value: T) throws -> SQLParameter? {
    let type = T.self
    if type == Date.self, let date = value as? Date {
      return SQLParameter(try settings.strategies.dates.encode(date))
    }
    if type == Data.self, let data = value as? Data {
      return settings.strategies.data == .blob
        ? .data(data) : .string(data.base64EncodedString())
    }
    if type == UUID.self, let uuid = value as? UUID {
      return settings.strategies.uuids == .text ? .uuidString(uuid) : .uuidBytes(uuid)
    }
    if type == URL.self, let url = value as? URL { return .urlString(url) }
    if type == Decimal.self, let decimal = value as? Decimal { return .decimal(decimal) }
    if let json = plainArray(value) { return .string(json) }
    // What is in an optional value may be Data, which is not stored as an SQLValue then.
    if settings.strategies.data != .blob, type is any OptionalType.Type { return nil }
    guard let value = value as? any SQLValue else { return nil }
    return SQLParameter(try value.databaseValue)
  }

  /// The parameter for a nested value.
  func nested(_ value: NestedValue) throws -> SQLParameter {
    switch settings.strategies.nested {
    case .json, .grdb: .string(String(decoding: try json.encode(value), as: UTF8.self))
    case .propertyList: .data(try propertyList.encode(value))
    }
  }

  /// Converts a failure to bind a value into an error of encoding.
  ///
  /// One that is not about the value, such as a statement that stands on a row, stays what it is.
  func failure<T>(_ error: any Error, _ value: T, _ key: (any CodingKey)?) -> any Error {
    let path = [key].compactMap { $0 }
    let reason: String
    switch error {
    case let error as EncodingError: return error
    case let error as SQLiteError:
      guard [.mismatch, .range, .tooBig].contains(error.code) else { return error }
      reason = error.message
    case let error as Refusal: reason = "It \(error.reason)"
    default: reason = "\(error)"
    }
    let cause: any Error =
      error is Refusal ? SQLiteError(.mismatch, reason) : error
    // Foundation cannot print each date.
    let shown: Any = (value as? Date).map(\.timeIntervalSinceReferenceDate) ?? value
    return EncodingError.invalidValue(
      shown, .init(codingPath: path, debugDescription: reason, underlyingError: cause))
  }
}
