/// SQL as a literal, in which the interpolated values are bound; see ``SQL``.
extension Connection {
  /// Compiles one statement, and binds the values to it.
  public func prepare(_ sql: SQL) throws -> Statement {
    try prepare(sql: sql.text).bind(SQLParameters(sql.parameters))
  }

  /// How SQLite is going to look for what one statement asks for; it does not run.
  public func queryPlan(_ sql: SQL) throws -> QueryPlan {
    try queryPlan(sql: sql.text, parameters: SQLParameters(sql.parameters))
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
  public func execute(
    _ sql: String, row: (borrowing Row) throws -> Void = { _ in }
  ) throws {
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
