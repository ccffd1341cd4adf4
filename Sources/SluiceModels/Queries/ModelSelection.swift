public import Sluice

/// A query for values of rows, instead of whole models: columns, aggregates or groups.
///
/// ```swift
/// let names = try connection.fetch(Person.all.select(\.id, \.name))
/// let counts = try connection.fetch(
///   Person.all.order(by: .descending(.count)).select(.column(\.age), .count).group(by: \.age)
///     .having("count(*) > \(1)"))
/// ```
///
/// The methods `select` of a ``ModelQuery`` create selections. With several values, each result is a tuple. The
/// query's condition selects rows; its order, limit and offset apply to the results. If one result summarizes all
/// rows, they apply to these rows.
public struct ModelSelection<M: Model, Value: Sendable>: Sendable {
  private var query: ModelQuery<M>
  private let expressions: [Swift.Result<SQL, any Error>]
  private let hasAggregate: Bool
  let converter: RowConverter<Value>
  private var isDistinct = false
  private var groups: [Swift.Result<SQL, any Error>] = []
  private var condition: SQL?

  /// Returns a selection without results that equal an earlier one.
  public func distinct() -> ModelSelection {
    var selection = self
    selection.isDistinct = true
    return selection
  }

  /// Returns a selection with one result for each combination of values of these properties.
  public func group(
    by property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...
  ) -> ModelSelection {
    var selection = self
    selection.groups += ([property] + others).map { property in
      Swift.Result {
        let schema = try M.table.schema.get()
        return "\(identifier: M.table.name).\(identifier: try schema.column(property))"
      }
    }
    return selection
  }

  /// Returns a selection with one result for each value of an SQL expression: `group(sql: "name COLLATE NOCASE")`.
  public func group(sql: SQL) -> ModelSelection {
    var selection = self
    selection.groups.append(.success(sql))
    return selection
  }

  /// Returns a selection of only the groups that meet a condition in SQL: `having("count(*) > \(1)")`.
  ///
  /// Several conditions must all be met.
  public func having(_ condition: SQL) -> ModelSelection {
    var selection = self
    selection.condition = selection.condition.map { "(\($0)) AND (\(condition))" } ?? condition
    return selection
  }

  /// Adds another condition that the rows must meet.
  public func `where`(_ other: Condition<M>) -> ModelSelection { with { $0.where(other) } }

  /// Adds ascending orderings by these properties; earlier orderings take precedence.
  public func order(
    by property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...
  ) -> ModelSelection {
    with { $0.order(by: ([property] + others).map { .ascending($0) }) }
  }

  /// Adds orderings: `order(by: .descending(.count))`; earlier orderings take precedence.
  public func order(by ordering: Ordering<M>, _ others: Ordering<M>...) -> ModelSelection {
    with { $0.order(by: [ordering] + others) }
  }

  /// Limits the number of results, and skips the first `offset` results.
  ///
  /// If `offset` is nil, the selection keeps its previous offset.
  public func limit(_ count: Int, offset: Int? = nil) -> ModelSelection {
    with { $0.limit(count, offset: offset) }
  }

  /// Skips the first `count` results.
  public func offset(_ count: Int) -> ModelSelection { with { $0.offset(count) } }

  private func with(
    _ change: (_ query: ModelQuery<M>) -> ModelQuery<M>
  ) -> ModelSelection {
    var selection = self
    selection.query = change(query)
    return selection
  }

  /// Returns the SELECT statement with its bound values.
  func sql(_ connection: Connection) throws -> SQL {
    let distinct: SQL = isDistinct ? "DISTINCT " : ""
    let values = try expressions.map { try $0.get() }.list
    guard !groups.isEmpty || condition != nil || !hasAggregate else {
      // One result summarizes all rows, so the limit and the order apply to these rows.
      return "SELECT \(distinct)\(values) FROM \(try query.rows(connection))"
    }
    var sql: SQL = "SELECT \(distinct)\(values) FROM \(identifier: M.table.name)"
    sql += try query.filter(connection)
    if !groups.isEmpty { sql += " GROUP BY \(try groups.map { try $0.get() }.list)" }
    if let condition { sql += " HAVING \(condition)" }
    return sql + (try query.ordering())
  }
}

extension ModelQuery {
  /// Returns a query for the value of an expression: `Person.all.select(.max(\.age))`.
  public func select<T: Sendable>(
    _ expression: ModelExpression<M, T>
  ) -> ModelSelection<M, T> {
    ModelSelection(
      query: self, expressions: [expression.sql], hasAggregate: expression.isAggregate,
      converter: RowConverter { row in try expression.read(row, 0) })
  }

