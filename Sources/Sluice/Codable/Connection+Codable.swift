public import SluiceCore

/// Rows that become `Decodable` values; see ``RowDecoder``.
///
/// ```swift
/// let people = try connection.query(Person.self, sql: "SELECT * FROM person")
/// ```
///
/// With a decoder of its own, it is `query(.decoding(Person.self, by: decoder), sql: …)`.
extension Connection {
  /// The rows as values of one statement.
  ///
  /// `parameters` are the values by position.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  public func query<
    T: Decodable & SendableMetatype, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable,
    E: SQLBindable, F: SQLBindable
  >(
    _ type: T.Type, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) throws -> [T] {
    try query(.decoding(type), sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// The rows as values of one statement.
  ///
  /// `parameters` are the values by position or by name.
  public func query<T: Decodable & SendableMetatype>(
    _ type: T.Type, sql: String, parameters: SQLParameters
  ) throws -> [T] {
    try query(.decoding(type), sql: sql, parameters: parameters)
  }

  /// The rows as values of a literal, in which the interpolated values are bound.
  public func query<T: Decodable & SendableMetatype>(_ type: T.Type, _ sql: SQL) throws -> [T] {
    try query(.decoding(type), sql)
  }

  /// The first row as a value of one statement, or nil if there is none.
  ///
  /// `parameters` are the values by position.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  public func first<
    T: Decodable & SendableMetatype, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable,
    E: SQLBindable, F: SQLBindable
  >(
    _ type: T.Type, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) throws -> T? {
    try first(.decoding(type), sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// The first row as a value of one statement, or nil if there is none.
  ///
  /// `parameters` are the values by position or by name.
  public func first<T: Decodable & SendableMetatype>(
    _ type: T.Type, sql: String, parameters: SQLParameters
  ) throws -> T? {
    try first(.decoding(type), sql: sql, parameters: parameters)
  }

  /// The first row as a value of a literal, in which the interpolated values are bound, or nil if there is none.
  public func first<T: Decodable & SendableMetatype>(_ type: T.Type, _ sql: SQL) throws -> T? {
    try first(.decoding(type), sql)
  }
}

extension Connection {
  /// Runs one statement with the properties of a value for its parameters; see ``StatementEncoder``.
  ///
  /// ```swift
  /// try connection.execute(sql: "INSERT INTO person VALUES (:id, :name, :born)", encoding: person)
  /// ```
  public func execute(sql: String, encoding value: some Encodable) throws {
    try withStatement(sql) { statement in try statement.bind(encoding: value).execute() }
  }
}

/// These take what is no ``SQL``, so that the compiler can say what is wrong. Without them it would
/// propose the label `sql:`, with which values are pasted.
extension Connection {
  @available(
    *, unavailable,
    message: "SQL without a label is a literal, in which values are bound; pass a String as sql:"
  )
  public func query<T: Decodable>(_ type: T.Type, _ sql: String) throws -> [T] {
    throw sql.noLiteral
  }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal, in which values are bound; pass a String as sql:"
  )
  public func first<T: Decodable>(_ type: T.Type, _ sql: String) throws -> T? {
    throw sql.noLiteral
  }
}

extension Statement {
  /// A `Decodable` value of each row; see ``RowDecoder``.
  public func query<T: Decodable & SendableMetatype>(_ type: T.Type) throws -> [T] {
    try query(.decoding(type))
  }

  /// A `Decodable` value of the first row, or nil if there is none; see ``RowDecoder``.
  public func first<T: Decodable & SendableMetatype>(_ type: T.Type) throws -> T? {
    try first(.decoding(type))
  }
}
