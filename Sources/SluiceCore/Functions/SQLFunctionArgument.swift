public import CSluice

/// A type that a closure with typed arguments takes: every ``SQLValue``, and `Span<UInt8>`.
///
/// An ``SQLValue`` is a copy of the argument. A `Span<UInt8>` is borrowed for the time of the call: it is the
/// UTF-8 of text or the bytes of a blob, as SQLite holds them.
public protocol SQLFunctionArgument: ~Escapable, SendableMetatype {
  /// Calls `body` with an argument, or throws ``ResultCode/mismatch`` if the argument is not of this type.
  static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (Self) throws -> T
  ) throws -> T
}

extension SQLValue {
  @inlinable @inline(__always)
  public static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (Self) throws -> T
  ) throws -> T {
    try body(Self(argument: index, of: values))
  }
}

extension Span: SQLFunctionArgument where Element == UInt8 {
  /// Takes a blob, and text as its UTF-8, which is not checked.
  @inlinable @inline(__always)
  public static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (Self) throws -> T
  ) throws -> T {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    return try unsafe body(SQLFunctionArguments.bytes(value, index, "Span<UInt8>").span)
  }
}

extension Optional: SQLFunctionArgument where Wrapped: SQLFunctionArgument & ~Escapable {
  /// Takes NULL as nil, and the rest as `Wrapped` does.
  @inlinable @inline(__always)
  public static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (Self) throws -> T
  ) throws -> T {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    if unsafe sluice_type(value) == sluice_null_type { return try body(nil) }
    return try Wrapped.with(argument: index, of: values) { try body($0) }
  }
}
