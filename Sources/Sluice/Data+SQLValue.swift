public import Foundation
public import SluiceCore

extension Data: SQLValue {
  /// Takes a blob, and text as its UTF-8.
  public init?(databaseValue: DatabaseValue) {
    guard let bytes = [UInt8](databaseValue: databaseValue) else { return nil }
    self.init(bytes)
  }

  public var databaseValue: DatabaseValue { .blob([UInt8](self)) }
}

extension SQLParameter {
  /// A blob.
  public static func data(_ data: Data) -> SQLParameter { SQLParameter(data) }
}

extension ColumnValueConverter where Value == Data {
  /// A blob, or the bytes of text, also of text that is not UTF-8.
  public static var data: Self { Self { row, index in Data(try row.get(.bytes, at: index)) } }
}
