public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// A value as the text of its JSON, which the JSON functions of SQL can look into; NULL for nil.
  ///
  /// By default the keys are sorted, so that equal values are equal text. What cannot be JSON, such
  /// as an infinite number, is refused with ``ResultCode/mismatch`` when it is bound.
  public static func json<Value: Encodable>(
    _ value: Value?, encoder: JSONEncoder? = nil
  ) -> SQLParameter {
    SQLParameter(value) { value in
      do {
        return .text(String(decoding: try (encoder ?? .sortingKeys).encode(value), as: UTF8.self))
      } catch let error as EncodingError {
        throw SQLiteError(.mismatch, "\(type(of: value)) cannot be JSON: \(error.reason)")
      }
    }
  }
}

extension ColumnValueConverter where Value: Decodable & SendableMetatype {
  /// A value from the text of its JSON: `try row.get(.json(Settings.self), named: "settings")`.
  ///
  /// If it cannot be decoded, ``ResultCode/mismatch`` says why, in words that may quote the JSON.
  public static func json(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) -> Self {
    Self { row, index in
      let data = Data(try row.get(.string, at: index).utf8)
      do {
        return try decoder.decode(Value.self, from: data)
      } catch let error as DecodingError {
        let reason = error.detailed(by: decoder, Value.self, data).reason
        throw row.mismatch(at: index, "is not the JSON of \(Value.self): \(reason)")
      }
    }
  }
}

extension DecodingError {
  /// The error with its place, where Foundation calls a number that does not fit a mistake of the JSON.
  fileprivate func detailed<T: Decodable>(
    by decoder: JSONDecoder, _ type: T.Type, _ data: Data
  ) -> DecodingError {
    guard case .dataCorrupted(let context) = self, context.codingPath.isEmpty else { return self }
    do { _ = try decoder.decode(NestedWhole<T>.self, from: data) } catch {
      return error as? DecodingError ?? self
    }
    return self
  }
}

extension JSONEncoder {
  fileprivate static var sortingKeys: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
