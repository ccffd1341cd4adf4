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
      return try run(script: sql.text, SQLParameters(sql.parameters), row)
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
    script sql: String, _ parameters: SQLParameters, _ row: (borrowing Row) throws -> Void
  ) throws {
    try refuseNUL(in: sql, "The SQL")
    var values = ScriptValues(parameters)
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
      throw SQLiteError(.misuse, "The SQL holds no statement", sql: sql)
    }
  }
}

/// The values of a script, which its statements take one after the other.
private struct ScriptValues {
  private let parameters: SQLParameters
  /// How many values by position have been taken.
  private var count = 0
  /// The names that a statement has had.
  private var names: Set<String> = []
  /// Whether a statement has taken its values, or none were given.
  private(set) var isUsed: Bool

  init(_ parameters: SQLParameters) {
    self.parameters = parameters
    isUsed = parameters.isEmpty
  }

  /// Binds the values that belong to a statement, and refuses those that are left if it is the last one.
  mutating func bind(to statement: Statement, isLast: () throws -> Bool) throws {
    isUsed = true
    switch parameters.content {
    case .ordered(let values):
      let rest = values.dropFirst(count)
      let own = rest.prefix(statement.parameterCount)
      count += own.count
      let isTooMany = try own.count < rest.count && isLast()
      try statement.bind(SQLParameters(isTooMany ? rest : own))
    case .named(let values):
      let own = try values.filter { try statement.parameter(named: $0.name) != nil }
      names.formUnion(own.lazy.map(\.name))
      let isUnknown = try values.contains { !names.contains($0.name) } && isLast()
      let foreign = isUnknown ? values.filter { !names.contains($0.name) } : []
      try statement.bind(
        SQLParameters((own + foreign).lazy.map { (key: $0.name, value: $0.value) }))
    }
  }
}
