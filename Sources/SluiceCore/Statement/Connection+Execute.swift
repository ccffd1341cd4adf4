/// Executing SQL.
///
/// A script of several statements runs in order. The first statement that fails ends it; what ran before stays done,
/// unless a transaction around the call is rolled back. SQL without a statement does nothing, and throws
/// ``ResultCode/misuse`` if values are given.
///
/// Values by position go to the statements in order: each takes as many as it has parameters. Values by name go to
/// each statement that has a parameter of that name. A value that no statement takes throws ``ResultCode/range``
/// before the last statement runs. A parameter without a value throws it when its statement is reached, after the
/// statements before it have run.
extension Connection {
  /// Executes all statements of a literal, in which the interpolated values are bound; see ``SQL``.
  ///
  /// `row` receives each row of each statement. A row is valid only inside the closure.
  @inlinable @inline(__always)
  public func execute(_ sql: SQL, row: (borrowing Row) throws -> Void = { _ in }) throws {
    guard let statement = try cachedStatement(for: sql) else {
      return try run(script: sql.text, SQLParameters(sql.parameters), isLiteral: true, row)
    }
    try lend(statement) { statement in
      try statement.set(sql)
      try statement.forEachRow(row)
    }
  }

  /// Executes all statements of `sql`, with values for their parameters.
  ///
  /// ```swift
  /// try connection.execute(
  ///   sql: "INSERT INTO person(name, age, born) VALUES (?, ?, ?)",
  ///   parameters: name, age, .date(born, as: .iso8601))
  /// ```
  ///
  /// `parameters` are the values by position. NULL is an optional that is nil, or `.null`: a bare `nil` has no type.
  /// `row` receives each row of each statement. A row is valid only inside the closure.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  @inlinable @inline(__always)
  public func execute<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    sql: String, parameters a: A = SQLParameters.NoValue(), _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?..., row: (borrowing Row) throws -> Void = { _ in }
  ) throws {
    guard let statement = try cachedStatement(for: sql) else {
      return try run(script: sql, SQLParameters(a, b, c, d, e, f, others), row)
    }
    try lend(statement, a, b, c, d, e, f, others) { try $0.forEachRow(row) }
  }

  /// Executes all statements of `sql`, with values by position or by name.
  ///
  /// ```swift
  /// try connection.execute(
  ///   sql: "INSERT INTO person(name, age) VALUES (:name, :age)",
  ///   parameters: ["name": name, "age": nil])
  /// ```
  ///
  /// `row` receives each row of each statement. A row is valid only inside the closure.
  public func execute(
    sql: String, parameters: SQLParameters, row: (borrowing Row) throws -> Void = { _ in }
  ) throws {
    guard let statement = try cachedStatement(for: sql) else {
      return try run(script: sql, parameters, row)
    }
    try lend(statement) { try $0.bind(parameters).forEachRow(row) }
  }

  /// Compiles and runs all statements of `sql` in order.
  @usableFromInline
  func run(
    script sql: String, _ parameters: SQLParameters, isLiteral: Bool = false,
    _ row: (borrowing Row) throws -> Void
  ) throws {
    try refuseNUL(in: sql, "The SQL")
    var values = ScriptValues(parameters, of: sql, isLiteral: isLiteral)
    var position = 0
    repeat {
      let (statement, next) = try compile(sql, from: position, forCache: position == 0)
      if let statement {
        try values.bind(to: statement) { try isBlank(sql, from: next) }
        try statement.forEachRow(row)
        // Statements of a script are not cached.
        if statement.sql.utf8.count == sql.utf8.count { keep(statement) }
      }
      guard next > position else { break }
      position = next
    } while position < sql.utf8.count
    guard values.isUsed else {
      throw SQLiteError(.misuse, "The SQL contains no statement", sql: sql)
    }
  }
}

/// The values of a script, which its statements take one after the other.
private struct ScriptValues {
  private let parameters: SQLParameters
  private let sql: String
  /// Whether each value has a question mark of its own in the SQL.
  private let isLiteral: Bool
  /// How many values by position have been taken, and by how many statements.
  private var (count, statementCount) = (0, 0)
  /// The names that a statement has had.
  private var names: Set<String> = []
  /// Whether a statement has taken its values, or none were given.
  private(set) var isUsed: Bool

  init(_ parameters: SQLParameters, of sql: String, isLiteral: Bool) {
    self.parameters = parameters
    self.sql = sql
    self.isLiteral = isLiteral
    isUsed = parameters.isEmpty
  }

  /// Binds the values that belong to a statement, and refuses those that are left if it is the last one.
  mutating func bind(to statement: Statement, isLast: () throws -> Bool) throws {
    isUsed = true
    switch parameters.content {
    case .ordered(let values):
      let rest = values.dropFirst(count)
      let own = rest.prefix(statement.parameterCount)
      if own.count < rest.count { try refuse(rest[own.endIndex...], isLast: isLast()) }
      count += own.count
      statementCount += 1
      try statement.bind(SQLParameters(own))
    case .named(let values):
      let own = try values.filter { try statement.parameter(named: $0.name) != nil }
      names.formUnion(own.lazy.map(\.name))
      let isUnknown = try values.contains { !names.contains($0.name) } && isLast()
      let foreign = isUnknown ? values.filter { !names.contains($0.name) } : []
      try statement.bind(
        SQLParameters((own + foreign).lazy.map { (key: $0.name, value: $0.value) }))
    }
  }

  /// Throws if a statement leaves values that no other one takes.
  private func refuse(_ rest: ArraySlice<SQLParameter>, isLast: Bool) throws {
    // The values behind one in quotes would move.
    if isLiteral, statementCount == 0,
      SQLToken.tokens(of: sql).count(where: { $0.is(sign: "?") }) < rest.endIndex
    {
      throw SQLiteError(
        .range, "A value inside quotes or a comment of the SQL cannot be bound", sql: sql)
    }
    guard isLast else { return }
    let owner = statementCount == 0 ? "statement" : "script"
    throw SQLiteError(
      .range, "There is no parameter \(rest.startIndex + 1); the \(owner) has \(rest.startIndex)",
      sql: sql)
  }
}
