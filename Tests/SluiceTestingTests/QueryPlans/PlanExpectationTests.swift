import SluiceTesting
import TestSupport
import Testing

/// Tests can require that a query plan uses an index or makes no full scan.
@Suite struct `query plan expectations` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER, city INTEGER);
        CREATE INDEX by_name ON person(name);
        CREATE INDEX by_name_and_age ON person(name, age);
        CREATE INDEX "by (city" ON person(city);
        CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT);
        """)
  }

  @Test(
    arguments: [
      ("by_name", "SELECT * FROM person INDEXED BY by_name WHERE name = ?"),
      ("by_name_and_age", "SELECT age FROM person WHERE name = ?"),
      ("by_name", "SELECT name FROM person INDEXED BY by_name ORDER BY name"),
      ("by (city", "SELECT 1 FROM city LEFT JOIN person ON person.city = city.id"),
      ("by (city", "DELETE FROM person WHERE city = 3"),
      ("by (city", "SELECT * FROM person WHERE city = 1 OR id = 2"),
    ])
  func `expect(index) returns if the plan uses the index`(_ index: String, _ sql: String) throws {
    try connection.expect(index: index, sql: sql)
  }

  @Test(
    arguments: [
      ("by_name", "SELECT * FROM person WHERE age = 3"), ("by_name", "SELECT 1"),
      ("by_name", "SELECT age FROM person WHERE name = ?"),
      ("by_nam", "SELECT age FROM person WHERE name = ?"),
      ("", "DELETE FROM person WHERE city = 3"), ("by_city", "SELECT * FROM city"),
    ])
  func `expect(index) throws an error with the plan if the plan does not use the index`(
    _ index: String, _ sql: String
  ) throws {
    let error = #expect(throws: UnexpectedPlan.self) {
      try connection.expect(index: index, sql: sql)
    }
    #expect(error?.sql == sql)
    #expect(try error?.plan == connection.queryPlan(sql: sql))
    #expect(
      "\(try #require(error))".hasPrefix("The plan does not use the index \(index): \(sql)\n"))
  }

  @Test func `expectNoFullScan throws an error with the plan if the plan has a full scan`() throws {
    try connection.expectNoFullScan(sql: "SELECT * FROM person WHERE name = ?", parameters: "Ada")
    let sql = "SELECT * FROM person WHERE age = ?"
    let error = #expect(throws: UnexpectedPlan.self) {
      try connection.expectNoFullScan(sql: sql, parameters: 3)
    }
    #expect(
      "\(try #require(error))" == """
        The plan scans all rows: SCAN person: \(sql)
        QUERY PLAN
        `--SCAN person
        """)
  }

  @Test func `plan expectations throw for invalid SQL and for a closed connection`() throws {
    #expect(failure { try connection.expectNoFullScan(sql: "SELECT") }?.code == .error)
    try connection.close()
    #expect(failure { try connection.expect(index: "by_name", sql: "SELECT 1") }?.code == .misuse)
  }
}
