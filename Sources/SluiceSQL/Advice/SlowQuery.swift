import Sluice

/// A query whose plan has steps that an index could avoid.
struct SlowQuery: Sendable {
  /// The known use of a parameter, from which a value for it follows.
  struct Parameter: Sendable {
    /// A column with which the parameter is compared; nil if it is unknown.
    let origin: ColumnReference?
    let isInteger: Bool
    /// `array` or `json` for the elements of a list.
    let representation: String?
  }

  let name: String
  let path: String
  let line: Int
  let sql: String
  let parameters: [Parameter]
  /// The rank of the plan without further indexes.
  let rank: PlanRank

  /// Creates a description of a query; nil if its plan has no such steps, or if `@allow scans` permits them.
  init?(_ query: CheckedQuery, _ source: SourceText, _ schema: CheckedSchema) throws {
    guard query.text.warnsOfScans != false else { return nil }
    name = query.name
    path = source.path
    line = source.text.place(at: query.text.name.offset).line
    sql = query.text.sql
    rank = try PlanRank(schema.connection.queryPlan(sql: sql))
    guard rank.needs.contains(where: { $0 > 0 }) else { return nil }
    let statement = try schema.connection.prepare(sql: sql)
    let uses = QueryChecker(schema).facts(of: sql, statement, false).parameters
    parameters = query.parameters.enumerated().map { index, parameter in
      let use = uses[index + 1]
      return Parameter(
        // Any of the columns has suitable values, but the choice must not change between runs.
        origin: use?.origins.min {
          ($0.database, $0.table, $0.column) < ($1.database, $1.table, $1.column)
        },
        isInteger: use?.kinds == .integer, representation: parameter.type.representation)
    }
  }
}
