import SluiceCore
import TestSupport
import Testing

/// Swift treats é and e with a combining accent as equal; SQLite treats them as different names and values.
@Suite struct ExactNameTests {
  let db: Connection
  init() throws { db = try Connection() }

  private let one = "\u{e9}"
  private let two = "e\u{301}"

  @Test func `a column is found by the exact Unicode scalars of its name`() throws {
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

  /// A statement remembers the names that were looked up, and their order.
  @Test(arguments: [["id", "name", ""], ["", "id", "", "name"], ["name", "name", "id"]])
  func `repeated column lookups succeed in any order`(_ asked: [String]) throws {
    let values: [String: DatabaseValue] = ["id": 1, "name": 2, "": 3]
    let statement = try db.prepare(
      sql: "SELECT 1 AS id, 2 AS name, 3 AS \"\" FROM (VALUES (1), (2), (3))")
    for names in [asked, asked.reversed(), asked] {
      let copies = names.map { String(decoding: Array($0.utf8), as: UTF8.self) }
      for names in [names, copies] {
        try statement.forEachRow { row in
          for name in names {
            let value = try row.value(named: name)
            #expect(value == values[name])
          }
          do {
            _ = try row.index(named: "nam")
            Issue.record("There is a column of another name")
          } catch let error as SQLiteError { #expect(error.code == .range) }
        }
      }
    }
  }

  @Test func `column lookups with long names that may share an address find the right columns`()
    throws
  {
    let names = (0..<50).map { "a column with a long name, number \($0)" }
    let columns = names.enumerated().map { "\($0) AS \"\($1)\"" }.joined(separator: ", ")
    let row = try db.prepare(sql: "SELECT \(columns)")
    try row.forEachRow { row in
      for number in [7, 7, 3, 49, 0, 7] {
        // Each string is deallocated before the next is created, so they may share an address.
        let value: Int = try row["a column with a long name, number \(number)"]
        #expect(value == number)
      }
    }
  }

  @Test func `a statement returns the index of a column name before it runs`() throws {
    let statement = try db.prepare(sql: "SELECT 1 AS a, 2 AS b, 3 AS b")
    #expect(try statement.index(named: "b") == 1)
    #expect(try statement.index(named: "a") == 0)
    let error = failure { _ = try statement.index(named: "c") }
    #expect(error?.code == .range)
    #expect(error?.message == "There is no column named \"c\"")
    try db.close()
    #expect(failure { _ = try statement.index(named: "a") }?.code == .misuse)
  }

  @Test func `renaming a column invalidates earlier lookups of its name`() throws {
    try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
    let statement = try db.prepare(sql: "SELECT * FROM t")
    func read(_ names: String...) throws -> [Int] {
      try statement.map { row in try names.map { name in try row.get(.int, named: name) } }[0]
    }
    #expect(try read("a", "b", "a", "b") == [1, 2, 1, 2])
    try db.execute(sql: "ALTER TABLE t RENAME b TO c")
    #expect(try read("a", "c") == [1, 2])
    #expect(failure { _ = try read("a", "b") }?.code == .range)
    try db.execute(sql: "ALTER TABLE t RENAME a TO b")
    #expect(try read("b", "c") == [1, 2])
  }

  @Test func `a parameter is found by the exact Unicode scalars of its name`() throws {
    let statement = try db.prepare(sql: "SELECT :\(one), :\(two)")
    for prefix in ["", ":"] {
      try statement.bind(1, toParameter: prefix + one).bind(2, toParameter: prefix + two)
      #expect(try statement.rows()[0].values == [1, 2])
      try statement.clearBindings()
    }
    let other = try db.prepare(sql: "SELECT :\(one)")
    #expect(failure { try other.bind(1, toParameter: two) }?.code == .range)
  }

  @Test func `canonically equivalent texts with different UTF-8 are unequal as values`() throws {
    #expect(DatabaseValue.text(one) != .text(two))
    #expect(Set<DatabaseValue>([.text(one), .text(two), .text(one)]).count == 2)
    #expect(try db.value("SELECT ?1 = ?2", .string(one), .string(two)) == 0)
    #expect(try db.value("SELECT ?", .string(two)) == .text(two))
  }
}
