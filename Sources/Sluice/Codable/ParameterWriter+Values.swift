import Foundation
import SluiceCore

/// Conversion of values to parameters, according to the strategies.
extension ValueEncoding {
  /// Returns the parameter for a value; nil if the value must encode itself.
  func parameter<T>(_ value: T) throws -> SQLParameter? {
    let type = T.self
    if type == Date.self, let date = value as? Date {
      return SQLParameter(try strategies.dates.encode(date))
    }
    if type == Data.self, let data = value as? Data {
      return strategies.data == .blob
        ? .data(data) : .string(data.base64EncodedString())
    }
    if type == UUID.self, let uuid = value as? UUID {
      return .uuid(uuid, as: strategies.uuids)
    }
    if type == URL.self, let url = value as? URL { return .urlString(url) }
    if type == Decimal.self, let decimal = value as? Decimal { return .decimal(decimal) }
    if let json = plainArray(value) { return .string(json) }
    // An optional may contain `Data`, which this strategy does not store as an `SQLValue`.
    if strategies.data != .blob, type is any OptionalType.Type { return nil }
    guard let value = value as? any SQLValue else { return nil }
    return SQLParameter(try value.databaseValue)
  }

  /// Returns the parameter for a nested value.
  func nested(_ value: NestedValue) throws -> SQLParameter {
    switch strategies.nested {
    case .json, .grdb:
      do {
        return .string(String(decoding: try json.encode(value), as: UTF8.self))
      } catch EncodingError.invalidValue(let refused, _) where refused is NestedValue {
        // Foundation refuses the recorded value itself only for its depth, and does not say so.
        throw SQLiteError(.tooBig, "It is nested too deeply for JSON")
      }
    case .propertyList:
      let encoded = [UInt8](try propertyList.encode(value))
      return SQLParameter(.blob(try BinaryPropertyList(encoded).sorted()))
    }
  }
}

extension ParameterWriter {
  /// Converts an error from binding a value into an `EncodingError`.
  ///
  /// An error that the value did not cause is returned unchanged, such as the error for a statement that has not
  /// been reset.
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
    // The error contains seconds instead of the date, because Foundation cannot print every date.
    let shown: Any = (value as? Date).map(\.timeIntervalSinceReferenceDate) ?? value
    return EncodingError.invalidValue(
      shown, .init(codingPath: path, debugDescription: reason, underlyingError: cause))
  }
}
