import Sluice
import SluiceSQL
import TestSupport
import Testing

/// Returns the indexes of the columns that are NULL in at least one row of the result.
private func nulls(_ sql: String, _ connection: Connection) throws -> Set<Int> {
  var found: Set<Int> = []
  // Writes are rolled back, so that each statement sees the same data.
  try connection.transaction { connection, command in
    command = .rollback
    let statement = try connection.prepare(sql: sql)
    let nulls = SQLParameters(repeatElement(.null, count: statement.parameterCount))
    try statement.bind(nulls).forEachRow { row in
      for index in row.indices where try row.value(at: index).isNull { found.insert(index) }
    }
  }
  return found
}

@Suite(.tags(.checkedSQL), .enabled(if: SQLiteLibrary.has(.fts5))) struct `nullability of columns` {
  @Test func `in random queries, no column that the check reports as non-null contains NULL`()
    throws
  {
    let connections = try NullDatabases.connections()
    let checker = QueryChecker(try CheckedSchema(connections[0]))
    var (checked, columns, certain) = (0, 0, 0)
    let seeds = seeds(20, long: 2000)
    for seed in seeds {
      var random = RandomQuery(seed: UInt64(seed))
      let sql = random.statement()
      // Some queries are invalid, because they lack a column or misplace an aggregate.
      guard let statement = try? connections[0].prepare(sql: sql) else { continue }
      let possible = Set(try checker.columnsThatCanBeNull(of: sql))
      checked += 1
      columns += statement.columnCount
      certain += statement.columnCount - possible.count
      for connection in connections {
        // A sum of integers that overflows throws.
        guard let found = try? nulls(sql, connection) else { continue }
        #expect(found.isSubset(of: possible), "\(sql)")
      }
    }
    #expect(checked * 2 > seeds.count)
    // Without columns reported as non-null, the check above could not fail.
    #expect(certain * 4 > columns, "\(certain) of \(columns)")
  }

  @Test func `random RETURNING columns have the same types as in a SELECT and no unexpected NULL`()
    throws
  {
    let connections = try NullDatabases.connections()
    let checker = QueryChecker(try CheckedSchema(connections[0]))
    var (checked, certain, compared, returning) = (0, 0, 0, 0)
    let seeds = seeds(100, long: 2000)
    for seed in seeds {
      var random = RandomQuery(seed: UInt64(seed))
      let write = random.write()
      guard let statement = try? connections[0].prepare(sql: write.sql) else { continue }
      let possible = Set(try checker.columnsThatCanBeNull(of: write.sql))
      checked += 1
      certain += statement.columnCount - possible.count
      let types = types(write.sql, checker)
      #expect(types == self.types(write.select, checker), "\(write.sql)")
      if !types.isEmpty { compared += 1 }
      for connection in connections {
        // Many statements violate a constraint.
        guard let found = try? nulls(write.sql, connection) else { continue }
        #expect(found.isSubset(of: possible), "\(write.sql)")
        if !found.isEmpty { returning += 1 }
      }
    }
    let counts: Comment = "\(checked), \(certain), \(compared) and \(returning) of \(seeds)"
    #expect(checked * 2 > seeds.count, counts)
    #expect(certain > checked, counts)
    #expect(compared * 4 > checked, counts)
    #expect(returning * 4 > checked, counts)
  }

  /// Returns the columns of a query with their types, or none if the type of a column is unknown.
  private func types(_ sql: String, _ checker: QueryChecker) -> [String] {
    var checker = checker
    let text = SourceText(path: "q.sql", text: "-- @query q\n\(sql)")
    return checker.check(QueryFile(text)).queries.first?.columns.map {
      "\($0.label): \($0.type.swift)"
    } ?? []
  }

  @Test(arguments: NullCases.all)
  func `the check reports exactly the expected columns of a query as nullable`(
    _ sql: String, _ expected: String
  ) throws {
    let connections = try NullDatabases.connections()
    let checker = QueryChecker(try CheckedSchema(connections[0]))
    let possible = Set(try checker.columnsThatCanBeNull(of: sql))
    let width = try connections[0].prepare(sql: sql).columnCount
    #expect((0..<width).map { possible.contains($0) ? "?" : "!" }.joined() == expected, "\(sql)")
    for connection in connections {
      // Some statements fail for some data: a sum overflows, or a row refers to a missing row.
      guard let found = try? nulls(sql, connection) else { continue }
      #expect(found.isSubset(of: possible), "\(sql)")
    }
  }
}
