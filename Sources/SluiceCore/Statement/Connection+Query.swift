/// Queries that convert rows to values.
///
/// Each call runs one statement; SQL with more than one throws ``ResultCode/misuse``.
extension Connection {
  /// Returns the converted rows of an SQL literal, whose interpolated values are bound as parameters.
  @inlinable @inline(__always)
  public func query<T>(_ converter: RowConverter<T>, _ sql: SQL) throws -> [T] {
    try withStatement(sql) { try $0.query(converter) }
  }

  /// Returns the converted rows of one statement.
  ///
  /// Values in `parameters` are bound by position.
  @_disfavoredOverload  // An array literal is a list of values, not a blob of bytes.
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

  /// Returns the converted rows of one statement.
  ///
  /// Values in `parameters` are bound by position or by name.
  @inlinable
  public func query<T>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) throws -> [T] {
    try withStatement(sql) { try $0.bind(parameters).query(converter) }
  }

  /// Returns the converted first row of an SQL literal, or nil if there is no row.
  @inlinable @inline(__always)
  public func first<T>(_ converter: RowConverter<T>, _ sql: SQL) throws -> T? {
    try withStatement(sql) { try $0.firstDuringUse(converter) }
  }

  /// Returns the converted first row of one statement, or nil if there is no row.
  ///
  /// Values in `parameters` are bound by position.
  @_disfavoredOverload  // An array literal is a list of values, not a blob of bytes.
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
    try lend(statement(for: sql), a, b, c, d, e, f, others) { try $0.firstDuringUse(converter) }
  }

  /// Returns the converted first row of one statement, or nil if there is no row.
  ///
  /// Values in `parameters` are bound by position or by name.
  @inlinable
  public func first<T>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) throws -> T? {
    try withStatement(sql) { try $0.bind(parameters).firstDuringUse(converter) }
  }
}

/// Methods that accept SQL as a literal, whose interpolated values are bound as parameters; see ``SQL``.
extension Connection {
  /// Compiles one statement, binds the interpolated values to it, and returns it.
  public func prepare(_ sql: SQL) throws -> Statement {
    try prepare(sql: sql.text).bind(SQLParameters(sql.parameters))
  }

  /// Returns the query plan of one statement, without running it.
  public func queryPlan(_ sql: SQL) throws -> QueryPlan {
    try queryPlan(sql: sql.text, parameters: SQLParameters(sql.parameters))
  }
}

/// Unavailable overloads for strings, whose messages explain the error.
///
/// Without these overloads, the compiler would only suggest the label `sql:`. A string with this label compiles
/// even if values were pasted into it.
extension Connection {
  @available(
    *, unavailable,
    message: "SQL without a label is a literal, in which values are bound; pass a String as sql:"
  )
  public func prepare(_ sql: String) throws -> Statement { throw sql.noLiteral }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal, in which values are bound; pass a String as sql:"
  )
  public func execute(
    _ sql: String, row: (borrowing Row) throws -> Void = { _ in }
  ) throws {
    throw sql.noLiteral
  }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal, in which values are bound; pass a String as sql:"
  )
  public func query<T>(_ converter: RowConverter<T>, _ sql: String) throws -> [T] {
    throw sql.noLiteral
  }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal, in which values are bound; pass a String as sql:"
  )
  public func first<T>(_ converter: RowConverter<T>, _ sql: String) throws -> T? {
    throw sql.noLiteral
  }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal, in which values are bound; pass a String as sql:"
  )
  public func queryPlan(_ sql: String) throws -> QueryPlan { throw sql.noLiteral }
}

/// Unavailable names from other libraries, for which the compiler suggests Sluice's names.
extension Connection {
  @available(*, unavailable, renamed: "init(path:)")
  public convenience init(_ path: String) throws { try self.init(path: path) }

  @available(*, unavailable, renamed: "execute(sql:)")
  public func batch(sql: String) throws { try execute(sql: sql) }

  @available(*, unavailable, renamed: "execute(sql:parameters:)")
  public func execute(_ sql: String, _ parameters: SQLParameters) throws { throw sql.noLiteral }

  @available(*, unavailable, renamed: "execute(sql:parameters:)")
  public func execute(_ sql: String, arguments: SQLParameters) throws { throw sql.noLiteral }

