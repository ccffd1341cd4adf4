import Sluice

extension Connection {
  /// Returns the values to write, by column name; throws if a value has no column.
  func storedValues<M: Model>(of model: M) throws -> [String: SQLParameter] {
    let schema = try M.table.schema.get()
    let strategies = schema.read.rules.strategies(codingStrategies)
    let values = try model.columnValues(for: self).values(strategies)
    for name in values.keys where !schema.has(name) { _ = try schema.column(named: name) }
    return values
  }

  /// Calls `body` with a statement that writes a value, which consists of the text of `write` and of `end`.
  ///
  /// `key` has the values of the parameters between the columns of the value and those of `end`.
  func withStatement<M: Model, T>(
    _ write: TableStatements.Write, _ model: M, key: [SQLParameter] = [], end: SQL? = nil,
    _ body: (Statement) throws -> T
  ) throws -> T {
    try withStatement(end.map { write.text + $0.text } ?? write.text) { statement in
      try bind(model, to: statement, write.columns)
      var index = write.columns.names.count
      for parameter in key + (end?.parameters ?? []) {
        index += 1
        try statement.bind(parameter, toParameter: index)
      }
      return try body(statement)
    }
  }

  /// Binds the values of a model to a statement that begins with these columns; throws if a value has no column.
  func bind<M: Model>(_ model: M, to statement: Statement, _ columns: WrittenColumns) throws {
    if let unknown = try model.columnValues(for: self).bind(to: statement, columns) {
      _ = try M.table.schema.get().column(named: unknown)
    }
  }

  /// Returns a value as a parameter that can be compared with a column.
  func operand<M: Model>(
    _ value: some Encodable, _ column: String, of model: M.Type
  ) throws -> SQLParameter {
    guard !((value as Any) is any SetType) else {
      throw SQLiteError(
        .misuse, "A set cannot be compared: its stored order varies, so equal sets can differ")
    }
    return try M.table.statements.get().parameter(value, as: column, on: self)
  }

  /// Returns the condition that selects the row with a key.
  func isRow<M: Model>(_ model: M.Type, _ key: M.Key) throws -> SQL {
    SQL(text: try M.table.statements.get().isRow, try keyValues(model, key))
  }

  /// Returns the values of a key's columns, in order.
  func keyValues<M: Model>(_ model: M.Type, _ key: M.Key) throws -> [SQLParameter] {
    let values = M.table.keyValues(key)
    // No representation applies to the most common types of keys.
    if values.count == 1 {
      switch values[0] {
      case let value as Int64: return [.int64(value)]
      case let value as Int: return [.int(value)]
      case let value as String: return [.string(value)]
      default: break
      }
    }
    let statements = try M.table.statements.get()
    return try values.indices.map { index in
      let value = values[index]
      return try statements.parameter(value, as: statements.keys[index], on: self)
    }
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

  /// Returns the number of rows that the statement for one row has changed; throws if there is no such row.
  ///
  /// SQLite does not count changes that a view's trigger makes, so the row of a view may be missing without an error.
  func counted<M: Model>(_ count: Int, _ model: M.Type) throws -> Int {
    guard try count > 0 || !hasTable(of: model) else { throw noRow(model) }
    return count
  }

  /// Returns the row that the statement for one row has returned; throws if there is no such row.
  func found<M: Model, T>(_ row: T?, _ model: M.Type) throws -> T {
    guard let row else { throw noRow(model) }
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
