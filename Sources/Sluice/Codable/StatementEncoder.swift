public import SluiceCore

/// An encoder that binds the properties of an `Encodable` value to the parameters of a statement.
///
/// ```swift
/// let encoder = StatementEncoder(CodingStrategies(propertiesWithoutParameter: .leftOut))
/// let statement = try connection.prepare(sql: "UPDATE person SET name = :name WHERE id = :id")
/// try encoder.encode(person, to: statement).execute()
/// ```
///
/// Each property is bound to the parameter with its name: `:name`, `@name` or `$name` for the property `name`. A
/// nil property becomes NULL. A single value, such as an `Int` or a `Date`, is bound to the first parameter, and
/// an array is bound to all parameters in order.
///
/// A value that cannot be encoded throws an `EncodingError` with its path. If an ``SQLiteError`` caused it, that
/// error is the underlying error. After an error, all parameters are unbound, and the statement does not run
/// until new values are bound.
///
/// To encode with the strategies of the statement, use ``Statement/bind(encoding:)``.
public struct StatementEncoder: Sendable {
  let settings: CodingSettings

  /// Creates an encoder whose strategies replace the strategies of connections and statements.
  ///
  /// Types that encode themselves can access `userInfo`.
  public init(
    _ strategies: CodingStrategies = CodingStrategies(),
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    settings = CodingSettings(strategies, userInfo: userInfo)
  }

  init(_ settings: CodingSettings) { self.settings = settings }

  /// Encodes a value, and binds it to the parameters of a statement.
  @discardableResult
  public func encode(_ value: some Encodable, to statement: Statement) throws -> Statement {
    try statement.coding.writing(settings).encode(value, to: statement)
    return statement
  }
}

extension Statement {
  /// Binds the properties of a value to the parameters with their names; see ``StatementEncoder``.
  ///
  /// The strategies of the statement apply.
  ///
  /// ```swift
  /// let statement = try connection.prepare(sql: "INSERT INTO person VALUES (:id, :name, :born)")
  /// for person in people { try statement.bind(encoding: person).execute() }
  /// ```
  @discardableResult
  public func bind(encoding value: some Encodable) throws -> Statement {
    try coding.writing(for: self).encode(value, to: self)
    return self
  }
}

extension Statement {
  /// Binds the properties of a value to the parameters of their columns, and NULL to those of all other columns.
  ///
  /// The strategies of the connection apply, with the names of `columns`.
  ///
  /// - Returns: The name of a property's column that does not exist; nil if there is none.
  package func bind(_ value: some Encodable, to columns: WrittenColumns) throws -> String? {
    let writing = coding.writing(to: columns, for: self)
    try writing.encode(value, to: self)
    return writing.writer.unknownColumn
  }
}
