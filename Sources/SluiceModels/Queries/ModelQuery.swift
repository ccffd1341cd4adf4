public import Sluice

/// Which rows of a model's table are meant, in which order, and how many of them.
///
/// ```swift
/// let adults = Person.where(\.age >= 18 && .like(\.name, "A%")).order(by: \.name).limit(10)
/// let found = try connection.fetch(adults)
/// ```
///
/// It is a value, which is run by a connection: to fetch, to count, to update, to delete. Values in
/// it are bound, and names are those of columns. What does not fit the table is thrown when it runs.
public struct ModelQuery<M: Model>: Sendable {
  var condition: Condition<M>?
  var orderings: [Ordering<M>] = []
  var limit: Int?
  var offset = 0
}

extension Model {
  /// All rows.
  public static var all: ModelQuery<Self> { ModelQuery() }

  /// The rows that meet a condition: `Person.where(\.age >= 18)`.
  public static func `where`(_ condition: Condition<Self>) -> ModelQuery<Self> {
    all.where(condition)
  }

  /// The rows in which a column, given by its name, compares in this way with a value.
  public static func `where`(
    _ column: String, _ comparison: Comparison, _ value: (some Encodable & Sendable)?
  ) -> ModelQuery<Self> {
    all.where(.column(column, comparison, value))
  }

  /// The rows in which a column, given by its name, compares in this way with NULL:
  /// `Person.where("age", .is, nil)`.
  public static func `where`(
    _ column: String, _ comparison: Comparison, _ value: Never?
  ) -> ModelQuery<Self> {
    all.where(.column(column, comparison, value))
  }

  /// The rows that meet a condition in SQL, in which values are bound: `Person.where("age > \(18)")`.
  public static func `where`(sql: SQL) -> ModelQuery<Self> { all.where(.sql(sql)) }

  /// All rows in this order.
  public static func order(
    by property: PartialKeyPath<Self>, _ others: PartialKeyPath<Self>...
  ) -> ModelQuery<Self> {
    all.order(by: ([property] + others).map { .ascending($0) })
  }

  /// All rows in this order: `Person.order(by: .descending(\.age), .ascending(\.name))`.
  public static func order(
    by ordering: Ordering<Self>, _ others: Ordering<Self>...
  ) -> ModelQuery<Self> {
    all.order(by: [ordering] + others)
  }
}

extension ModelQuery {
  /// Those that meet another condition as well.
  public func `where`(_ other: Condition<M>) -> ModelQuery {
    var query = self
    query.condition = condition.map { $0 && other } ?? other
    return query
  }

  /// Those in which a column, given by its name, compares in this way with a value, as well.
  public func `where`(
    _ column: String, _ comparison: Comparison, _ value: (some Encodable & Sendable)?
  ) -> ModelQuery {
    self.where(.column(column, comparison, value))
  }

  /// Those in which a column, given by its name, compares in this way with NULL, as well.
  public func `where`(_ column: String, _ comparison: Comparison, _ value: Never?) -> ModelQuery {
    self.where(.column(column, comparison, value))
  }

  /// Ascending by these properties; what was ordered before counts first.
  public func order(by property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...) -> ModelQuery {
    order(by: ([property] + others).map { .ascending($0) })
  }

  /// In this order: `order(by: .descending(\.age), .ascending(\.name))`; what was ordered before
  /// counts first.
  public func order(by ordering: Ordering<M>, _ others: Ordering<M>...) -> ModelQuery {
    order(by: [ordering] + others)
  }

  func order(by orderings: [Ordering<M>]) -> ModelQuery {
    var query = self
    query.orderings += orderings
    return query
  }

  /// No more than so many rows, after the first `offset` ones; without it, after those that were left
  /// out before.
  public func limit(_ count: Int, offset: Int? = nil) -> ModelQuery {
    var query = self
    query.limit = count
    query.offset = offset ?? self.offset
    return query
  }

  /// Without the first so many rows.
  public func offset(_ count: Int) -> ModelQuery {
    var query = self
    query.offset = count
    return query
  }
}

extension ModelQuery {
  /// WHERE, ORDER BY and LIMIT.
  func tail(_ connection: Connection) throws -> SQL {
    var sql: SQL = ""
    if let condition { sql += " WHERE \(try condition.sql(connection))" }
    if !orderings.isEmpty { sql += " ORDER BY \(try orderings.map { try $0.sql.get() }.list)" }
    guard limit != nil || offset != 0 else { return sql }
    guard limit ?? 0 >= 0, offset >= 0 else {
      throw SQLiteError(.range, "A query cannot have a limit or offset below 0")
    }
    return sql + " LIMIT \(limit ?? -1) OFFSET \(offset)"
  }

  /// The same where SQLite takes no more than a WHERE.
  func selection(_ connection: Connection) throws -> SQL {
    guard limit != nil || offset != 0 else {
      return try condition.map { " WHERE \(try $0.sql(connection))" } ?? ""
    }
    let keys = try M.table.keyNames.map { "\(identifier: $0)" as SQL }.list
    return
      " WHERE (\(keys)) IN (SELECT \(keys) FROM \(identifier: M.table.name)\(try tail(connection)))"
  }
}

extension Model {
  /// SELECT with all columns, and the table.
  static var select: SQL {
    get throws {
      let columns = try table.schema.get().read.map { column -> SQL in
        "\(identifier: table.name).\(identifier: column)"
      }
      return "SELECT \(columns.list) FROM \(identifier: table.name)"
    }
  }
}
