import SluiceCore

/// The encoded parameters of a value, collected before there is a statement to bind them to.
struct CollectedParameters {
  /// The values of the properties, by the names of their parameters.
  private(set) var properties: [String: SQLParameter] = [:]
  /// The value itself, or its last part, if it has no properties.
  private(set) var single: SQLParameter?
  /// The properties from which the parameter names were made, by parameter name.
  private var keys: [String: String] = [:]

  mutating func add(
    _ parameter: SQLParameter, for target: ParameterWriter.Target, named name: (String) -> String
  ) throws {
    switch target {
    case .number: single = parameter
    case .property(let key):
      let name = name(key)
      let other = keys.updateValue(key, forKey: name)
      // Swift strings with different bytes can be equal, although they name different properties.
      guard other?.utf8.elementsEqual(key.utf8) != false else {
        throw SQLiteError.twins(other ?? key, key, name)
      }
      properties[name] = parameter
    }
  }

  /// Whether there already is a value for a target.
  func has(_ target: ParameterWriter.Target, named name: (String) -> String) -> Bool {
    switch target {
    case .number: single != nil
    case .property(let key): properties[name(key)] != nil
    }
  }
}

extension SQLiteError {
  /// Returns an error about two properties whose names become one, so that one of the values would be lost.
  static func twins(_ first: String, _ second: String, _ name: String) -> SQLiteError {
    SQLiteError(
      .range, "The properties \"\(first)\" and \"\(second)\" are both named \"\(name)\"")
  }
}
