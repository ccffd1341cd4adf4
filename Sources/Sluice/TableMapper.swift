public import SluiceCore

/// A mapper that converts the rows of one table to values.
///
/// ```swift
/// let people = TableMapper("person", .person)
/// let everybody = try people.all(in: connection, orderBy: "name")
/// let ada = try people.first(in: connection, where: ["name": "Ada", "age": 36])
/// let adults = try people.count(in: connection, where: "age >= \(18)")
/// ```
///
/// Names are quoted, and values are bound. A condition is ``SQL``, or a list of columns and values, all of which
/// must match; `nil` stands for NULL. An order is ``SQL`` too. For other queries, use
/// ``Connection/query(_:_:)-(RowConverter<T>,_)``.
public struct TableMapper<Value>: Sendable {
  private let name: SQL
  private let table: SQL
  private let converter: RowConverter<Value>

  /// Creates a mapper for a table or view.
  ///
  /// The table is searched for in all databases of the connection, or only in the database `schema`, such as
  /// `main`.
  public init(_ table: String, schema: String? = nil, _ converter: RowConverter<Value>) {
    name = "\(identifier: table)"
    self.table = schema.map { "\(identifier: $0).\(identifier: table)" } ?? name
    self.converter = converter
  }
}

extension TableMapper {
  /// Returns the converted values of all rows, or of the rows that meet the condition.
  public func all(
    in connection: Connection, where condition: SQL? = nil, orderBy order: SQL? = nil,
    limit: Int? = nil
  ) throws -> [Value] {
    try connection.query(converter, select("*", condition, order, limit))
  }

  /// Returns the converted values of the rows in which the columns have these values.
  public func all(
    in connection: Connection, where columns: KeyValuePairs<String, (any SQLBindable)?>,
    orderBy order: SQL? = nil, limit: Int? = nil
  ) throws -> [Value] {
    try all(in: connection, where: condition(columns), orderBy: order, limit: limit)
  }

  /// Returns the converted value of the first row, or of the first row that meets the condition.
  ///
  /// Returns nil if there is no such row.
  public func first(
    in connection: Connection, where condition: SQL? = nil, orderBy order: SQL? = nil
  ) throws -> Value? {
    try connection.first(converter, select("*", condition, order, 1))
  }

  /// Returns the converted value of the first row in which the columns have these values; nil if there is none.
  public func first(
    in connection: Connection, where columns: KeyValuePairs<String, (any SQLBindable)?>,
    orderBy order: SQL? = nil
  ) throws -> Value? {
    try first(in: connection, where: condition(columns), orderBy: order)
  }

  /// Returns the number of all rows, or of the rows that meet the condition.
  public func count(in connection: Connection, where condition: SQL? = nil) throws -> Int {
    try connection.first(.column(.int), select("count(*)", condition, nil, nil)) ?? 0
  }

  /// Returns the number of rows in which the columns have these values.
  public func count(
    in connection: Connection, where columns: KeyValuePairs<String, (any SQLBindable)?>
  ) throws -> Int {
    try count(in: connection, where: condition(columns))
  }

  private func select(_ result: SQL, _ condition: SQL?, _ order: SQL?, _ limit: Int?) -> SQL {
    var sql: SQL = "SELECT \(result) FROM \(table)"
    if let condition { sql += " WHERE \(condition)" }
    if let order { sql += " ORDER BY \(order)" }
    if let limit { sql += " LIMIT \(limit)" }
    return sql
  }

  private func condition(_ columns: KeyValuePairs<String, (any SQLBindable)?>) -> SQL? {
    // Qualify the column with its table, because SQLite can treat an unknown quoted name as a string.
    let conditions = columns.map { column, value -> SQL in
      "\(name).\(identifier: column) IS \(value?.sqlParameter ?? .null)"
    }
    return conditions.isEmpty ? nil : conditions.joined(separator: " AND ")
  }
}
