import SluiceCore
import Testing

/// To Swift, é and e with an accent behind it are equal; to SQLite they are two names, and two values.
@Suite struct ExactNameTests {
  let db: Connection
  init() throws { db = try Connection() }

  private let one = "\u{e9}"
  private let two = "e\u{301}"

  @Test func `a column is found by the name that it has to the letter`() throws {
    let sql = "SELECT 1 AS \"\(one)\", 2 AS \"\(two)\""
    let rows = try db.prepare(sql: sql).map { row in
      [try row.value(named: two), try row.value(named: one), try row.value(named: two)]
    }
    #expect(rows == [[2, 1, 2]])
    let values = try #require(try db.first(.values, sql: sql))
    #expect(values[one] == 1)
    #expect(values[two] == 2)
    #expect(
      failure {
        try db.execute(sql: "SELECT 1 AS \(one)") { [two] row in _ = try row.index(named: two) }
      }?.code == .range)
  }

  @Test func `a parameter is found by the name that it has to the letter`() throws {
    let statement = try db.prepare(sql: "SELECT :\(one), :\(two)")
    for prefix in ["", ":"] {
      try statement.bind(1, toParameter: prefix + one).bind(2, toParameter: prefix + two)
      #expect(try statement.rows()[0].values == [1, 2])
      try statement.clearBindings()
    }
    let other = try db.prepare(sql: "SELECT :\(one)")
    #expect(failure { try other.bind(1, toParameter: two) }?.code == .range)
  }

  @Test func `text is equal if its UTF-8 is`() throws {
    #expect(DatabaseValue.text(one) != .text(two))
    #expect(Set<DatabaseValue>([.text(one), .text(two), .text(one)]).count == 2)
    #expect(try db.value("SELECT ?1 = ?2", .string(one), .string(two)) == 0)
    #expect(try db.value("SELECT ?", .string(two)) == .text(two))
  }
}
