public import Sluice

/// A value that a query computes for each row or group of rows: a column, an aggregate, or SQL.
///
/// ```swift
/// let counts = Person.all.select(.column(\.name), .count).group(by: \.name)
/// ```
///
/// Values are read like the properties of the model, with the connection's coding strategies. Aggregates ignore
/// NULL, except for ``count``.
public struct ModelExpression<M: Model, Value: Sendable>: Sendable {
  let sql: Swift.Result<SQL, any Error>
  /// The SQL for an order; an error if SQLite would sort the stored values in another order.
  let ordered: Swift.Result<SQL, any Error>
  /// Whether the expression combines several rows into one value.
  let isAggregate: Bool
  let read: @Sendable (borrowing Row, Int) throws -> Value

  init(
    _ sql: Swift.Result<SQL, any Error>, isAggregate: Bool,
    read: @escaping @Sendable (borrowing Row, Int) throws -> Value
  ) {
    self.sql = sql
    ordered = sql
    self.isAggregate = isAggregate
    self.read = read
  }

  /// Creates an expression that applies an SQL function to the column of a property.
  fileprivate init(
    _ function: SQL?, _ property: PartialKeyPath<M>, isOrdered: Bool = true,
    read: @escaping @Sendable (borrowing Row, Int, ReadProperty) throws -> Value
  ) {
    func make(isOrdered: Bool) -> Swift.Result<SQL, any Error> {
      Swift.Result {
        let schema = try M.table.schema.get()
        var name = try schema.column(property)
        if isOrdered { name = try schema.ordered(name) }
        let column: SQL = "\(identifier: M.table.name).\(identifier: name)"
        return function.map { "\($0)\(column))" } ?? column
      }
    }
    sql = make(isOrdered: isOrdered)
    // A count of values can be ordered even if the values cannot.
    ordered = make(isOrdered: isOrdered || function == nil)
    isAggregate = function != nil
    // If the property has no column, the expression has no SQL, so that nothing is read.
    let property = try? ReadProperty(property)
    self.read = { row, index in
      guard let property else { throw row.mismatch(at: index, "has no property") }
      return try read(row, index, property)
    }
  }

  /// Returns an expression in SQL with bound values, whose value a converter reads.
  ///
  /// ```swift
  /// let lengths = Person.all.select(.sql("length(name)", .int))
  /// ```
  ///
  /// - Parameters:
  ///   - sql: The expression, in which column names refer to the table of the model.
  ///   - converter: The converter for the value; `.optional(…)` for an expression that can be NULL.
  ///   - isAggregate: Whether the expression combines several rows into one value, like `total(age)`.
  /// - Returns: The expression.
  public static func sql(
    _ sql: SQL, _ converter: ColumnValueConverter<Value>, isAggregate: Bool = false
  ) -> ModelExpression {
    ModelExpression(.success(sql), isAggregate: isAggregate) { row, index in
      try row.get(converter, at: index)
    }
  }
}

extension ModelExpression where Value: Decodable {
  /// The value of a property.
  public static func column(_ property: KeyPath<M, Value>) -> ModelExpression {
    ModelExpression(nil, property, isOrdered: false) { row, index, property in
      try property.value(Value.self, row, at: index)
    }
  }
}

extension ModelExpression where Value == Int {
  /// The number of rows.
  public static var count: ModelExpression {
    ModelExpression(.success("count(*)"), isAggregate: true) { row, index in
      try row.get(.int, at: index)
    }
  }

  /// The number of rows in which a property is not NULL.
  public static func count(_ property: PartialKeyPath<M>) -> ModelExpression {
    ModelExpression("count(", property, isOrdered: false) { row, index, _ in
      try row.get(.int, at: index)
    }
  }

  /// The number of different values of a property, without NULL.
  public static func count(distinct property: PartialKeyPath<M>) -> ModelExpression {
    ModelExpression("count(DISTINCT ", property, isOrdered: false) { row, index, _ in
      try row.get(.int, at: index)
    }
  }
}

extension ModelExpression where Value == Double? {
  /// The average of a property; nil if all values are NULL, or if there are none.
  public static func average(_ property: KeyPath<M, some Numeric>) -> ModelExpression {
    ModelExpression("avg(", property, read: readOptional)
  }

  /// The average of an optional property; nil if all values are NULL, or if there are none.
  public static func average(_ property: KeyPath<M, (some Numeric)?>) -> ModelExpression {
    ModelExpression("avg(", property, read: readOptional)
  }
}

extension ModelExpression {
  /// The sum of a property; nil if there are no values.
  ///
  /// A sum of integers that is too large throws "integer overflow".
  public static func sum<N: Numeric & Decodable>(
    _ property: KeyPath<M, N>
  ) -> ModelExpression where Value == N? {
    ModelExpression("sum(", property, read: readOptional)
  }

  /// The sum of an optional property; nil if all values are NULL, or if there are none.
  public static func sum<N: Numeric & Decodable>(
    _ property: KeyPath<M, N?>
  ) -> ModelExpression where Value == N? {
    ModelExpression("sum(", property, read: readOptional)
  }

  /// The smallest value of a property in SQLite's order; nil if there are no values.
  public static func min<V: Decodable>(
    _ property: KeyPath<M, V>
  ) -> ModelExpression where Value == V? {
    ModelExpression("min(", property, read: readOptional)
  }

  /// The smallest value of an optional property; nil if all values are NULL, or if there are none.
  public static func min<V: Decodable>(
    _ property: KeyPath<M, V?>
  ) -> ModelExpression where Value == V? {
    ModelExpression("min(", property, read: readOptional)
  }

  /// The largest value of a property in SQLite's order; nil if there are no values.
  public static func max<V: Decodable>(
    _ property: KeyPath<M, V>
  ) -> ModelExpression where Value == V? {
    ModelExpression("max(", property, read: readOptional)
  }

  /// The largest value of an optional property; nil if all values are NULL, or if there are none.
  public static func max<V: Decodable>(
    _ property: KeyPath<M, V?>
  ) -> ModelExpression where Value == V? {
    ModelExpression("max(", property, read: readOptional)
  }
}

/// Reads a value of a type that a column can contain, or nil for NULL.
@Sendable private func readOptional<V: Decodable>(
  _ row: borrowing Row, _ index: Int, _ property: ReadProperty
) throws -> V? {
  try row.isNull(at: index) ? nil : property.value(V.self, row, at: index)
}
