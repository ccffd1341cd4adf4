public import SluiceCore

extension StatementEncoder {
  /// The parameter that a value is as a property: a date by its strategy, an array as one nested value.
  ///
  /// Whatever the value consists of, it is one parameter. What SQLite cannot hold, such as a number that
  /// is none, throws when it is bound.
  public func parameter(for value: some Encodable) throws -> SQLParameter {
    let writer = ParameterWriter(settings)
    do {
      return try writer.collect { try writer.encode(value, .number(1), nil) }.single ?? .null
    } catch let error as SQLiteError {
      throw writer.failure(error, value, nil)
    }
  }

  /// The properties of a value, by the names that the strategies give to their parameters.
  ///
  /// One that is nil is NULL. A value without properties, such as an `Int` or an array, throws an
  /// `EncodingError`, and so do two properties of one name.
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
  /// The parameter that a value is as a property, with the strategies of the connection; see
  /// ``StatementEncoder/parameter(for:)``.
  ///
  /// ```swift
  /// let day = try connection.parameter(encoding: Date(timeIntervalSince1970: 0))
  /// let older = try connection.query(Person.self, "SELECT * FROM person WHERE born < \(day)")
  /// ```
  public func parameter(encoding value: some Encodable) throws -> SQLParameter {
    try StatementEncoder(codingSettings ?? .standard).parameter(for: value)
  }

  /// The properties of a value by their names, with the strategies of the connection; see
  /// ``StatementEncoder/parameters(for:)``.
  ///
  /// ```swift
  /// var parameters = try connection.parameters(encoding: person)
  /// parameters["changed"] = .iso8601(.now)
  /// ```
  public func parameters(encoding value: some Encodable) throws -> [String: SQLParameter] {
    try StatementEncoder(codingSettings ?? .standard).parameters(for: value)
  }
}
