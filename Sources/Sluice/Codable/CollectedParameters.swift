import SluiceCore

/// The encoded parameters of a value, which are collected instead of being bound to a statement.
struct CollectedParameters {
  /// The values of the properties, by parameter name.
  private(set) var properties: [String: SQLParameter] = [:]
  /// The value itself, or its last part if it has several; used for a value without properties.
  private(set) var single: SQLParameter?
  /// The properties whose names were converted, by parameter name.
  private var keys: [String: String] = [:]

  mutating func add(
    _ parameter: SQLParameter, for target: ParameterWriter.Target, named name: (String) -> String
  ) throws {
    switch target {
    case .number: single = parameter
    case .property(let key):
      let name = name(key)
      let other = keys.updateValue(key, forKey: name)
      // Compare bytes: two Swift strings can be equal, but consist of different bytes and name different properties.
      guard other?.utf8.elementsEqual(key.utf8) != false else {
        throw SQLiteError.twins(other ?? key, key, name)
      }
      properties[name] = parameter
    }
  }

  /// Returns whether a value was already collected for a target.
  func has(_ target: ParameterWriter.Target, named name: (String) -> String) -> Bool {
    switch target {
    case .number: single != nil
    case .property(let key): properties[name(key)] != nil
    }
  }
}

extension SQLiteError {
  /// Returns an error for two properties with the same converted name, because one value would be lost.
  static func twins(_ first: String, _ second: String, _ name: String) -> SQLiteError {
    SQLiteError(
      .range, "The properties \"\(first)\" and \"\(second)\" are both named \"\(name)\"")
  }
}
