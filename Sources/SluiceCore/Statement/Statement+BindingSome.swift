/// Values one by one: the first of them are bound without an array.
extension Statement {
  /// Binds a value to the first parameter.
  @inlinable @inline(__always)
  @discardableResult
  public func bind(_ first: SQLParameter) throws -> Statement {
    try set(first, at: 1)
    return self
  }

  /// Binds values to the first two parameters.
  @inlinable @inline(__always)
  @discardableResult
  public func bind(_ first: SQLParameter, _ second: SQLParameter) throws -> Statement {
    try bind(first)
    try set(second, at: 2)
    return self
  }

  /// Binds values to the first three parameters.
  @inlinable @inline(__always)
  @discardableResult
  public func bind(
    _ first: SQLParameter, _ second: SQLParameter, _ third: SQLParameter
  ) throws -> Statement {
    try bind(first, second)
    try set(third, at: 3)
    return self
  }

  /// Binds values to the first four parameters.
  @inlinable @inline(__always)
  @discardableResult
  public func bind(
    _ first: SQLParameter, _ second: SQLParameter, _ third: SQLParameter, _ fourth: SQLParameter
  ) throws -> Statement {
    try bind(first, second, third)
    try set(fourth, at: 4)
    return self
  }

  /// Binds values to the first five parameters.
  @inlinable @inline(__always)
  @discardableResult
  public func bind(
    _ first: SQLParameter, _ second: SQLParameter, _ third: SQLParameter,
    _ fourth: SQLParameter, _ fifth: SQLParameter
  ) throws -> Statement {
    try bind(first, second, third, fourth)
    try set(fifth, at: 5)
    return self
  }

  /// Binds values to the first six parameters.
  @inlinable @inline(__always)
  @discardableResult
  public func bind(
    _ first: SQLParameter, _ second: SQLParameter, _ third: SQLParameter,
    _ fourth: SQLParameter, _ fifth: SQLParameter, _ sixth: SQLParameter
  ) throws -> Statement {
    try bind(first, second, third, fourth, fifth)
    try set(sixth, at: 6)
    return self
  }

  /// Binds values to the parameters from the first on.
  @inlinable
  @discardableResult
  public func bind(
    _ first: SQLParameter, _ second: SQLParameter, _ third: SQLParameter,
    _ fourth: SQLParameter, _ fifth: SQLParameter, _ sixth: SQLParameter,
    _ seventh: SQLParameter, _ others: SQLParameter...
  ) throws -> Statement {
    try bind(first, second, third, fourth, fifth, sixth)
    try set(seventh, at: 7)
    for index in others.indices { try set(others[index], at: index + 8) }
    return self
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
