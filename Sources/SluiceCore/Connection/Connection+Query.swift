/// Rows that become values.
///
/// Each call takes one statement; SQL with more than one throws ``ResultCode/misuse``.
extension Connection {
  /// The values that `converter` makes of the rows of a literal, in which the interpolated values are bound.
  @inlinable @inline(__always)
  public func query<T>(_ converter: RowConverter<T>, _ sql: SQL) throws -> [T] {
    try withStatement(sql) { try $0.query(converter) }
  }

  /// The values that `converter` makes of the rows of one statement.
  ///
  /// `parameters` are the values by position.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  @inlinable @inline(__always)
  public func query<
    T, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable,
    F: SQLBindable
  >(
    _ converter: RowConverter<T>, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) throws -> [T] {
    try lend(statement(for: sql), a, b, c, d, e, f, others) { try $0.query(converter) }
  }

  /// The values that `converter` makes of the rows of one statement.
  ///
  /// `parameters` are the values by position or by name.
  @inlinable
  public func query<T>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) throws -> [T] {
    try withStatement(sql) { try $0.bind(parameters).query(converter) }
  }

  /// The value that `converter` makes of the first row of a literal, or nil if there is no row.
  @inlinable @inline(__always)
  public func first<T>(_ converter: RowConverter<T>, _ sql: SQL) throws -> T? {
    try withStatement(sql) { try $0.first(converter) }
  }

  /// The value that `converter` makes of the first row of one statement, or nil if there is no row.
  ///
  /// `parameters` are the values by position.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  @inlinable @inline(__always)
  public func first<
    T, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable,
    F: SQLBindable
  >(
    _ converter: RowConverter<T>, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) throws -> T? {
    try lend(statement(for: sql), a, b, c, d, e, f, others) { try $0.first(converter) }
  }

  /// The value that `converter` makes of the first row of one statement, or nil if there is no row.
  ///
  /// `parameters` are the values by position or by name.
  @inlinable
  public func first<T>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) throws -> T? {
    try withStatement(sql) { try $0.bind(parameters).first(converter) }
  }
}
