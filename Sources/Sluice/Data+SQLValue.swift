public import Foundation
public import SluiceCore

extension Data: SQLValue {
  /// Takes a blob, and text as its UTF-8.
  public init?(databaseValue: DatabaseValue) {
    guard let bytes = [UInt8](databaseValue: databaseValue) else { return nil }
    self.init(bytes)
  }

  /// The bytes, which must be fewer than the 2 GiB that no blob of SQLite can have.
  public var databaseValue: DatabaseValue {
    get throws {
      // Too many bytes are refused before they are copied.
      guard count <= Int32.max else {
        throw SQLiteError(.tooBig, "A blob of \(count) bytes exceeds SQLite's limit")
      }
      return .blob([UInt8](self))
    }
  }
}

extension SQLBindable where Self == SQLParameter {
  /// A blob, or NULL for nil.
  public static func data(_ data: Data?) -> SQLParameter { data.sqlParameter }
}

extension ColumnValueConverter where Value == Data {
  /// A blob, or the bytes of text, also of text that is not UTF-8.
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
