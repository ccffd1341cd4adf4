public import SluiceCore

/// Row streams and observed queries that deliver `Decodable` values; see ``RowDecoder``.
extension DatabaseReader {
  /// Returns a stream that reads the rows of one statement as values, on demand.
  ///
  /// `parameters` contains the values by position.
  @_disfavoredOverload  // An array literal is a list of values, not the bytes of a blob.
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

  /// Returns a stream that reads the rows of one statement as values, on demand.
  ///
  /// `parameters` contains the values by position or by name.
  public func rows<T: Decodable & Sendable>(
    _ type: T.Type, sql: String, parameters: SQLParameters
  ) -> RowStream<T> {
    rows(.decoding(type), sql: sql, parameters: parameters)
  }

  /// Returns a stream that reads the rows of an SQL literal as values, on demand.
  ///
  /// The interpolated values are bound.
  public func rows<T: Decodable & Sendable>(_ type: T.Type, _ sql: SQL) -> RowStream<T> {
    rows(.decoding(type), sql)
  }

  /// Returns a publisher of a query's result, now and after each commit that may have changed it.
  ///
  /// `parameters` contains the values by position.
  @_disfavoredOverload  // An array literal is a list of values, not the bytes of a blob.
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
    observe(type, sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// Returns a publisher of a query's result, now and after each commit that may have changed it.
  ///
  /// `parameters` contains the values by position or by name. Publishers of the same type, SQL and values share a fetch if
  /// they wait for a value at the same time.
  public func observe<T: Decodable & Sendable>(
    _ type: T.Type, sql: String, parameters: SQLParameters
  ) -> ValuePublisher<[T]> {
    observe(sharing: QueryIdentity(type, sql, parameters)) { connection in
      try connection.query(.decoding(type), sql: sql, parameters: parameters)
    }
  }

  /// Returns a publisher of the result of an SQL literal, now and after each commit that may have changed it.
  ///
  /// The interpolated values are bound.
  public func observe<T: Decodable & Sendable>(_ type: T.Type, _ sql: SQL) -> ValuePublisher<[T]> {
    observe(type, sql: sql.text, parameters: SQLParameters(sql.parameters))
  }
}
