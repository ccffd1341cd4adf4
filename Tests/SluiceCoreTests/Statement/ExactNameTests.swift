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

  @Test(arguments: [
    ("id", "ID"), ("Name", "nAME"), ("a_column_of_17_ch", "A_COLUMN_of_17_CH"), ("@[`{z", "@[`{Z"),
    ("\u{e9}t\u{e9}", "\u{e9}T\u{e9}"), ("", ""),
  ])
  func `a column is found by a name that differs in the case of ASCII letters`(
    _ name: String, asked: String
  ) throws {
    let sql = "SELECT 0 AS other, 7 AS \(name.quotedName) FROM (VALUES (1), (2))"
    let statement = try db.prepare(sql: sql)
    #expect(try statement.index(named: asked) == 1)
    let read = try statement.map { row in
      [
        try row.value(named: asked), try row.value(named: name), try row[asked],
        .integer(try row.get(.int64, named: asked)), .integer(try row.integer(named: asked)),
      ]
    }
    #expect(read == Array(repeating: Array(repeating: 7, count: 5), count: 2))
    #expect(try db.first(.values, sql: sql)?[asked] == 7)
  }

  @Test(arguments: [
    ("a", "\u{c1}"), ("\u{e9}", "\u{c9}"), ("@", "`"), ("[", "{"), ("a", "\u{1}"),
    ("k", "\u{212a}"),
    ("a_column_of_17@ch", "a_column_of_17`ch"), ("a", "aa"),
  ])
  func `only the case of ASCII letters is ignored`(_ name: String, asked: String) throws {
    let statement = try db.prepare(sql: "SELECT 7 AS \(name.quotedName)")
    #expect(failure { _ = try statement.index(named: asked) }?.code == .range)
    #expect(try statement.rows()[0][asked] == nil)
  }

  @Test func `a column with exactly the name takes precedence over one that differs in case`()
    throws
  {
    let sql = "SELECT 1 AS NAME, 2 AS name, 3 AS Name"
    let names = ["name", "NAME", "Name", "nAME"]
    let rows = try db.prepare(sql: sql).map { row in try names.map { try row.value(named: $0) } }
    #expect(rows == [[2, 1, 3, 1]])
    let values = try #require(try db.first(.values, sql: sql))
    #expect(names.map { values[$0] } == [2, 1, 3, 1])
  }

  @Test(arguments: ["name", ":name", "NAME", "@NAME"])
  func `a parameter is found by a name that differs in the case of ASCII letters`(
    _ asked: String
  ) throws {
    let statement = try db.prepare(sql: "SELECT \(asked.hasPrefix("@") ? "@" : ":")Name")
    #expect(try statement.bind(1, toParameter: asked).rows()[0].values == [1])
    #expect(try statement.bind([asked: 2]).rows()[0].values == [2])
    #expect(failure { try statement.bind([asked: 2, "Name": 3]) }?.code == .misuse)
  }

  @Test func `a parameter with exactly the name takes precedence over one that differs in case`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT :NAME, :name")
    try statement.bind(1, toParameter: "name").bind(2, toParameter: "NAME")
    #expect(try statement.rows()[0].values == [2, 1])
    #expect(failure { try statement.bind(1, toParameter: "Name") }?.code == .misuse)
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
