import SluiceCore

extension Row {
  /// Returns a description of a value by its type and its bits; for text, another column contains the bytes.
  func exactValue(at index: Int) throws -> String {
    switch try storageClass(at: index) {
    case .null: "NULL"
    case .integer: "i\(try integer(at: index))"
    case .real: "r\(try real(at: index).bitPattern)"
    case .text: "t"
    case .blob: "b\(try blob(at: index))"
    }
  }

  /// Returns such a description of all values.
  func exactValues() throws -> String {
    try indices.map { try exactValue(at: $0) }.joined(separator: " ")
  }
}

extension Configuration {
  /// A configuration that changes nothing but what a script says: random rows refer to missing rows.
  static var exact: Configuration {
    var configuration = Configuration()
    configuration.foreignKeys = false
    configuration.optimizesOnClose = false
    return configuration
  }
}
