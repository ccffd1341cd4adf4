public import SluiceCore

extension StatementEncoder {
  /// Returns the parameter for a value, encoded as if it were a property.
  ///
  /// A date is encoded as ``CodingStrategies/dates`` specifies, and an array becomes one nested value. The result
  /// is a single parameter, even for a value with several parts. A value that SQLite cannot store, such as a NaN,
  /// throws when it is bound.
  public func parameter(for value: some Encodable) throws -> SQLParameter {
    let writer = ParameterWriter(settings)
    do {
      return try writer.collect { try writer.encode(value, .number(1), nil) }.single ?? .null
    } catch let error as SQLiteError {
      throw writer.failure(error, value, nil)
    }
  }

  /// Returns the properties of a value, by the parameter names that the strategies define.
  ///
  /// A nil property becomes NULL. Throws an `EncodingError` for a value without properties, such as an `Int` or
  /// an array, and for two properties with the same converted name.
  public func parameters(for value: some Encodable) throws -> [String: SQLParameter] {
    let writing = ParameterWriting(settings)
    do {
      let collected = try writing.writer.collect { try writing.encode(value) }
      guard collected.single == nil else {
        throw SQLiteError(.range, "A \(type(of: value)) has no properties")
      }
      return collected.properties
    } catch let error as SQLiteError {
      throw writing.writer.failure(error, value, nil)
    }
  }
}

extension Connection {
  /// Returns the parameter for a value, encoded with the connection's strategies.
  ///
  /// See ``StatementEncoder/parameter(for:)``.
  ///
  /// ```swift
  /// let day = try connection.parameter(encoding: Date(timeIntervalSince1970: 0))
  /// let older = try connection.query(Person.self, "SELECT * FROM person WHERE born < \(day)")
  /// ```
  public func parameter(encoding value: some Encodable) throws -> SQLParameter {
    // No strategy applies to the most common types of keys.
    switch value {
    case let value as Int64: .int64(value)
    case let value as Int: .int(value)
    case let value as String: .string(value)
    default: try StatementEncoder(codingSettings ?? .standard).parameter(for: value)
    }
  }

  /// Returns the parameter for a value of a property, whose representation a table may declare.
  package func parameter(
    encoding value: some Encodable, as property: @autoclosure () -> String,
    _ declared: [String: ColumnRepresentation]
  ) throws -> SQLParameter {
    let settings = codingSettings ?? .standard
    guard !declared.isEmpty || !settings.strategies.representations.isEmpty else {
      return try parameter(encoding: value)
    }
    let property = property()
    let strategies = settings.strategies.strategies(of: property, declared[property])
    return try StatementEncoder(strategies).parameter(for: value)
  }

  /// Returns the properties of a value by parameter name, encoded with the connection's strategies.
  ///
  /// See ``StatementEncoder/parameters(for:)``.
  ///
  /// ```swift
  /// var parameters = try connection.parameters(encoding: person)
  /// parameters["changed"] = .iso8601(.now)
  /// ```
  public func parameters(encoding value: some Encodable) throws -> [String: SQLParameter] {
    try StatementEncoder(codingSettings ?? .standard).parameters(for: value)
  }
}
