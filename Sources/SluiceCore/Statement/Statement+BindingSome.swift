/// Values by position: each of the first six costs no more than a call of C.
extension Statement {
  /// Binds values to the parameters from the first on.
  ///
  /// ```swift
  /// try statement.bind(name, age, .date(born, as: .iso8601)).execute()
  /// ```
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  @inlinable @inline(__always)
  @discardableResult
  public func bind<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    _ a: A, _ b: B = SQLParameters.NoValue(), _ c: C = SQLParameters.NoValue(),
    _ d: D = SQLParameters.NoValue(), _ e: E = SQLParameters.NoValue(),
    _ f: F = SQLParameters.NoValue(), _ others: (any SQLBindable)?...
  ) throws -> Statement {
    try set(a, b, c, d, e, f, others)
    return self
  }

  /// Binds values to the parameters from the first on.
  @inlinable @inline(__always)
  func set<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ others: [(any SQLBindable)?]
  ) throws {
    // The compiler knows which of them the call has left out.
    if A.self != SQLParameters.NoValue.self { try set(a.sqlParameter, at: 1) }
    if B.self != SQLParameters.NoValue.self { try set(b.sqlParameter, at: 2) }
    if C.self != SQLParameters.NoValue.self { try set(c.sqlParameter, at: 3) }
    if D.self != SQLParameters.NoValue.self { try set(d.sqlParameter, at: 4) }
    if E.self != SQLParameters.NoValue.self { try set(e.sqlParameter, at: 5) }
    if F.self != SQLParameters.NoValue.self { try set(f.sqlParameter, at: 6) }
    if !others.isEmpty { try set(others) }
  }

  @usableFromInline @inline(never)
  func set(_ others: [(any SQLBindable)?]) throws {
    for index in others.indices { try set(others[index]?.sqlParameter ?? .null, at: index + 7) }
  }
}

extension Statement {
  /// Binds the values of SQL to the parameters from the first on.
  @usableFromInline
  func set(_ sql: SQL) throws {
    if let whole = sql.whole {
      for index in whole.parameters.indices { try set(whole.parameters[index], at: index + 1) }
      return
    }
    let count = sql.parts.count
    if count > 0 { try set(sql.first, at: 1) }
    if count > 1 { try set(sql.second, at: 2) }
    if count > 2 { try set(sql.third, at: 3) }
    if count > 3 { try set(sql.fourth, at: 4) }
  }
}
