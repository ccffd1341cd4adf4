public import SluiceCore

/// Binds the properties of an `Encodable` value to the parameters of a statement.
///
/// ```swift
/// let encoder = StatementEncoder(CodingStrategies(propertiesWithoutParameter: .leftOut))
/// let statement = try connection.prepare(sql: "UPDATE person SET name = :name WHERE id = :id")
/// try encoder.encode(person, to: statement).execute()
/// ```
///
/// Each property is bound to the parameter of its name, which is `:name`, `@name` or `$name` for the
/// property `name`; nil is NULL. A single value, such as an `Int` or a `Date`, is bound to the first
/// parameter, and an array to all of them in order.
///
/// What cannot be encoded throws an `EncodingError` with the path to it, and with the ``SQLiteError``
/// beneath it where there is one. Nothing is bound to the statement then: it does not run before it
/// gets new values.
///
/// Without an encoder, ``Statement/bind(encoding:)`` does the same with the strategies of the statement.
public struct StatementEncoder: Sendable {
  let settings: CodingSettings

  /// Makes an encoder with strategies, whatever those of connections and statements are.
  ///
  /// `userInfo` is what types find when they encode themselves.
  public init(
    _ strategies: CodingStrategies = CodingStrategies(),
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    settings = CodingSettings(strategies, userInfo: userInfo)
  }

  init(_ settings: CodingSettings) { self.settings = settings }

  /// Binds a value to the parameters of a statement.
  @discardableResult
  public func encode(_ value: some Encodable, to statement: Statement) throws -> Statement {
    try statement.coding.writing(settings).encode(value, to: statement)
    return statement
  }
}

extension Statement {
  /// Binds the properties of a value to the parameters of their names, with the strategies of the
  /// statement; see ``StatementEncoder``.
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
