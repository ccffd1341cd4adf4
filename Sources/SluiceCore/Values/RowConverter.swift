/// How a row becomes a `Value`.
///
/// ```swift
/// extension RowConverter where Value == Person {
///   static var person: Self {
///     Self { row in
///       try Person(id: row.get(.int64, named: "id"), name: row.get(.string, named: "name"))
///     }
///   }
/// }
/// ```
///
/// From then on it has a name:
///
/// ```swift
/// let people = try connection.query(.person, sql: "SELECT id, name FROM person")
/// ```
public struct RowConverter<Value>: Sendable {
  @usableFromInline let convert: @Sendable (borrowing Row) throws -> Value

  /// Makes a converter from a closure that reads `row`.
  @inlinable
  public init(_ convert: @escaping @Sendable (_ row: borrowing Row) throws -> Value) {
    self.convert = convert
  }

  /// Reads one column, counted from zero, and leaves the others.
  ///
  /// ```swift
  /// let names = try connection.query(.column(.string), sql: "SELECT name FROM person")
  /// ```
  @inlinable
  public static func column(_ converter: ColumnValueConverter<Value>, at index: Int = 0) -> Self {
    Self { row in try row.get(converter, at: index) }
  }

  /// Reads the column with this name, and leaves the others.
  @inlinable
  public static func column(
    _ converter: ColumnValueConverter<Value>, named name: String
  ) -> Self {
    Self { row in try row.get(converter, named: name) }
  }

  /// Reads several columns, from the first on, and leaves the others.
  ///
  /// ```swift
  /// let people = try connection.query(
  ///   .columns(.int64, .string, .optional(.int)), sql: "SELECT id, name, age FROM person")
  /// for (id, name, age) in people { print(id, name, age ?? 0) }
  /// ```
  @inlinable
  public static func columns<First, Second, each Other>(
    _ first: ColumnValueConverter<First>, _ second: ColumnValueConverter<Second>,
    _ others: repeat ColumnValueConverter<each Other>
  ) -> Self where Value == (First, Second, repeat each Other) {
    // Inlinable: only in the module that names the columns can the compiler unroll the pack.
    Self { row in
      var index = 1
      func next<T>(_ converter: ColumnValueConverter<T>, _ row: borrowing Row) throws -> T {
        index += 1
        return try row.get(converter, at: index)
      }
      return try (
        row.get(first, at: 0), row.get(second, at: 1), repeat next(each others, row)
      )
    }
  }
}

extension RowConverter where Value == RowValues {
  /// A copy of all columns.
  @inlinable
  public static var values: Self { Self { row in try row.values() } }
}
