public import Sluice

/// Rows that come.
extension Connection {
  /// Inserts a value as a row, and returns it with the key that SQLite has assigned.
  ///
  /// A key is assigned if it is nil. A row that breaks a constraint throws, with SQLite's code for it,
  /// such as ``ResultCode/constraintUnique``. If a trigger ignores the row, ``ResultCode/notFound`` is
  /// thrown.
  @discardableResult
  public func insert<M: Model>(_ model: M) throws -> M {
    try add(model, onConflict: nil)
  }

  /// Inserts all values or none, and returns them with the keys that SQLite has assigned.
  @discardableResult
  public func insert<M: Model>(_ models: [M]) throws -> [M] {
    try forAll(models) { try $0.insert($1) }
  }

  /// Inserts those values that can be, and returns the others, each with what is wrong with it.
  ///
  /// ```swift
  /// for failure in try connection.insertEach(people) {
  ///   print(failure.model.name, failure.error)
  /// }
  /// ```
  ///
  /// What is not the fault of a value, such as a full disk, is thrown, and then nothing is inserted.
  public func insertEach<M: Model>(_ models: [M]) throws -> [ModelFailure<M>] {
    try forEach(models) { try $0.insert($1) }
  }

  /// Inserts a value, or if there is a row of its key, updates that; and returns it with the key that
  /// SQLite has assigned.
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

  /// Inserts or updates all values, or does nothing.
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
    // What has no key conflicts with none.
    guard isKeyless, let assign = M.table.assign else {
      let count = try change(sql + (columns.isEmpty ? "" : conflict ?? ""))
      // What a view's trigger does is not counted, and a row that is there may stay as it is.
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

/// A value for which a row could not be written, and why.
public struct ModelFailure<M: Model>: Sendable {
  /// The value, as it was.
  public let model: M
  /// The error of SQLite or Sluice.
  public let error: any Error
}
