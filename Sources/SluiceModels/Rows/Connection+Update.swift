public import Sluice

/// Updates of rows.
///
/// A method that updates a single row throws ``ResultCode/notFound`` if the row does not exist. Except for
/// `updateEach`, all methods return the number of changed rows. For a view with triggers, this number is 0, because
/// SQLite does not count their changes, and a missing row is no error.
extension Connection {
  /// Writes all properties of a value to its row; `policy` determines what a violated constraint does.
  @discardableResult
  public func update<M: Model>(_ model: M, or policy: ConflictPolicy = .abort) throws -> Int {
    try write(model, M.table.statements.get().update.or(policy))
  }

  /// Writes these properties of a value to its row: `update(person, \.name, \.age)`.
  @discardableResult
  public func update<M: Model>(
    _ model: M, _ property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...
  ) throws -> Int {
    let schema = try M.table.schema.get()
    let columns = try ([property] + others).map { try schema.writable(schema.column($0)) }
    return try write(model, schema.statements.update(columns))
  }

  /// Writes these columns of a value to its row.
  @discardableResult
  public func update<M: Model>(_ model: M, columns: [String]) throws -> Int {
    let schema = try M.table.schema.get()
    let columns = try columns.map { try schema.writable(schema.column(named: $0)) }
    return try write(model, schema.statements.update(columns))
  }

  /// Writes all properties of a value to its row, and returns the converted row.
  ///
  /// The row contains generated columns and columns without a property. It does not show changes that an `AFTER`
  /// trigger makes to it. If the converter throws, the row has been written; rethrow the error to roll back the
  /// transaction.
  ///
  /// The corresponding SQL is `UPDATE … RETURNING *`.
  public func update<M: Model, T>(_ model: M, returning converter: RowConverter<T>) throws -> T {
    let update = try M.table.statements.get().update
    let key = try keyValues(M.self, key(of: model))
    let row = try withStatement(update, model, key: key, end: " RETURNING *") {
      try $0.first(converter)
    }
    return try found(row, M.self)
  }

  /// Writes all properties of a value to its row, and returns a value of the row, such as one that SQLite computes.
  public func update<M: Model, T: Decodable & Sendable>(
    _ model: M, returning property: KeyPath<M, T>
  ) throws -> T {
    try update(model, returning: .property(property))
  }

  /// Writes the properties in which a value differs from an older version of itself.
  ///
  /// ```swift
  /// var edited = person
  /// edited.name = "Eve"
  /// try connection.updateChanges(of: edited, from: person)
  /// ```
  ///
  /// Properties are compared in their stored form. If there is no difference, this method neither writes nor
  /// checks whether the row exists.
  ///
  /// - Returns: Whether the row was written.
  /// - Throws: ``ResultCode/misuse`` if the keys differ, and ``ResultCode/notFound`` if there is no such row.
  @discardableResult
  public func updateChanges<M: Model>(of model: M, from old: M) throws -> Bool {
    try updateChanges(of: model, from: storedValues(of: old))
  }

  private func updateChanges<M: Model>(
    of model: M, from old: [String: SQLParameter]
  ) throws -> Bool {
    let schema = try M.table.schema.get()
    let new = try storedValues(of: model)
    let columns = try schema.columns.map(\.name).filter { column in
      try !(new[column] ?? .null).isSame(as: old[column] ?? .null)
    }
    if let key = columns.first(where: schema.keyNames.contains) {
      throw SQLiteError(
        .misuse, "The values have different keys (\"\(key)\"): compare two versions of one row")
    }
    let written = columns.filter(schema.written.contains)
    guard !written.isEmpty else { return false }
    _ = try write(model, schema.statements.update(written))
    return true
  }

  /// Changes a value in a closure, and writes the properties that have changed.
  ///
  /// ```swift
  /// try connection.updateChanges(of: &person) { $0.name = "Eve" }
  /// ```
  ///
  /// If the closure or the update throws, the value does not change, unless it is an object of a class. Generated
  /// columns of the value do not change.
  ///
  /// - Returns: Whether the row was written.
  @discardableResult
  public func updateChanges<M: Model>(
    of model: inout M, _ change: (_ model: inout M) throws -> Void
  ) throws -> Bool {
    // The closure can change an object that the value refers to.
    let old = try storedValues(of: model)
    var changed = model
    try change(&changed)
    let isWritten = try updateChanges(of: changed, from: old)
    model = changed
    return isWritten
  }

  /// Writes all values to their rows; if one of them cannot be written or has no row, throws and writes nothing.
  @discardableResult
  public func update<M: Model>(_ models: [M], or policy: ConflictPolicy = .abort) throws -> Int {
    try forAll(models) { try $0.update($1, or: policy) }.reduce(0, +)
  }

