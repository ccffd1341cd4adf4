import Sluice

/// A query for rows of a model's table, with an order and a limit.
///
/// ```swift
/// let adults = Person.where(\.age >= 18 && .like(\.name, "A%")).order(by: \.name).limit(10)
/// let found = try connection.fetch(adults)
/// ```
///
/// A query is a value. A connection uses it to fetch, count, update or delete rows. The values in a query are
/// bound, and its names must be names of columns. Running a query that does not match the table throws.
public struct ModelQuery<M: Model>: Sendable {
  var condition: Condition<M>?
  var orderings: [Ordering<M>] = []
  var limit: Int?
  var offset = 0
}

extension Model {
  /// A query for all rows.
  public static var all: ModelQuery<Self> { ModelQuery() }

  /// Returns a query for the rows that meet a condition: `Person.where(\.age >= 18)`.
  public static func `where`(_ condition: Condition<Self>) -> ModelQuery<Self> {
    all.where(condition)
  }

  /// Returns a query for all rows, in ascending order of these properties.
  public static func order(
    by property: PartialKeyPath<Self>, _ others: PartialKeyPath<Self>...
  ) -> ModelQuery<Self> {
    all.order(by: ([property] + others).map { .ascending($0) })
  }

  /// Returns a query for all rows in this order: `Person.order(by: .descending(\.age), .ascending(\.name))`.
  public static func order(
    by ordering: Ordering<Self>, _ others: Ordering<Self>...
  ) -> ModelQuery<Self> {
    all.order(by: [ordering] + others)
  }
}

extension ModelQuery {
  /// Adds another condition that the rows must meet.
  public func `where`(_ other: Condition<M>) -> ModelQuery {
    var query = self
    query.condition = condition.map { $0 && other } ?? other
    return query
  }

  /// Adds ascending orderings by these properties; earlier orderings take precedence.
  public func order(by property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...) -> ModelQuery {
    order(by: ([property] + others).map { .ascending($0) })
  }

  /// Adds orderings: `order(by: .descending(\.age), .ascending(\.name))`; earlier orderings take precedence.
  public func order(by ordering: Ordering<M>, _ others: Ordering<M>...) -> ModelQuery {
    order(by: [ordering] + others)
  }

  func order(by orderings: [Ordering<M>]) -> ModelQuery {
    var query = self
    query.orderings += orderings
    return query
  }

  /// Limits the number of rows, and skips the first `offset` rows.
  ///
  /// If `offset` is nil, the query keeps its previous offset.
  public func limit(_ count: Int, offset: Int? = nil) -> ModelQuery {
    var query = self
    query.limit = count
    query.offset = offset ?? self.offset
    return query
  }

  /// Skips the first `count` rows.
  public func offset(_ count: Int) -> ModelQuery {
    var query = self
    query.offset = count
    return query
  }
}

extension ModelQuery {
  /// Returns the WHERE, ORDER BY and LIMIT clauses.
  func tail(_ connection: Connection) throws -> SQL { try filter(connection) + ordering() }

  /// Returns the WHERE clause.
  func filter(_ connection: Connection) throws -> SQL {
    try condition.map { " WHERE \(try $0.sql(connection))" } ?? ""
  }

  /// Returns the ORDER BY clause.
  func order() throws -> SQL {
    orderings.isEmpty ? "" : " ORDER BY \(try orderings.map { try $0.sql.get() }.list)"
  }

  /// Returns the ORDER BY and LIMIT clauses.
  func ordering() throws -> SQL {
    let sql = try order()
    guard limit != nil || offset != 0 else { return sql }
    guard limit ?? 0 >= 0, offset >= 0 else {
      throw SQLiteError(.range, "The limit and offset of a query must not be negative")
    }
    return sql + " LIMIT \(limit ?? -1) OFFSET \(offset)"
  }

  /// Returns a WHERE clause that selects the query's rows in a statement that cannot have ORDER BY or LIMIT.
  func selection(_ connection: Connection) throws -> SQL {
    guard limit != nil || offset != 0 else { return try filter(connection) }
    return try selection(by: connection.identity(of: M.self), connection)
  }

  /// Returns the FROM and WHERE clauses for an aggregate of the query's rows.
  func rows(_ connection: Connection) throws -> SQL {
    let table: SQL = "\(identifier: M.table.name)"
    guard limit != nil || offset != 0 else { return table + (try filter(connection)) }
    if let rowid = try connection.rowidName(of: M.self) {
      return table + (try selection(by: [connection.name(rowid)], connection))
    }
    // Rows of a view can have the same key.
    return "(SELECT * FROM \(table)\(try tail(connection))) AS \(table)"
  }

  private func selection(by values: [SQL], _ connection: Connection) throws -> SQL {
    " WHERE (\(values.list)) IN (SELECT \(values.list) FROM \(identifier: M.table.name)\(try tail(connection)))"
  }
}

extension Model {
  /// Returns the columns of the table for a SELECT statement, in the order of the model.
  static func columns(of alias: String) throws -> SQL {
    try table.schema.get().read.names.map { column -> SQL in
      "\(identifier: alias).\(identifier: column)"
    }.list
  }

  /// A SELECT statement for all columns of the table.
  static var selectSQL: SQL {
    get throws { SQL(text: try table.statements.get().select) }
  }
}
