import Sluice
import SluiceSQL
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `the cost of checks` {
  /// Returns the factor by which the work grows for a query that is four times as long.
  private func growth(_ sql: (Int) -> String, from size: Int) throws -> Double {
    let connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT NOT NULL, r REAL, i INTEGER)")
    let checker = QueryChecker(try CheckedSchema(connection))
    return try Double(checker.work(of: sql(4 * size))) / Double(checker.work(of: sql(size)))
  }

  private static func list(_ count: Int, _ item: (Int) -> String) -> String {
    (0..<count).map(item).joined(separator: ", ")
  }

  @Test func `the work to check aggregates grows linearly`() throws {
    #expect(
      try growth(
        { count in
          "SELECT "
            + Self.list(count) {
              "sum(CASE WHEN r > \($0) THEN id END) AS c\($0), coalesce(max(r), \($0)) AS d\($0)"
            } + " FROM t GROUP BY n"
        }, from: 10) < 5)
  }

  @Test func `the work to check CASE conditions grows linearly`() throws {
    #expect(
      try growth(
        { count in
          "SELECT "
            + Self.list(count) { "CASE WHEN r > \($0) THEN n WHEN i = \($0) THEN r END AS c\($0)" }
            + " FROM t"
        }, from: 10) < 5)
  }

  @Test func `checking many conditional subqueries does not try all combinations`() throws {
    #expect(
      try growth(
        { count in
          "SELECT "
            + Self.list(count) {
              "coalesce(r, (SELECT max(id) + \($0) FROM t)) AS c\($0),"
                + " CASE WHEN i > \($0) AND id IN (SELECT i + \($0) FROM t) THEN 1 ELSE 0 END AS d\($0)"
            } + " FROM t"
        }, from: 5) < 8)
    let connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT NOT NULL, r REAL, i INTEGER)")
    let subqueries = Self.list(20) { "coalesce(i, (SELECT count(*) + \($0) FROM t)) AS c\($0)" }
    let types = try columns("SELECT \(subqueries), n FROM t", in: connection)
    #expect(types.dropLast().allSatisfy { $0.contains(": Int") })
    #expect(types.last == "n: String")
  }

  @Test func `checking many EXISTS filters does not try all combinations`() throws {
    let filters = (0..<20).map {
      "(:p\($0) IS NULL OR EXISTS (SELECT 1 FROM t x WHERE x.i = t.id AND x.n = :p\($0)))"
    }.joined(separator: " AND ")
    let connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT NOT NULL, i INTEGER)")
    let types = try parameters("SELECT id FROM t WHERE \(filters)", in: connection)
    #expect(types == (0..<20).map { "p\($0): String?" })
    #expect(
      try columns("SELECT id, n FROM t LIMIT 1 OFFSET 200000", in: connection)
        == ["id: Int", "n: String"])
  }

  @Test func `checking a query with 2,000 columns finds the type of each column`() throws {
    // Work that grows faster than the number of columns would take minutes here.
    let types = try columns("SELECT \(Self.list(2_000) { "\($0) AS c\($0)" })", in: Connection())
    #expect(types.count == 2_000)
    #expect(types.allSatisfy { $0.hasSuffix(": Int") })
  }

  @Test func `the work to check an IN list does not depend on its parameter count`() throws {
    let list = { (count: Int) in "SELECT id FROM t WHERE id IN (\(Self.list(count) { ":p\($0)" }))"
    }
    #expect(try growth(list, from: 100) == 1)
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
    // Work that grows faster than the number of parameters would take minutes here.
    let types = try parameters(list(5_000), in: connection)
    #expect(types.count == 5_000)
    #expect(types.allSatisfy { $0.hasSuffix(": Int") })
  }
}
