public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with a value as JSON text, which SQL's JSON functions can read; NULL for nil.
  ///
  /// By default, the keys are sorted, so that equal values have equal text. A value that JSON cannot represent,
  /// such as an infinite number, throws ``ResultCode/mismatch`` when it is bound.
  public static func json<Value: Encodable>(
    _ value: Value?, encoder: JSONEncoder? = nil
  ) -> SQLParameter {
    SQLParameter(value) { value in
      do {
        return .text(String(decoding: try (encoder ?? .sortingKeys).encode(value), as: UTF8.self))
      } catch let error as EncodingError {
        throw SQLiteError(
          .mismatch, "\(type(of: value)) cannot be encoded as JSON: \(error.reason)")
      }
    }
  }
}

extension ColumnValueConverter where Value: Decodable & SendableMetatype {
  /// Returns a converter that decodes JSON text: `try row.get(.json(Settings.self), named: "settings")`.
  ///
  /// The converter throws ``ResultCode/mismatch`` if it cannot decode the text. The message contains the reason,
  /// and may quote the JSON. To read a column that contains JSONB, select `json(column)`, which returns text.
  public static func json(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) -> Self {
    Self { row, index in
      let isBlob = try row.storageClass(at: index) == .blob
      let advice = isBlob ? " (to read JSONB, select json(column))" : ""
      let data = try isBlob ? row.get(.data, at: index) : Data(row.get(.string, at: index).utf8)
      // Foundation would also accept UTF-16 with a byte order mark, which SQLite's JSON functions do not read.
      guard !isBlob || String(validating: data, as: UTF8.self) != nil else {
        throw row.mismatch(at: index, "is not JSON text in UTF-8\(advice)")
      }
      do {
        return try decoder.decode(Value.self, from: data)
      } catch let error as DecodingError {
        let reason = error.detailed(by: decoder, Value.self, data).reason
        throw row.mismatch(at: index, "is not the JSON of \(Value.self): \(reason)\(advice)")
      }
    }
  }
}

extension SQL.StringInterpolation {
  /// Inserts a value as JSONB, SQLite's binary form of JSON, or as JSON text if the linked SQLite lacks JSONB.
  ///
  /// ```swift
  /// try connection.execute(
  ///   "INSERT INTO account(id, settings) VALUES (1, \(jsonb: settings))")
  /// let first = try connection.first(
  ///   .column(.json(Settings.self)),
  ///   sql: "SELECT json(settings) FROM account WHERE id = 1")
  /// ```
  ///
  /// SQLite's JSON functions accept both forms. `json(column)` returns either as text, which the converter
  /// ``ColumnValueConverter/json(_:decoder:)`` reads. A program that links SQLite 3.44 or earlier cannot read JSONB:
  /// see ``SQLiteCapability/jsonb``. The value nil is NULL. In all other respects, the value is encoded like
  /// ``SQLBindable/json(_:encoder:)``.
  public mutating func appendInterpolation<Value: Encodable>(
    jsonb value: Value?, encoder: JSONEncoder? = nil
  ) {
    let parameter: SQLParameter = .json(value, encoder: encoder)
    guard SQLiteLibrary.has(.jsonb) else { return appendInterpolation(parameter) }
    appendInterpolation(raw: "jsonb(")
    appendInterpolation(parameter)
    appendInterpolation(raw: ")")
  }
}

extension DecodingError {
  /// Returns the error with the coding path of the value that could not be decoded.
  ///
  /// Foundation reports a number out of range as an error of the whole JSON, without a path.
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
