public import Foundation
public import SluiceCore

extension Data: SQLValue {
  /// Creates data from a blob, or from the UTF-8 bytes of text.
  public init?(databaseValue: DatabaseValue) {
    guard let bytes = [UInt8](databaseValue: databaseValue) else { return nil }
    self.init(bytes)
  }

  /// The bytes as a blob; throws ``ResultCode/tooBig`` for 2 GiB or more, which exceeds SQLite's limit.
  public var databaseValue: DatabaseValue {
    get throws {
      // Check the size first, so that data that is too large is not copied.
      guard count <= Int32.max else {
        throw SQLiteError(.tooBig, "A blob of \(count) bytes exceeds SQLite's limit")
      }
      return .blob([UInt8](self))
    }
  }
}

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter that stores data as a blob; NULL for nil.
  public static func data(_ data: Data?) -> SQLParameter { data.sqlParameter }
}

extension ColumnValueConverter where Value == Data {
  /// A converter that reads a blob, or the bytes of text, even if the text is not UTF-8.
  public static var data: Self {
    Self { row, index in
      guard try row.storageClass(at: index) == .blob else {
        return Data(try row.get(.bytes, at: index))
      }
      return try row.withBytes(at: index) { bytes in
        unsafe bytes.withUnsafeBytes { unsafe Data($0) }
      }
    }
  }
}
