import SluiceCore

/// What a value has encoded where there is no statement to bind it to.
struct CollectedParameters {
  /// The properties, by the names of their parameters.
  private(set) var properties: [String: SQLParameter] = [:]
  /// The value itself or its last part, if it has no properties.
  private(set) var single: SQLParameter?
  /// The properties by whose names the parameters were made.
  private var keys: [String: String] = [:]

  mutating func add(
    _ parameter: SQLParameter, for target: ParameterWriter.Target, named name: (String) -> String
  ) throws {
    switch target {
    case .number: single = parameter
    case .property(let key):
      let name = name(key)
      let other = keys.updateValue(key, forKey: name)
      // Text is equal to Swift if it only looks the same, which two properties may do.
      guard other?.utf8.elementsEqual(key.utf8) != false else {
        throw SQLiteError(
          .range, "The properties \"\(other ?? key)\" and \"\(key)\" are both named \"\(name)\"")
      }
      properties[name] = parameter
    }
  }
}
