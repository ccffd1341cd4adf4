import Sluice

extension Connection {
  /// Returns the values to write, by column name; throws if a value has no column.
  func storedValues<M: Model>(of model: M) throws -> [String: SQLParameter] {
    let values = try model.columnValues(for: self)
    try refuseUnknown(values, M.self)
    return values
  }

  /// Returns the values of a statement's columns, NULL for a missing value; throws if a value has no column.
  func storedValues<M: Model>(
    of model: M, for write: TableStatements.Write
  ) throws -> [SQLParameter] {
    let values = try model.columnValues(for: self)
    var unknown = values.count
    let stored = write.columns.map { column -> SQLParameter in
      guard let value = values[column] else { return .null }
      unknown -= 1
      return value
    }
    if let unwritten = write.unwritten, values[unwritten] != nil { unknown -= 1 }
    if unknown > 0 { try refuseUnknown(values, M.self) }
    return stored
  }

  private func refuseUnknown<M: Model>(_ values: [String: SQLParameter], _ model: M.Type) throws {
    let schema = try M.table.schema.get()
    for name in values.keys where !schema.has(name) { _ = try schema.column(named: name) }
  }

  /// Returns a value as a parameter that can be compared with columns.
  func operand(_ value: some Encodable) throws -> SQLParameter {
    guard !((value as Any) is any SetType) else {
      throw SQLiteError(
        .misuse, "A set cannot be compared: its stored order varies, so equal sets can differ")
    }
    return try parameter(encoding: value)
  }

  /// Returns the condition that selects the row with a key.
  func isRow<M: Model>(_ model: M.Type, _ key: M.Key) throws -> SQL {
    SQL(text: try M.table.statements.get().isRow, try keyValues(model, key))
  }

  /// Returns the values of a key's columns, in order.
  func keyValues<M: Model>(_ model: M.Type, _ key: M.Key) throws -> [SQLParameter] {
    try M.table.keyValues(key).map { try parameter(encoding: $0) }
  }

  /// Returns the key of a value; throws if the value has none, because it was not inserted.
  func key<M: Model>(of model: M) throws -> M.Key {
    guard let key = M.table.key(model) else {
      throw SQLiteError(
        .notFound,
        "The \(M.self) has no key: insert returns the model with its key, so use the returned value"
      )
    }
    return key
  }

  /// Executes a single statement, and returns the number of rows that it changed.
  func change(_ sql: SQL) throws -> Int {
    try execute(sql)
    return changes
  }

  /// Executes a statement that changes a single row, and throws if there is no such row.
  ///
  /// SQLite does not count changes that a view's trigger makes, so the row of a view may be missing without an error.
  func changeRow<M: Model>(_ model: M.Type, _ sql: SQL) throws -> Int {
    let count = try change(sql)
    guard try count > 0 || !hasTable(of: model) else { throw noRow(model) }
    return count
  }

  /// Executes a statement with RETURNING that changes a single row, and returns the converted row; throws if there is
  /// no row.
  func changedRow<M: Model, T>(
    _ model: M.Type, _ converter: RowConverter<T>, _ sql: SQL
  ) throws -> T {
    guard let row = try first(converter, sql) else { throw noRow(model) }
    return row
  }

  private func noRow<M: Model>(_ model: M.Type) -> SQLiteError {
    SQLiteError(.notFound, "The table \"\(M.table.name)\" has no such row")
  }

  /// Calls `body` for all elements, and undoes all changes if a call throws.
  func forAll<Element, T>(
    _ elements: [Element], _ body: (Connection, Element) throws -> T
  ) throws -> [T] {
    try savepoint { connection, _ in try elements.map { try body(connection, $0) } }.value
  }

  /// Calls `body` for each value, and returns the values that caused an error, with their errors.
  func forEach<M: Model, T>(
    _ models: [M], _ body: (Connection, M) throws -> T
  ) throws -> [ModelFailure<M>] {
    try savepoint { connection, _ in
      var failures: [ModelFailure<M>] = []
      for model in models {
        do { _ = try body(connection, model) } catch {
          guard error.isFaultOfValue else { throw error }
          failures.append(ModelFailure(model: model, error: error))
        }
      }
      return failures
    }.value
  }

  func name(_ column: String) -> SQL { "\(identifier: column)" }
}

extension Error {
  /// Whether the value caused the error, so that writing another value could succeed.
  fileprivate var isFaultOfValue: Bool {
    guard let error = self as? SQLiteError else { return self is EncodingError }
    return [ResultCode.constraint, .mismatch, .tooBig, .range, .notFound].contains(
      error.code.primary)
  }
}

private protocol SetType {}
extension Set: SetType {}

extension Sequence<SQL> {
  /// The elements, separated by commas.
  var list: SQL { joined(separator: ", ") }
}
