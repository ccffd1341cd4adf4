import Foundation
import Sluice
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with a value as a blob that contains its binary property list; NULL for nil.
  ///
  /// The value must be encoded as an array or a dictionary. Any other value throws `ResultCode.mismatch` when it
  /// is bound.
  public static func propertyList<Value: Encodable>(_ value: Value?) -> SQLParameter {
    SQLParameter(value) { value in
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .binary
      do { return .blob([UInt8](try encoder.encode(value))) } catch let error as EncodingError {
        throw SQLiteError(
          .mismatch, "\(type(of: value)) cannot be encoded as a property list: \(error.reason)")
      }
    }
  }
}

extension ColumnValueConverter where Value: Decodable & SendableMetatype {
  /// Returns a converter that reads a value from a blob with its binary property list.
  ///
  /// Reading throws `ResultCode.mismatch` if the property list cannot be decoded. The message contains the
  /// reason, and may quote the property list.
  public static func propertyList(_ type: Value.Type = Value.self) -> Self {
    Self { row, index in
      let bytes = try row.get(.bytes, at: index)
      do {
        try BinaryPropertyList(bytes).check()
        return try PropertyListDecoder().decode(Value.self, from: Data(bytes))
      } catch let error as Refusal {
        throw row.mismatch(at: index, "is not a binary property list: \(error.reason)")
      } catch let error as DecodingError {
        throw row.mismatch(at: index, "is not the property list of \(Value.self): \(error.reason)")
      }
    }
  }
}
