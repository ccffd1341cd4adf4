/// A converter that turns a row into a `Value`.
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
/// The converter can then be used by name:
///
/// ```swift
/// let people = try connection.query(.person, sql: "SELECT id, name FROM person")
/// ```
public struct RowConverter<Value>: Sendable {
  @usableFromInline let convert: @Sendable (borrowing Row) throws -> Value

  /// Creates a converter from a closure that reads `row`.
  @inlinable
  public init(_ convert: @escaping @Sendable (_ row: borrowing Row) throws -> Value) {
    self.convert = convert
  }

  /// Returns the value that the converter creates from a row.
  @inlinable
  package func value(of row: borrowing Row) throws -> Value { try convert(row) }

  /// Returns a converter that reads the column at `index`, counted from zero, and ignores the others.
  ///
  /// ```swift
  /// let names = try connection.query(.column(.string), sql: "SELECT name FROM person")
  /// ```
  @inlinable
  public static func column(_ converter: ColumnValueConverter<Value>, at index: Int = 0) -> Self {
    Self { row in try row.get(converter, at: index) }
  }

  /// Returns a converter that reads the column with this name, and ignores the others.
  @inlinable
  public static func column(
    _ converter: ColumnValueConverter<Value>, named name: String
  ) -> Self {
    Self { row in try row.get(converter, named: name) }
  }

  /// Returns a converter that reads several columns, starting with the first, and ignores the others.
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
    // The function is inlinable, because the compiler can unroll the pack only in the module that chooses the
    // converters.
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

  // The compiler cannot convert an expression to `Any` if it reads a member of a result whose type contains a pack:
  // `print(try connection.query(…).count)`. For that reason, the most common forms exist without packs.

  /// Returns a converter that reads the first two columns, and ignores the others.
  @inlinable
  public static func columns<First, Second>(
    _ first: ColumnValueConverter<First>, _ second: ColumnValueConverter<Second>
  ) -> Self where Value == (First, Second) {
    Self { row in try (row.get(first, at: 0), row.get(second, at: 1)) }
  }

  /// Returns a converter that reads the first three columns, and ignores the others.
  @inlinable
  public static func columns<First, Second, Third>(
    _ first: ColumnValueConverter<First>, _ second: ColumnValueConverter<Second>,
    _ third: ColumnValueConverter<Third>
  ) -> Self where Value == (First, Second, Third) {
    Self { row in try (row.get(first, at: 0), row.get(second, at: 1), row.get(third, at: 2)) }
  }
}

extension RowConverter where Value == RowValues {
  /// A converter that copies all columns.
  @inlinable
  public static var values: Self { Self { row in try row.values() } }
}
