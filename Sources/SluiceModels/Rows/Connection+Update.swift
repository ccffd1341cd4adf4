public import Sluice

/// Rows that change.
///
/// What means one row throws ``ResultCode/notFound`` if there is none. All return how many rows they
/// have changed.
extension Connection {
  /// Writes all of a value into its row.
  @discardableResult
  public func update<M: Model>(_ model: M) throws -> Int {
    let schema = try M.table.schema.get()
    return try write(model, schema.written.filter { !schema.keyNames.contains($0) })
  }

  /// Writes some properties of a value into its row: `update(person, \.name, \.age)`.
  @discardableResult
  public func update<M: Model>(
    _ model: M, _ property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...
  ) throws -> Int {
    let schema = try M.table.schema.get()
    return try write(
      model, try ([property] + others).map { try schema.writable(schema.column($0)) })
  }

  /// Writes some columns of a value into its row.
  @discardableResult
  public func update<M: Model>(_ model: M, columns: [String]) throws -> Int {
    let schema = try M.table.schema.get()
    return try write(model, try columns.map { try schema.writable(schema.column(named: $0)) })
  }

  /// Writes all values, or none if one of them has no row.
  @discardableResult
  public func update<M: Model>(_ models: [M]) throws -> Int {
    try forAll(models) { try $0.update($1) }.reduce(0, +)
  }

  /// Writes those values that can be written, and returns the others, each with what is wrong.
  public func updateEach<M: Model>(_ models: [M]) throws -> [ModelFailure<M>] {
    try forEach(models) { try $0.update($1) }
  }

  /// Changes columns of the row that has this key.
  ///
  /// ```swift
  /// try connection.update(Person.self, key: 1, .set(\.name, to: "Eve"), .set(\.age, to: nil))
  /// ```
  @discardableResult
  public func update<M: Model>(
    _ model: M.Type, key: M.Key, _ assignment: Assignment<M>, _ others: Assignment<M>...
  ) throws -> Int {
    try changeRow(model, try update([assignment] + others) + " WHERE \(isRow(model, key))")
  }

  /// Changes columns of all rows that a query finds; there may be none.
  @discardableResult
  public func update<M: Model>(
    _ query: ModelQuery<M>, _ assignment: Assignment<M>, _ others: Assignment<M>...
  ) throws -> Int {
    try change(try update([assignment] + others) + query.selection(self))
  }

  private func write<M: Model>(_ model: M, _ columns: [String]) throws -> Int {
    let key = try key(of: model)
    let values = try storedValues(of: model)
    // With nothing to be written, what is left is to see whether there is a row.
    let names = columns.isEmpty ? try M.table.keyNames : columns
    let assignments = names.map { "\(identifier: $0) = \(values[$0] ?? .null)" as SQL }
    return try changeRow(
      M.self,
      "UPDATE \(identifier: M.table.name) SET \(assignments.list) WHERE \(isRow(M.self, key))")
  }

  private func update<M: Model>(_ assignments: [Assignment<M>]) throws -> SQL {
    "UPDATE \(identifier: M.table.name) SET \(try assignments.map { try $0.sql(self) }.list)"
  }
}

/// The new value of a column.
public struct Assignment<M: Model>: Sendable {
  let sql: @Sendable (Connection) throws -> SQL

  /// The column of a property is set to a value; nil is NULL.
  public static func set<Value: Encodable & Sendable>(
    _ property: KeyPath<M, Value>, to value: Value
  ) -> Assignment {
    make({ try $0.column(property) }, { "\(try $0.parameter(encoding: value))" })
  }

  /// The column of a property is set to what SQL says: `.set(\.age, sql: "age + \(1)")`.
  public static func set(_ property: PartialKeyPath<M>, sql: SQL) -> Assignment {
    make({ try $0.column(property) }, { _ in sql })
  }

  /// A column is set to a value; nil is NULL.
  public static func set(
    _ column: String, to value: (some Encodable & Sendable)?
  ) -> Assignment {
    make({ try $0.column(named: column) }, { "\(try $0.parameter(encoding: value))" })
  }

  private static func make(
    _ column: (TableSchema<M>) throws -> String,
    _ value: @escaping @Sendable (Connection) throws -> SQL
  ) -> Assignment {
    let name = Result {
      let schema = try M.table.schema.get()
      return try schema.writable(column(schema))
    }
    return Assignment { connection in "\(identifier: try name.get()) = \(try value(connection))" }
  }
}

extension TableSchema {
  /// The name of a column that can be written.
  func writable(_ column: String) throws -> String {
    guard written.contains(column) || !read.contains(column) else {
      throw SQLiteError(.misuse, "The column \"\(column)\" is generated, and cannot be written")
    }
    return column
  }
}
