public import SluiceCore

/// Values of a `Decodable` type that come over time: rows that are asked for, and queries that are
/// observed; see ``RowDecoder``.
extension DatabaseReader {
  /// The rows of one statement as values, as they are asked for.
  ///
  /// `parameters` are the values by position.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  public func rows<
    T: Decodable & Sendable, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable,
    E: SQLBindable, F: SQLBindable
  >(
    _ type: T.Type, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) -> RowStream<T> {
    rows(.decoding(type), sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// The rows of one statement as values, as they are asked for.
  ///
  /// `parameters` are the values by position or by name.
  public func rows<T: Decodable & Sendable>(
    _ type: T.Type, sql: String, parameters: SQLParameters
  ) -> RowStream<T> {
    rows(.decoding(type), sql: sql, parameters: parameters)
  }

  /// The rows of one statement as values, as they are asked for; the interpolated values are bound.
  public func rows<T: Decodable & Sendable>(_ type: T.Type, _ sql: SQL) -> RowStream<T> {
    rows(.decoding(type), sql)
  }

  /// The result of a query, now and after each commit that may have changed it.
  ///
  /// `parameters` are the values by position.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  public func observe<
    T: Decodable & Sendable, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable,
    E: SQLBindable, F: SQLBindable
  >(
    _ type: T.Type, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) -> ValuePublisher<[T]> {
    observe(.decoding(type), sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// The result of a query, now and after each commit that may have changed it.
  ///
  /// `parameters` are the values by position or by name.
  public func observe<T: Decodable & Sendable>(
    _ type: T.Type, sql: String, parameters: SQLParameters
  ) -> ValuePublisher<[T]> {
    observe(.decoding(type), sql: sql, parameters: parameters)
  }

  /// The result of a query, now and after each commit that may have changed it; the interpolated values are bound.
  public func observe<T: Decodable & Sendable>(_ type: T.Type, _ sql: SQL) -> ValuePublisher<[T]> {
    observe(.decoding(type), sql)
  }
}
