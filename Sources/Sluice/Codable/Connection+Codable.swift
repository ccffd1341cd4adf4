public import SluiceCore

/// Queries whose rows become `Decodable` values; see ``RowDecoder``.
///
/// ```swift
/// let people = try connection.query(Person.self, sql: "SELECT * FROM person")
/// ```
///
/// To use another decoder, write `query(.decoding(Person.self, by: decoder), sql: …)`.
extension Connection {
  /// Returns the rows of one statement as values.
  ///
  /// `parameters` contains the values by position.
  @_disfavoredOverload  // An array literal is a list of values, not the bytes of a blob.
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

  /// Returns the rows of one statement as values.
  ///
  /// `parameters` contains the values by position or by name.
  public func query<T: Decodable & SendableMetatype>(
    _ type: T.Type, sql: String, parameters: SQLParameters
  ) throws -> [T] {
    try query(.decoding(type), sql: sql, parameters: parameters)
  }

  /// Returns the rows of an SQL literal as values.
  ///
  /// The interpolated values are bound.
  public func query<T: Decodable & SendableMetatype>(_ type: T.Type, _ sql: SQL) throws -> [T] {
    try query(.decoding(type), sql)
  }

  /// Returns the first row of one statement as a value; nil if there is no row.
  ///
  /// `parameters` contains the values by position.
  @_disfavoredOverload  // An array literal is a list of values, not the bytes of a blob.
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

  /// Returns the first row of one statement as a value; nil if there is no row.
  ///
  /// `parameters` contains the values by position or by name.
  public func first<T: Decodable & SendableMetatype>(
    _ type: T.Type, sql: String, parameters: SQLParameters
  ) throws -> T? {
    try first(.decoding(type), sql: sql, parameters: parameters)
  }

  /// Returns the first row of an SQL literal as a value; nil if there is no row.
  ///
  /// The interpolated values are bound.
  public func first<T: Decodable & SendableMetatype>(_ type: T.Type, _ sql: SQL) throws -> T? {
    try first(.decoding(type), sql)
  }
}

extension Connection {
  /// Executes one statement with the properties of a value as parameters; see ``StatementEncoder``.
  ///
  /// ```swift
  /// try connection.execute(sql: "INSERT INTO person VALUES (:id, :name, :born)", encoding: person)
  /// ```
  public func execute(sql: String, encoding value: some Encodable) throws {
    try withStatement(sql) { statement in try statement.bind(encoding: value).execute() }
  }
}

/// Unavailable overloads, with which the compiler can explain that a `String` needs the label `sql:`.
///
/// Without these overloads, the compiler would only suggest adding the label. In a literal with the label,
/// interpolated values become SQL instead of being bound.
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
  /// Returns each row as a `Decodable` value; see ``RowDecoder``.
  public func query<T: Decodable & SendableMetatype>(_ type: T.Type) throws -> [T] {
    try query(.decoding(type))
  }

  /// Returns the first row as a `Decodable` value, or nil if there is no row; see ``RowDecoder``.
  public func first<T: Decodable & SendableMetatype>(_ type: T.Type) throws -> T? {
    try first(.decoding(type))
  }
}
