extension Statement {
  /// How SQLite is going to look for what the statement asks for; it does not run.
  ///
  /// It is the plan for parameters that have no value, whatever is bound. Values can lead to another
  /// one, as the pattern of a LIKE does: see `queryPlan(sql:parameters:)` of the connection.
  ///
  /// The corresponding SQL is `EXPLAIN QUERY PLAN`.
  public func queryPlan() throws -> QueryPlan {
    _ = try unsafe openHandle()
    return try connection.explaining(sql).readPlan()
  }

  fileprivate func readPlan() throws -> QueryPlan {
    parameters.allowUnbound()
    var rows: [(id: Int, parent: Int, detail: String)] = []
    while let row = try step() {
      // A name in it can be any bytes that a file holds.
      let detail = String(decoding: try row.blob(at: 3), as: UTF8.self)
      rows.append((try row[0], try row[1], detail))
    }
    return QueryPlan(rows)
  }
}

extension Connection {
  /// How SQLite is going to look for what one statement asks for; it does not run.
  ///
  /// Parameters need no values. Those that have some can have a better plan.
  ///
  /// The corresponding SQL is `EXPLAIN QUERY PLAN`.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  public func queryPlan<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    sql: String, parameters a: A = SQLParameters.NoValue(), _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) throws -> QueryPlan {
    try queryPlan(sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// How SQLite is going to look for what one statement asks for; it does not run.
  public func queryPlan(sql: String, parameters: SQLParameters) throws -> QueryPlan {
    try explaining(sql).bind(parameters).readPlan()
  }

  fileprivate func explaining(_ sql: String) throws -> Statement {
    try prepare(sql: "EXPLAIN QUERY PLAN " + sql)
  }
}
