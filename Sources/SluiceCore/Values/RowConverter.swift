/// How a row becomes a `Value`.
///
/// ```swift
/// extension RowConverter where Value == Person {
///   static var person: Self {
///     Self { row in try Person(id: row.get(.int64, named: "id"), name: row.get(.string, named: "name")) }
///   }
/// }
/// let people = try connection.query(.person, sql: "SELECT id, name FROM person")
/// ```
public struct RowConverter<Value>: Sendable {
  let convert: @Sendable (borrowing Row) throws -> Value

  /// Makes a converter from a closure that reads `row`.
  public init(_ convert: @escaping @Sendable (_ row: borrowing Row) throws -> Value) {
    self.convert = convert
  }

  /// Reads one column, counted from zero, and leaves the others.
  ///
  /// ```swift
  /// let names = try connection.query(.column(.string), sql: "SELECT name FROM person")
  /// ```
  public static func column(_ converter: ColumnValueConverter<Value>, at index: Int = 0) -> Self {
    Self { row in try row.get(converter, at: index) }
  }

  /// Reads one column, which may be NULL, and leaves the others.
  public static func optionalColumn<T>(_ converter: ColumnValueConverter<T>, at index: Int = 0)
    -> Self where Value == T?
  {
    Self { row in try row.optional(converter, at: index) }
  }
}

extension RowConverter where Value == RowValues {
  /// A copy of all columns.
  public static var values: Self { Self { row in try row.values() } }
}
