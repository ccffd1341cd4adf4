import SluiceCore
import Testing

@Suite struct RowConverterTests {
  let db: Connection

  init() throws {
    db = try Connection()
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

  @Test func `a converter makes a value of each row`() throws {
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

  @Test func `a converter that misses a column throws`() {
    #expect(failure { try db.query(.person, sql: #"SELECT id FROM "a""b""#) }?.code == .range)
  }

  @Test func `one column is read by its index`() throws {
    let sql = #"SELECT id, name FROM "a""b" ORDER BY id"#
    #expect(try db.query(.column(.int), sql: sql) == [1, 2, 3])
    #expect(try db.query(.optionalColumn(.string, at: 1), sql: sql) == ["Ada", nil, "Grace"])
    #expect(failure { try db.query(.column(.string, at: 1), sql: sql) }?.code == .mismatch)
    #expect(failure { try db.query(.column(.int, at: 2), sql: sql) }?.code == .range)
  }

  @Test func `first of an optional column tells NULL from no row`() throws {
    let sql = #"SELECT name FROM "a""b" WHERE id = ?"#
    #expect(try db.first(.optionalColumn(.string), sql: sql, parameters: 2) == .some(nil))
    #expect(try db.first(.optionalColumn(.string), sql: sql, parameters: 9) == nil)
  }

  @Test func `rows are copied whole`() throws {
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
