import Sluice

/// A query whose plan has steps that an index could avoid.
struct SlowQuery: Sendable {
  /// The known use of a parameter, from which a value for it follows.
  struct Parameter: Sendable {
    /// A column or an expression with which the parameter is compared; nil if it is unknown.
    let origin: Origin?
    let isInteger: Bool
    /// `array` or `json` for the elements of a list.
    let representation: String?
  }

  /// A column or an expression of a table, whose values a parameter can have.
  struct Origin: Hashable, Sendable {
    let database: String
    let table: String
    /// The SQL of the column or expression.
    let sql: String
  }

  let name: String
  let path: String
  let line: Int
  let sql: String
  let parameters: [Parameter]
  let tables: [ReadTable]
  /// The rank of the plan without further indexes.
  let rank: PlanRank

  /// Creates a description of a query; nil if its plan has no such steps, or if `@allow scans` permits them.
  init?(
    _ query: CheckedQuery, _ source: SourceText, _ schema: CheckedSchema, _ trial: IndexTrial
  ) throws {
    guard query.text.warnsOfScans != false else { return nil }
    name = query.name
    path = source.path
    line = source.text.place(at: query.text.name.offset).line
    sql = query.text.sql
    rank = try PlanRank(schema.connection.queryPlan(sql: sql))
    guard rank.needs.contains(where: { $0 > 0 }) else { return nil }
    let statement = try schema.connection.prepare(sql: sql)
    let uses = QueryChecker(schema).facts(of: sql, statement, false).parameters
    let (tables, comparisons) = try trial.tables(readBy: sql)
    self.tables = tables
    parameters = query.parameters.enumerated().map { index, parameter in
      let use = uses[index + 1]
      // Any of the columns has suitable values, but the choice must not change between runs.
      let column = use?.origins.min {
        ($0.database, $0.table, $0.column) < ($1.database, $1.table, $1.column)
      }
      return Parameter(
        origin: column.map { Origin($0) }
          ?? comparisons[index + 1].flatMap { Origin($0, tables) },
        isInteger: use?.kinds == .integer, representation: parameter.type.representation)
    }
  }
}

extension SlowQuery.Origin {
  fileprivate init(_ column: ColumnReference) {
    self.init(database: column.database, table: column.table, sql: column.column.quotedName)
  }

  /// Creates a description of an expression of the first table whose index can have it.
  fileprivate init?(_ expression: CandidateExpression, _ tables: [ReadTable]) {
    let table = tables.first { table in
      table.expressions.contains { $0.first?.key == .expression(expression) }
    }
    guard let index = table?.index else { return nil }
    self.init(database: index.database, table: index.table, sql: expression.operand)
  }
}