  @available(*, unavailable, renamed: "execute(sql:parameters:)")
  public func execute(sql: String, arguments: SQLParameters) throws { throw sql.noLiteral }

  @available(*, unavailable, message: "Pass a collection of values as SQLParameters(values)")
  public func execute(sql: String, parameters: some Collection) throws { throw sql.noLiteral }

  @available(*, unavailable, message: "Pass a collection of values as SQLParameters(values)")
  public func query<T>(
    _ converter: RowConverter<T>, sql: String, parameters: some Collection
  ) throws -> [T] {
    throw sql.noLiteral
  }

  @available(*, unavailable, message: "Pass a collection of values as SQLParameters(values)")
  public func first<T>(
    _ converter: RowConverter<T>, sql: String, parameters: some Collection
  ) throws -> T? {
    throw sql.noLiteral
  }
}

extension Connection {
  @available(*, unavailable, renamed: "execute(sql:)")
  public func run(_ sql: String) throws { throw sql.noLiteral }

  @available(*, unavailable, renamed: "execute(sql:)")
  public func executeUpdate(_ sql: String) throws { throw sql.noLiteral }

  @available(*, unavailable, message: "query(.column(.string), sql: …) returns the values")
  public func executeQuery(_ sql: String) throws { throw sql.noLiteral }

  @available(*, unavailable, message: "first(.column(.int), sql: …) returns one value")
  public func scalar(_ sql: String) throws { throw sql.noLiteral }

  @available(*, unavailable, message: "Name what to read, such as .column(.int)")
  public func query<T>(_ sql: SQL) throws -> [T] { [] }

  @available(*, unavailable, message: "Name what to read, such as .column(.int)")
  public func first<T>(_ sql: SQL) throws -> T? { nil }

  @available(*, unavailable, message: "Connection(path:) opens the database")
  public func open() {}

  @available(*, unavailable, renamed: "begin()")
  public func beginTransaction() {}
}

extension Statement {
  @available(*, unavailable, message: "Pass a collection of values as SQLParameters(values)")
  public func bind(_ values: some Collection) throws -> Statement { throw sql.noLiteral }

  @available(*, unavailable, renamed: "bind(_:toParameter:)")
  public func bind(value: some SQLBindable, for name: String) throws -> Statement {
    try bind(value, toParameter: name)
  }

  @available(*, unavailable, renamed: "bind(_:toParameter:)")
  public func bind(value: some SQLBindable, at index: Int) throws -> Statement {
    try bind(value, toParameter: index)
  }

  @available(*, unavailable, message: "bind(_:toParameter:) accepts the name of the parameter")
  public func parameterIndex(named name: String) throws -> Int { throw sql.noLiteral }

  @available(*, unavailable, renamed: "forEachRow(_:)")
  public func results(_ body: (borrowing Row) throws -> Void) throws { try forEachRow(body) }

  @available(
    *, unavailable, message: "A statement is finalized when its last reference is released"
  )
  public func finalize() {}
}

extension SQLiteError {
  @available(*, unavailable, renamed: "code.primary")
  public var resultCode: ResultCode { code.primary }

  @available(*, unavailable, renamed: "code")
  public var extendedResultCode: ResultCode { code }
}

extension String {
  /// The error that an unavailable overload would throw if it could be called.
  package var noLiteral: SQLiteError {
    SQLiteError(.misuse, "SQL without a label is a literal", sql: self)
  }
}

extension RowConverter<Int> {
  @available(*, unavailable, message: "Read the first column with .column(.int)")
  public static var int: Self { .column(.int) }
}

extension RowConverter<Int64> {
  @available(*, unavailable, message: "Read the first column with .column(.int64)")
  public static var int64: Self { .column(.int64) }
}

extension RowConverter<Double> {
  @available(*, unavailable, message: "Read the first column with .column(.double)")
  public static var double: Self { .column(.double) }
}

extension RowConverter<String> {
  @available(*, unavailable, message: "Read the first column with .column(.string)")
  public static var string: Self { .column(.string) }
}

extension RowConverter {
  @available(
    *, unavailable, message: "Read a column that can be NULL with .column(.optional(.int))"
  )
  public static func optional<Wrapped>(_ converter: ColumnValueConverter<Wrapped>) -> Self
  where Value == Wrapped? { .column(.optional(converter)) }
}
