/// Executing SQL.
///
/// The statements of a script run in order. The first statement that fails ends the script. The changes of
/// earlier statements remain, unless a transaction around the call is rolled back. Executing SQL that contains
/// no statement does nothing, or throws ``ResultCode/misuse`` if values are passed.
///
/// Positional values are assigned to the statements in order: each statement uses as many as it has parameters.
/// Named values are bound in each statement that has a parameter with that name. A value that no statement uses
/// throws ``ResultCode/range`` before the last statement runs. A parameter without a value throws
/// ``ResultCode/range`` when its statement is reached, after the earlier statements have run.
extension Connection {
  /// Executes all statements of an SQL literal, whose interpolated values are bound as parameters; see ``SQL``.
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
  ///   parameters: name, age, .date(born, as: .sqlite))
  /// ```
  ///
  /// Values in `parameters` are bound by position. For NULL, pass a nil optional or `.null`: a bare `nil` has
  /// no type.
  ///
  /// `row` receives each row of each statement. A row is valid only inside the closure.
  @_disfavoredOverload  // An array literal is a list of values, not a blob of bytes.
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

  /// Executes all statements of `sql`, with positional or named values for their parameters.
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
    try state.beginUse()
    defer { state.endUse() }
    try refuseNUL(in: sql, "The SQL")
    var values = ScriptValues(parameters, of: sql, isLiteral: isLiteral)
    var position = 0
    repeat {
      let (statement, next) = try compile(sql, from: position, forCache: position == 0)
      if let statement {
        try values.bind(to: statement) { try isBlank(sql, from: next) }
        try statement.forEachRow(row)
        // A statement that is one of several in a script is not cached.
        if statement.sql.utf8.count == sql.utf8.count { store(statement) }
      }
      guard next > position else { break }
      position = next
    } while position < sql.utf8.count
    guard values.isUsed else {
      throw SQLiteError(.misuse, "The SQL contains no statement", sql: sql)
    }
  }
}

/// The values for a script, which are assigned to its statements in order.
private struct ScriptValues {
  private let parameters: SQLParameters
  private let sql: String
  /// Whether the SQL comes from a literal, which contains a separate question mark for each value.
  private let isLiteral: Bool
  /// The number of positional values bound so far, and the number of statements reached so far.
  private var (count, statementCount) = (0, 0)
  /// The names of the values for which a statement had a parameter.
  private var names: Set<String> = []
  /// Whether the script has contained a statement so far; true from the start if no values were passed.
  private(set) var isUsed: Bool

  init(_ parameters: SQLParameters, of sql: String, isLiteral: Bool) {
    self.parameters = parameters
    self.sql = sql
    self.isLiteral = isLiteral
    isUsed = parameters.isEmpty
  }

  /// Binds the values for a statement, and throws for unused values if the statement is the last one.
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
    case .unlabeled: throw SQLParameters.unlabeled()
    case .named(let values):
      let own = try values.filter { try statement.parameter(named: $0.name) != nil }
      names.formUnion(own.lazy.map(\.name))
      let isUnknown = try values.contains { !names.contains($0.name) } && isLast()
      let foreign = isUnknown ? values.filter { !names.contains($0.name) } : []
      try statement.bind(
        SQLParameters((own + foreign).lazy.map { (key: $0.name, value: $0.value) }))
    }
  }

  /// Throws if no later statement can use the remaining values.
  private func refuse(_ rest: ArraySlice<SQLParameter>, isLast: Bool) throws {
    // A question mark inside quotes or a comment is not a parameter, so the literal's values would be bound to
    // the wrong parameters.
    if isLiteral, statementCount == 0,
      SQLToken.tokens(of: sql).count(where: { $0.is(sign: "?") }) < rest.endIndex
    {
      throw SQLiteError(
        .range, "A value inside quotes or a comment in the SQL cannot be bound", sql: sql)
    }
    guard isLast else { return }
    let owner = statementCount == 0 ? "statement" : "script"
    throw SQLiteError(
      .range,
      "There is no parameter \(rest.startIndex + 1); the \(owner) has \(rest.startIndex) parameters",
      sql: sql)
  }
}
