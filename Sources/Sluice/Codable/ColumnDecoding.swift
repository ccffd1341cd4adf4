import Foundation
import SluiceCore

/// A decoder for a type that decodes itself from a column, as a single or a nested value.
struct ColumnDecoding: Decoder {
  let reader: RowReader
  let values: ValueDecoding
  let index: Int
  let key: ColumnKey?

  var codingPath: [any CodingKey] { [key].compactMap { $0 } }
  var userInfo: [CodingUserInfoKey: Any] { reader.settings.userInfo }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let base = try nested(Keyed<Key>.self, [String: Any].self).container
    return KeyedDecodingContainer(NestedContainer(base: base, prefix: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    NestedSequence(base: try nested(Unkeyed.self, [Any].self).container, prefix: codingPath)
  }

  /// Decodes `type` from the nested value; errors name the type `shown`.
  private func nested<T: Decodable>(_ type: T.Type, _ shown: Any.Type) throws -> T {
    do {
      switch values.strategies.nested {
      case .json, .grdb:
        let text = try reader.read { row in
          do { return try row.get(.string, at: index) } catch {
            guard try row.storageClass(at: index) == .blob else { throw error }
            throw row.mismatch(
              at: index, "is BLOB, and not UTF-8; the strategy `nested: .json` reads JSON")
          }
        }
        do { return try values.json.decode(type, from: Data(text.utf8)) } catch {
          // If the text as a whole is not JSON, the error from the decoder has no path.
          guard case DecodingError.dataCorrupted(let context) = error, context.codingPath.isEmpty
          else { throw error }
          throw try reader.read { row in
            row.mismatch(at: index, "is not JSON, as the strategy `nested: .json` requires")
          }
        }
      case .propertyList:
        let bytes = try reader.read { row in try row.get(.bytes, at: index) }
        do { try BinaryPropertyList(bytes).check() } catch {
          throw try reader.read { row in
            row.mismatch(
              at: index,
              "is not a binary property list, as the strategy `nested: .propertyList` requires: "
                + error.reason)
          }
        }
        return try values.propertyList.decode(type, from: Data(bytes))
      }
    } catch let error as DecodingError {
      throw error.prefixed(by: codingPath)
    } catch {
      throw reader.failure(error, shown, at: index, key)
    }
  }

  /// A wrapper that captures a container while a value is decoded, so that the container can be used afterwards.
  private struct Keyed<Key: CodingKey>: Decodable {
    let container: KeyedDecodingContainer<Key>
    init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }
  }

  private struct Unkeyed: Decodable {
    let container: any UnkeyedDecodingContainer
    init(from decoder: any Decoder) throws { container = try decoder.unkeyedContainer() }
  }
}

extension ColumnDecoding: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    // Ignore an error here, because it recurs when the value is decoded.
    (try? reader.read { row in try row.isNull(at: index) }) ?? false
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try reader.decode(type, at: index, key, values)
  }
}

extension DecodingError {
  /// Returns the same error, with `prefix` before its coding path.
  func prefixed(by prefix: [any CodingKey]) -> DecodingError {
    func moved(_ context: Context) -> Context {
      Context(
        codingPath: prefix + context.codingPath, debugDescription: context.debugDescription,
        underlyingError: context.underlyingError)
    }
    return switch self {
    case .typeMismatch(let type, let context): .typeMismatch(type, moved(context))
    case .valueNotFound(let type, let context): .valueNotFound(type, moved(context))
    case .keyNotFound(let key, let context): .keyNotFound(key, moved(context))
    case .dataCorrupted(let context): .dataCorrupted(moved(context))
    @unknown default: self
    }
  }
}