  /// Returns a query for the values of expressions; each result is a tuple.
  ///
  /// ```swift
  /// let ages = try connection.fetchFirst(Person.all.select(.min(\.age), .max(\.age)))
  /// ```
  public func select<First: Sendable, Second: Sendable, each Other: Sendable>(
    _ first: ModelExpression<M, First>, _ second: ModelExpression<M, Second>,
    _ others: repeat ModelExpression<M, each Other>
  ) -> ModelSelection<M, (First, Second, repeat each Other)> {
    selection(first, second, repeat each others)
  }

  /// Returns a query for the values of two expressions; each result is a tuple.
  public func select<First: Sendable, Second: Sendable>(
    _ first: ModelExpression<M, First>, _ second: ModelExpression<M, Second>
  ) -> ModelSelection<M, (First, Second)> {
    selection(first, second)
  }

  /// Returns a query for the values of three expressions; each result is a tuple.
  public func select<First: Sendable, Second: Sendable, Third: Sendable>(
    _ first: ModelExpression<M, First>, _ second: ModelExpression<M, Second>,
    _ third: ModelExpression<M, Third>
  ) -> ModelSelection<M, (First, Second, Third)> {
    selection(first, second, third)
  }

  /// Returns a query for the values of a property: `Person.all.select(\.name)`.
  public func select<T: Decodable & Sendable>(
    _ property: KeyPath<M, T>
  ) -> ModelSelection<M, T> {
    select(.column(property))
  }

  /// Returns a query for the values of properties; each result is a tuple: `Person.all.select(\.id, \.name)`.
  public func select<
    First: Decodable & Sendable, Second: Decodable & Sendable, each Other: Decodable & Sendable
  >(
    _ first: KeyPath<M, First>, _ second: KeyPath<M, Second>,
    _ others: repeat KeyPath<M, each Other>
  ) -> ModelSelection<M, (First, Second, repeat each Other)> {
    selection(
      .column(first), .column(second), repeat ModelExpression<M, each Other>.column(each others))
  }

  /// Returns a query for the values of two properties; each result is a tuple.
  public func select<First: Decodable & Sendable, Second: Decodable & Sendable>(
    _ first: KeyPath<M, First>, _ second: KeyPath<M, Second>
  ) -> ModelSelection<M, (First, Second)> {
    selection(.column(first), .column(second))
  }

  /// Returns a query for the values of three properties; each result is a tuple.
  public func select<
    First: Decodable & Sendable, Second: Decodable & Sendable, Third: Decodable & Sendable
  >(
    _ first: KeyPath<M, First>, _ second: KeyPath<M, Second>, _ third: KeyPath<M, Third>
  ) -> ModelSelection<M, (First, Second, Third)> {
    selection(.column(first), .column(second), .column(third))
  }

  /// Returns a query for the values of a property and an expression; each result is a tuple.
  ///
  /// ```swift
  /// let counts = try connection.fetch(Person.all.select(\.age, .count).group(by: \.age))
  /// ```
  public func select<First: Decodable & Sendable, Second: Sendable>(
    _ property: KeyPath<M, First>, _ expression: ModelExpression<M, Second>
  ) -> ModelSelection<M, (First, Second)> {
    selection(.column(property), expression)
  }

  // The compiler cannot convert an expression to `Any` if it reads a member of a result whose type contains a pack:
  // `print(try connection.fetch(…).count)`. For that reason, the most common forms exist without packs.
  private func selection<First: Sendable, each Other: Sendable>(
    _ first: ModelExpression<M, First>, _ others: repeat ModelExpression<M, each Other>
  ) -> ModelSelection<M, (First, repeat each Other)> {
    var all = [first.sql]
    var hasAggregate = first.isAggregate
    for expression in repeat each others {
      all.append(expression.sql)
      if expression.isAggregate { hasAggregate = true }
    }
    return ModelSelection(
      query: self, expressions: all, hasAggregate: hasAggregate,
      converter: RowConverter { row in
        var index = 0
        func next<V>(_ expression: ModelExpression<M, V>, _ row: borrowing Row) throws -> V {
          index += 1
          return try expression.read(row, index)
        }
        return try (first.read(row, 0), repeat next(each others, row))
      })
  }
}

extension ModelSelection {
  fileprivate init(
    query: ModelQuery<M>, expressions: [Swift.Result<SQL, any Error>], hasAggregate: Bool,
    converter: RowConverter<Value>
  ) {
    self.query = query
    self.expressions = expressions
    self.hasAggregate = hasAggregate
    self.converter = converter
  }
}
