/// SQL as a literal, in which the interpolated values are bound.
///
/// Each call does what the one of the same name does that takes SQL as text; see ``SQL``.
extension Connection {
  /// Compiles one statement, and binds the values to it.
  public func prepare(_ sql: SQL) throws -> Statement {
    try prepare(sql: sql.text).bind(sql.parameters)
  }

  /// Runs one statement with values, or a script without any.
  public func execute(_ sql: SQL) throws {
    if sql.hasValues {
      try withStatement(sql) { try $0.execute() }
    } else if let statement = try cachedStatement(for: sql) {
      try lend(statement) { try $0.execute() }
    } else {
      try run(script: sql.text)
    }
  }

  /// Runs one statement, and lends each row to `row`.
  @inlinable @inline(__always)
  public func execute(_ sql: SQL, row: (borrowing Row) throws -> Void) throws {
    try withStatement(sql) { try $0.forEachRow(row) }
  }

  /// What `converter` makes of each row of one statement.
  @inlinable @inline(__always)
  public func query<T>(_ converter: RowConverter<T>, _ sql: SQL) throws -> [T] {
    try withStatement(sql) { try $0.query(converter) }
  }

  /// What `converter` makes of the first row of one statement, or nil if there is none.
  @inlinable @inline(__always)
  public func first<T>(_ converter: RowConverter<T>, _ sql: SQL) throws -> T? {
    try withStatement(sql) { try $0.first(converter) }
  }

  /// How SQLite is going to look for what one statement asks for; it does not run.
  public func queryPlan(_ sql: SQL) throws -> QueryPlan {
    try queryPlan(sql: sql.text, parameters: sql.parameters)
  }
}

/// These take what is no ``SQL``, so that the compiler can say what is wrong. Without them it would
/// propose the label `sql:`, with which values are pasted.
extension Connection {
  @available(
    *, unavailable,
    message: "SQL without a label is a literal of SQLValues or SQLParameters; pass a String as sql:"
  )
  public func prepare(_ sql: String) throws -> Statement { throw sql.noLiteral }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal of SQLValues or SQLParameters; pass a String as sql:"
  )
  public func execute(_ sql: String) throws { throw sql.noLiteral }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal of SQLValues or SQLParameters; pass a String as sql:"
  )
  public func execute(_ sql: String, row: (borrowing Row) throws -> Void) throws {
    throw sql.noLiteral
  }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal of SQLValues or SQLParameters; pass a String as sql:"
  )
  public func query<T>(_ converter: RowConverter<T>, _ sql: String) throws -> [T] {
    throw sql.noLiteral
  }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal of SQLValues or SQLParameters; pass a String as sql:"
  )
  public func first<T>(_ converter: RowConverter<T>, _ sql: String) throws -> T? {
    throw sql.noLiteral
  }

  @available(
    *, unavailable,
    message: "SQL without a label is a literal of SQLValues or SQLParameters; pass a String as sql:"
  )
  public func queryPlan(_ sql: String) throws -> QueryPlan { throw sql.noLiteral }
}

extension String {
  /// What these throw where they are called from code that is unavailable itself.
  package var noLiteral: SQLiteError {
    SQLiteError(.misuse, "SQL without a label is a literal", sql: self)
  }
}
