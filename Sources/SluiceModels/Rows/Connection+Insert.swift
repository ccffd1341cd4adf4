public import Sluice

/// Insertion of rows.
extension Connection {
  /// Inserts a value as a row, and returns the value with its key.
  ///
  /// If the key is nil, SQLite assigns one. This method throws the code of a violated constraint, such as
  /// ``ResultCode/constraintUnique``, and ``ResultCode/notFound`` if a trigger ignores the row.
  @discardableResult
  public func insert<M: Model>(_ model: M) throws -> M {
    try add(model, onConflict: nil)
  }

  /// Inserts all values, and returns them with their keys; if one cannot be inserted, throws and inserts none.
  @discardableResult
  public func insert<M: Model>(_ models: [M]) throws -> [M] {
    try forAll(models) { try $0.insert($1) }
  }

  /// Inserts the values, and returns the values that could not be inserted, with their errors.
  ///
  /// ```swift
  /// for failure in try connection.insertEach(people) {
  ///   print(failure.model.name, failure.error)
  /// }
  /// ```
  ///
  /// If an error is not caused by a value, such as a full disk, this method throws and inserts nothing.
  public func insertEach<M: Model>(_ models: [M]) throws -> [ModelFailure<M>] {
    try forEach(models) { try $0.insert($1) }
  }

  /// Inserts a value, or updates the row with the same key, and returns the value with its key.
  ///
  /// If SQLite assigns the key, the returned value has the assigned key.
  @discardableResult
  public func upsert<M: Model>(_ model: M) throws -> M {
    let schema = try M.table.schema.get()
    let others = schema.written.filter { !schema.keyNames.contains($0) }
    let update: SQL =
      others.isEmpty
      ? "NOTHING"
      : "UPDATE SET \(others.map { "\(identifier: $0) = excluded.\(identifier: $0)" }.list)"
    return try add(
      model, onConflict: " ON CONFLICT(\(schema.keyNames.map(name).list)) DO \(update)")
  }

  /// Inserts or updates the rows of all values; if one of them cannot be written, throws and changes nothing.
  @discardableResult
  public func upsert<M: Model>(_ models: [M]) throws -> [M] {
    try forAll(models) { try $0.upsert($1) }
  }

  private func add<M: Model>(_ model: M, onConflict conflict: SQL?) throws -> M {
    let schema = try M.table.schema.get()
    let values = try storedValues(of: model)
    let isKeyless = M.table.key(model) == nil && M.table.assign != nil
    let columns = isKeyless ? schema.written.filter { $0 != schema.keyNames[0] } : schema.written
    var sql: SQL = "INSERT INTO \(identifier: M.table.name)"
    if columns.isEmpty {
      sql += " DEFAULT VALUES"
    } else {
      let row = columns.map { "\(values[$0] ?? .null)" as SQL }
      sql += "(\(columns.map(name).list)) VALUES (\(row.list))"
    }
    // A key that SQLite assigns differs from the key of every existing row, so `conflict` is not needed.
    guard isKeyless, let assign = M.table.assign else {
      let count = try change(sql + (columns.isEmpty ? "" : conflict ?? ""))
      // SQLite does not count changes that a view's trigger makes, and an upsert may leave an existing row
      // unchanged.
      guard try count > 0 || conflict != nil || !hasTable(of: M.self) else { throw ignored(M.self) }
      return model
    }
    sql += " RETURNING \(identifier: schema.keyNames[0])"
    var result: M?
    try execute(sql) { row in
      var inserted = model
      try assign(&inserted, row)
      result = inserted
    }
    guard let result else { throw ignored(M.self) }
    return result
  }

  private func ignored<M: Model>(_ model: M.Type) -> SQLiteError {
    SQLiteError(.notFound, "A trigger of the table \"\(M.table.name)\" has ignored the row")
  }
}

/// A value whose row could not be written, and the error.
public struct ModelFailure<M: Model>: Sendable {
  /// The value, unchanged.
  public let model: M
  /// The error from SQLite or Sluice.
  public let error: any Error
}
