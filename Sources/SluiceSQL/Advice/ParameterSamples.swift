import Sluice

/// Values for parameters, taken from the columns with which the parameters are compared.
struct ParameterSamples {
  private let connection: Connection

  /// The number of samples for each query.
  private static let count = 3
  /// The number of elements in a list.
  private static let listSize = 3
  /// The value of a number whose column is unknown, such as a limit.
  private static let number = SQLParameter.int(10)

  init(_ connection: Connection) { self.connection = connection }

  /// Returns values for the parameters of a query, from rows at equal distances.
  ///
  /// Values for one table come from the same row, so that the conditions on several columns can be true. A list whose
  /// column is unknown has values of the column `fallback`.
  func samples(for query: SlowQuery, or fallback: ColumnReference?) throws -> [SQLParameters] {
    try (1...Self.count).map { number in
      SQLParameters(
        try query.parameters.map { parameter in
          let isList = parameter.representation == "array" || parameter.representation == "json"
          guard let column = parameter.origin ?? (isList ? fallback : nil) else {
            return parameter.isInteger ? Self.number : .null
          }
          let sources = query.parameters.compactMap(\.origin).filter {
            $0.database == column.database && $0.table == column.table
          }
          let values = try values(of: column, besides: sources, number)
          switch parameter.representation {
          case "array": return .array(values)
          case "json":
            return try connection.first(
              .column(.value), sql: "SELECT json_group_array(value) FROM array(?)",
              parameters: SQLParameter.array(values)
            ).map { SQLParameter($0) } ?? .null
          default: return values.first.map { SQLParameter($0) } ?? .null
          }
        })
    }
  }

  /// Returns values of a column from rows in which the other columns are not NULL either.
  private func values(
    of column: ColumnReference, besides others: [ColumnReference], _ number: Int
  ) throws -> [DatabaseValue] {
    let conditions = Set((others + [column]).map(\.column)).sorted()
      .map { "\($0.quotedName) IS NOT NULL" }.joined(separator: " AND ")
    let source = "\(column.database.quotedName).\(column.table.quotedName) WHERE \(conditions)"
    return try connection.query(
      .column(.value),
      sql: """
        SELECT \(column.column.quotedName) FROM \(source) LIMIT \(Self.listSize)
        OFFSET (SELECT count(*) FROM \(source)) * \(number) / \(Self.count + 1)
        """)
  }
}