  /// Writes all values to their rows, and returns the converted rows; if one of them cannot be written or has no row, throws
  /// and writes nothing.
  ///
  /// If the converter throws, no row has been written.
  public func update<M: Model, T>(
    _ models: [M], returning converter: RowConverter<T>
  ) throws -> [T] {
    try forAll(models) { try $0.update($1, returning: converter) }
  }

  /// Writes the values to their rows, and returns the values that could not be written, with their errors.
  public func updateEach<M: Model>(_ models: [M]) throws -> [ModelFailure<M>] {
    try forEach(models) { try $0.update($1) }
  }

  /// Sets columns of the row with this key.
  ///
  /// ```swift
  /// try connection.update(Person.self, key: 1, .set(\.name, to: "Eve"), .set(\.age, to: nil))
  /// ```
  @discardableResult
  public func update<M: Model>(
    _ model: M.Type, key: M.Key, _ assignment: Assignment<M>, _ others: Assignment<M>...,
    or policy: ConflictPolicy = .abort
  ) throws -> Int {
    let sql: SQL = try update([assignment] + others, policy) + " WHERE \(isRow(model, key))"
    return try counted(change(sql), model)
  }

  /// Sets columns of the row with this key, and returns the converted row.
  ///
  /// If the converter throws, the row has been written; rethrow the error to roll back the transaction.
  public func update<M: Model, T>(
    _ model: M.Type, key: M.Key, _ assignment: Assignment<M>, _ others: Assignment<M>...,
    returning converter: RowConverter<T>
  ) throws -> T {
    let sql: SQL = try update([assignment] + others) + " WHERE \(isRow(model, key)) RETURNING *"
    return try found(first(converter, sql), model)
  }

  /// Sets columns of all rows that a query finds, and returns the converted rows, in no particular order.
  ///
  /// If the converter throws, the rows have been written; rethrow the error to roll back the transaction.
  public func update<M: Model, T>(
    _ query: ModelQuery<M>, _ assignment: Assignment<M>, _ others: Assignment<M>...,
    returning converter: RowConverter<T>
  ) throws -> [T] {
    let sql = try update([assignment] + others) + query.selection(self)
    return try self.query(converter, sql + " RETURNING *")
  }

  /// Sets columns of all rows that a query finds, and returns their number, which may be 0.
  @discardableResult
  public func update<M: Model>(
    _ query: ModelQuery<M>, _ assignment: Assignment<M>, _ others: Assignment<M>...,
    or policy: ConflictPolicy = .abort
  ) throws -> Int {
    try change(try update([assignment] + others, policy) + query.selection(self))
  }

  private func write<M: Model>(_ model: M, _ update: TableStatements.Write) throws -> Int {
    let key = try keyValues(M.self, key(of: model))
    let count = try withStatement(update, model, key: key) { statement in
      try statement.execute()
      return changes
    }
    return try counted(count, M.self)
  }

  private func update<M: Model>(
    _ assignments: [Assignment<M>], _ policy: ConflictPolicy = .abort
  ) throws -> SQL {
    """
    UPDATE\(policy.clause) \(identifier: M.table.name) \
    SET \(try assignments.map { try $0.sql(self) }.list)
    """
  }
}

/// A new value for a column.
public struct Assignment<M: Model>: Sendable {
  let sql: @Sendable (Connection) throws -> SQL

  /// Sets the column of a property to a value; nil becomes NULL.
  public static func set<Value: Encodable & Sendable>(
    _ property: KeyPath<M, Value>, to value: Value
  ) -> Assignment {
    make({ try $0.column(property) }, value)
  }

  /// Sets the column of a property to the value of an SQL expression: `.set(\.age, sql: "age + \(1)")`.
  public static func set(_ property: PartialKeyPath<M>, sql: SQL) -> Assignment {
    make({ try $0.column(property) }, { _, _ in sql })
  }

  /// Sets the column with this name to a value; nil becomes NULL.
  public static func column(
    _ name: String, to value: (some Encodable & Sendable)?
  ) -> Assignment {
    make({ try $0.column(named: name) }, value)
  }

  private static func make(
    _ column: (TableSchema<M>) throws -> String, _ value: some Encodable & Sendable
  ) -> Assignment {
    make(
      column,
      { column, connection in
        "\(try M.table.statements.get().parameter(value, as: column, on: connection))"
      })
  }

  private static func make(
    _ column: (TableSchema<M>) throws -> String,
    _ value: @escaping @Sendable (_ column: String, _ connection: Connection) throws -> SQL
  ) -> Assignment {
    let name = Result {
      let schema = try M.table.schema.get()
      return try schema.writable(column(schema))
    }
    return Assignment { connection in
      let name = try name.get()
      return "\(identifier: name) = \(try value(name, connection))"
    }
  }
}

extension TableSchema {
  /// Returns the name of a column; throws if the column is generated.
  func writable(_ column: String) throws -> String {
    guard written.contains(column) || !read.names.contains(column) else {
      throw SQLiteError(.misuse, "The column \"\(column)\" is generated and cannot be written")
    }
    return column
  }
}
