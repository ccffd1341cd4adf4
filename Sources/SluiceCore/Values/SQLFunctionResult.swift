/// A type whose values typed SQL functions return: every ``SQLValue``.
///
/// With `import Sluice`, `Date` and `UUID` are such types, too.
public protocol SQLFunctionResult {
  /// Returns the value that SQLite receives from a function that was called with these arguments.
  func result(of values: borrowing SQLFunctionArguments) throws -> DatabaseValue
}

extension SQLValue {
  /// Returns ``databaseValue``.
  @inlinable @inline(__always)
  public func result(of values: borrowing SQLFunctionArguments) throws -> DatabaseValue {
    try databaseValue
  }
}

extension Optional: SQLFunctionResult where Wrapped: SQLFunctionResult {
  /// Returns NULL for nil, and otherwise the result of the value.
  @inlinable @inline(__always)
  public func result(of values: borrowing SQLFunctionArguments) throws -> DatabaseValue {
    try self?.result(of: values) ?? .null
  }
}
