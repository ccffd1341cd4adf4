import SluiceCore
import TestSupport
import Testing

@Suite(.inEachThreadingMode) struct RowConverterTests {
  let db: Connection

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(
      sql: """
        CREATE TABLE "a""b"(id, name);
        INSERT INTO "a""b" VALUES (1, 'Ada'), (2, NULL), (3, 'Grace')
        """)
  }

  struct Person: Equatable {
    var id: Int64
    var name: String?
  }

  @Test func `a converter creates one value from each row`() throws {
    let people = try db.query(.person, sql: #"SELECT id, name FROM "a""b" ORDER BY id"#)
    #expect(
      people == [
        Person(id: 1, name: "Ada"), Person(id: 2, name: nil), Person(id: 3, name: "Grace"),
      ])
    #expect(
      try db.first(.person, sql: #"SELECT name, id FROM "a""b" WHERE id = ?"#, parameters: 3)
        == Person(id: 3, name: "Grace"))
    #expect(try db.first(.person, sql: #"SELECT * FROM "a""b" WHERE id = 9"#) == nil)
  }

  @Test func `a row converter throws if a column is missing`() {
    #expect(failure { try db.query(.person, sql: #"SELECT id FROM "a""b""#) }?.code == .range)
  }

  @Test func `a single column is read by index or name`() throws {
    let sql = #"SELECT id, name FROM "a""b" ORDER BY id"#
    #expect(try db.query(.column(.int), sql: sql) == [1, 2, 3])
    #expect(try db.query(.column(.optional(.string), at: 1), sql: sql) == ["Ada", nil, "Grace"])
    #expect(failure { try db.query(.column(.string, at: 1), sql: sql) }?.code == .mismatch)
    #expect(try db.first(.column(.int, named: "b"), sql: "SELECT 1 AS a, 2 AS b") == 2)
    #expect(
      failure { try db.first(.column(.int, named: "c"), sql: "SELECT 1 AS a") }?.code == .range)
    #expect(failure { try db.query(.column(.int, at: 2), sql: sql) }?.code == .range)
  }

  @Test func `reading an optional column with first distinguishes NULL from a missing row`() throws
  {
    let sql = #"SELECT name FROM "a""b" WHERE id = ?"#
    #expect(try db.first(.column(.optional(.string)), sql: sql, parameters: 2) == .some(nil))
    #expect(try db.first(.column(.optional(.string)), sql: sql, parameters: 9) == nil)
  }

  @Test func `several columns are read in order, each with its own converter`() throws {
    let sql = #"SELECT id, name, id + 0.5, id > 1, name IS NULL, x'00ff' FROM "a""b" ORDER BY id"#
    let pairs = try db.query(.columns(.int64, .optional(.string)), sql: sql)
    #expect(pairs.map(\.0) == [1, 2, 3])
    #expect(pairs.map(\.1) == ["Ada", nil, "Grace"])
    let all = try db.query(
      .columns(.int8, .optional(.string), .double, .bool, .optional(.bool), .bytes), sql: sql)
    #expect(all[1] == (2, nil, 2.5, true, true, [0, 255]))
    let first = try db.first(.columns(.int, .optional(.string), .value), sql: sql)
    #expect(try #require(first) == (1, "Ada", 1.5))
    let none = try db.first(
      .columns(.int, .string), sql: #"SELECT id, name FROM "a""b" WHERE id = ?"#, parameters: 9)
    #expect(none == nil)
  }

  @Test func `a statement reads several columns into tuples`() throws {
    let statement = try db.prepare(sql: #"SELECT name, id FROM "a""b" WHERE id = ?"#)
    for (id, name) in [(1, "Ada"), (3, "Grace")] {
      let found = try statement.bind(.int(id)).first(.columns(.string, .int))
      #expect(try #require(found) == (name, id))
      #expect(try statement.query(.columns(.string, .int)).count == 1)
    }
  }

  @Test func `a converter of several columns can be stored in a constant`() throws {
    let converter: RowConverter<(Int, String?)> = .columns(.int, .optional(.string))
    let rows = try db.query(converter, sql: #"SELECT id, name FROM "a""b" ORDER BY id"#)
    #expect(rows[2] == (3, "Grace"))
  }

  @Test func `reading several columns calls an SQL function once per row`() throws {
    var calls = 0
    try db.addFunction("next") { () -> Int in
      calls += 1
      return calls
    }
    let sql = #"SELECT x, x + 10, id FROM (SELECT next() AS x, id FROM "a""b" LIMIT -1 OFFSET 0)"#
    let rows = try db.query(.columns(.int, .int), sql: sql)
    #expect(rows.map(\.0) == [1, 2, 3])
    #expect(rows.map(\.1) == [11, 12, 13])
    #expect(calls == 3)
    let first = try db.first(.columns(.int, .int), sql: sql)
    #expect(try #require(first) == (4, 14))
    #expect(calls == 4)
  }

  @Test func `an invalid or missing column throws and resets the statement`()
    throws
  {
    let sql = #"SELECT id, name FROM "a""b" ORDER BY id"#
    let error = failure { try db.query(.columns(.int, .string), sql: sql) }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasPrefix("Column 1 (name) is NULL") == true)
    #expect(failure { try db.query(.columns(.int, .value, .value), sql: sql) }?.code == .range)
    #expect(failure { try db.first(.columns(.int, .string, .int), sql: sql) }?.code == .range)
    try db.execute(sql: #"DROP TABLE "a""b""#)
  }

  @Test func `the values converter copies all columns and their names`() throws {
    let rows = try db.query(.values, sql: #"SELECT * FROM "a""b" WHERE id < 3"#)
    #expect(rows.map(\.values) == [[1, "Ada"], [2, .null]])
    #expect(rows.map(\.columnNames) == [["id", "name"], ["id", "name"]])
  }
}

extension RowConverter where Value == RowConverterTests.Person {
  fileprivate static var person: Self {
    Self { row in
      try RowConverterTests.Person(
        id: row.get(.int64, named: "id"), name: row.optional(.string, named: "name"))
    }
  }
}
