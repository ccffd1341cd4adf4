/// Rows that become values.
extension Connection {
  /// What `converter` makes of each row of one statement.
  @inlinable @inline(__always)
  public func query<T>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameter...
  ) throws -> [T] {
    try withStatement(sql, parameters) { try $0.query(converter) }
  }

  /// What `converter` makes of each row of one statement.
  @inlinable
  public func query<T>(
    _ converter: RowConverter<T>, sql: String, parameters: [SQLParameter]
  ) throws -> [T] {
    try withStatement(sql, parameters) { try $0.query(converter) }
  }

  /// What `converter` makes of each row of one statement with parameters by name.
  @inlinable
  public func query<T>(
    _ converter: RowConverter<T>, sql: String, parameters: [String: SQLParameter]
  ) throws -> [T] {
    try withStatement(sql) { try $0.bind(parameters).query(converter) }
  }

  /// What `converter` makes of the first row of one statement, or nil if there is none.
  @inlinable @inline(__always)
  public func first<T>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameter...
  ) throws -> T? {
    try withStatement(sql, parameters) { try $0.first(converter) }
  }

  /// What `converter` makes of the first row of one statement, or nil if there is none.
  @inlinable
  public func first<T>(
    _ converter: RowConverter<T>, sql: String, parameters: [SQLParameter]
  ) throws -> T? {
    try withStatement(sql, parameters) { try $0.first(converter) }
  }

  /// What `converter` makes of the first row of one statement with parameters by name, or nil.
  @inlinable
  public func first<T>(
    _ converter: RowConverter<T>, sql: String, parameters: [String: SQLParameter]
  ) throws -> T? {
    try withStatement(sql) { try $0.bind(parameters).first(converter) }
  }
}
