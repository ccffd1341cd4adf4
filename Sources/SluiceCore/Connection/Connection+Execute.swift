/// SQL that runs at once.
///
/// A call with parameters or a row closure takes one statement, a call without them a script of
/// any number.
extension Connection {
  /// Runs all statements of `sql` in order, and drops any rows.
  ///
  /// The first that fails ends the script; what ran before it stays done, unless a transaction
  /// around it is rolled back. A script without a statement does nothing.
  public func execute(sql: String) throws {
    guard let statement = try cachedStatement(for: sql) else { return try run(script: sql) }
    try lend(statement) { try $0.execute() }
  }

  /// Compiles and runs all statements of `sql` in order.
  func run(script sql: String) throws {
    try refuseNUL(in: sql, "The SQL")
    var position = 0
    repeat {
      let (statement, next) = try compile(sql, from: position, forCache: position == 0)
      try statement?.execute()
      // Of a script, nothing is kept.
      if let statement, statement.sql.utf8.count == sql.utf8.count { keep(statement) }
      guard next > position else { return }
      position = next
    } while position < sql.utf8.count
  }

  /// Runs one statement, and lends each row to `row`.
  @inlinable @inline(__always)
  public func execute(sql: String, row: (borrowing Row) throws -> Void) throws {
    try withStatement(sql) { try $0.forEachRow(row) }
  }

  /// Runs one statement with values for its parameters, from the first on.
  @inlinable @inline(__always)
  public func execute(sql: String, parameters: SQLParameter...) throws {
    try withStatement(sql, parameters) { try $0.execute() }
  }

  /// Runs one statement with values for its parameters, from the first on.
  public func execute(sql: String, parameters: [SQLParameter]) throws {
    try withStatement(sql, parameters) { try $0.execute() }
  }

  /// Runs one statement with values for its parameters by name.
  public func execute(sql: String, parameters: [String: SQLParameter]) throws {
    try withStatement(sql) { try $0.bind(parameters).execute() }
  }

  /// Runs one statement with values for its parameters, and lends each row to `row`.
  @inlinable @inline(__always)
  public func execute(
    sql: String, parameters: SQLParameter..., row: (borrowing Row) throws -> Void
  ) throws {
    try execute(sql: sql, parameters: parameters, row: row)
  }

  /// Runs one statement with values for its parameters, and lends each row to `row`.
  @inlinable @inline(__always)
  public func execute(
    sql: String, parameters: [SQLParameter], row: (borrowing Row) throws -> Void
  ) throws {
    try withStatement(sql, parameters) { try $0.forEachRow(row) }
  }

  /// Runs one statement with values for its parameters by name, and lends each row to `row`.
  @inlinable @inline(__always)
  public func execute(
    sql: String, parameters: [String: SQLParameter], row: (borrowing Row) throws -> Void
  ) throws {
    try withStatement(sql) { try $0.bind(parameters).forEachRow(row) }
  }
}
