package import SluiceCore

extension NodeConnection {
  /// Prepares the first statement of `sql`.
  package func prepare(_ sql: String, _ patience: Patience) throws -> PreparedStatement {
    try exchange(.prepare, .statement, patience) {
      $0.append(UInt64(try openDatabase))
      try $0.append(sql, "The SQL", .misuse)
    } decode: { answer in
      let ids = try answer.word()
      let parameters = try answer.word()
      guard let count = Int(exactly: parameters) else {
        throw WireError.broken("A statement has \(parameters) parameters")
      }
      return PreparedStatement(id: UInt32(truncatingIfNeeded: ids >> 32), parameterCount: count)
    }
  }

  /// Executes a prepared statement.
  package func execute(
    _ statement: PreparedStatement, _ values: [DatabaseValue], _ patience: Patience
  ) throws -> (lastInsertRowid: Int64, changes: Int) {
    try exchange(.execute, .result, patience) {
      try append(statement, values, to: &$0)
    } decode: {
      try $0.result()
    }
  }

  /// Executes a prepared query.
  package func query(
    _ statement: PreparedStatement, _ values: [DatabaseValue], _ patience: Patience
  ) throws -> RemoteRows {
    try request(.query, patience) { try append(statement, values, to: &$0) }
    return try rows(patience)
  }

  /// Finalizes a prepared statement.
  package func finalize(_ statement: PreparedStatement, _ patience: Patience) throws {
    try exchange(.finalize, .empty, patience) {
      $0.append(try openDatabase)
      $0.append(statement.id)
    } decode: { _ in
    }
  }

  private func append(
    _ statement: PreparedStatement, _ values: [DatabaseValue], to request: inout WireEncoder
  ) throws {
    // A node binds the value of an earlier execution, or NULL, to a parameter without a value.
    guard values.count == statement.parameterCount else {
      throw SQLiteError(
        .range,
        "The statement has \(statement.parameterCount) parameters (got \(values.count) values)")
    }
    request.append(try openDatabase)
    request.append(statement.id)
    try request.append(values)
  }
}
