import SluiceCore

/// The types of values in parameters and rows.
enum WireType: UInt8 {
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
  /// An integer in a column that is declared DATETIME, DATE or TIMESTAMP.
  case unixTime = 9
  /// Text in a column that is declared DATETIME, DATE or TIMESTAMP.
  case isoTime = 10
  /// A value in a column that is declared BOOLEAN.
  case boolean = 11

  /// The type of a parameter.
  init(_ value: DatabaseValue) {
    self =
      switch value {
      case .integer: .integer
      case .real: .real
      case .text: .text
      case .blob: .blob
      case .null: .null
      }
  }
}
