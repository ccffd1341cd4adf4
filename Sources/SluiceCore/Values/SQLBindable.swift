/// A value that can be bound to a parameter of a statement.
///
/// Each ``SQLValue`` is one, also as an optional, in which nil is NULL. A type with several representations, such as a
/// date, is bound by an ``SQLParameter`` that names the representation:
///
/// ```swift
/// try connection.execute(
///   sql: "INSERT INTO person(name, age, born) VALUES (?, ?, ?)",
///   parameters: name, age, .date(born, as: .iso8601))
/// ```
///
/// A representation of your own is an extension of one line, and works wherever a value is bound:
///
/// ```swift
/// extension SQLBindable where Self == SQLParameter {
///   static func point(_ point: Point) -> SQLParameter { SQLParameter(.text("\(point.x);\(point.y)")) }
/// }
/// ```
public protocol SQLBindable {
  /// The value in the representation that the database stores.
  var sqlParameter: SQLParameter { get }
}

extension SQLValue {
  @inlinable @inline(__always)
  public var sqlParameter: SQLParameter { SQLParameter(self) }
}

extension SQLParameter: SQLBindable {
  @inlinable @inline(__always)
  public var sqlParameter: SQLParameter { self }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
  /// NULL for nil.
  @inlinable @inline(__always)
  public var sqlParameter: SQLParameter {
    switch self {
    case .some(let value): value.sqlParameter
    case .none: SQLParameter(DatabaseValue.null)
    }
  }
}
