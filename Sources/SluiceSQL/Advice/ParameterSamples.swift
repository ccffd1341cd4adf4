import Sluice

/// Values for parameters, taken from the columns and expressions with which the parameters are compared.
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
  /// origin is unknown has values of `fallback`.
  func samples(for query: SlowQuery, or fallback: SlowQuery.Origin?) throws -> [SQLParameters] {
    try (1...Self.count).map { number in
      SQLParameters(
        try query.parameters.map { parameter in
          let isList = parameter.representation == "array" || parameter.representation == "json"
          guard let origin = parameter.origin ?? (isList ? fallback : nil) else {
            return parameter.isInteger ? Self.number : .null
          }
          let sources = query.parameters.compactMap(\.origin).filter {
            $0.database == origin.database && $0.table == origin.table
          }
          let values = try values(of: origin, besides: sources, number)
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

  /// Returns values of an origin from rows in which the other origins are not NULL either.
  private func values(
    of origin: SlowQuery.Origin, besides others: [SlowQuery.Origin], _ number: Int
  ) throws -> [DatabaseValue] {
    let conditions = Set((others + [origin]).map(\.sql)).sorted()
      .map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let source = "\(origin.database.quotedName).\(origin.table.quotedName) WHERE \(conditions)"
    return try connection.query(
      .column(.value),
      sql: """
        SELECT \(origin.sql) FROM \(source) LIMIT \(Self.listSize)
        OFFSET (SELECT count(*) FROM \(source)) * \(number) / \(Self.count + 1)
        """)
  }
}
