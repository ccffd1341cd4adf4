import Sluice
import TestSupport
import Testing

@Suite(.tags(.values)) struct `table mapper` {
  struct Person: Sendable, Equatable {
    let name: String
    let age: Int?
  }

  private let db: Connection
  private let people = TableMapper("person", .person)

  init() throws {
    db = try Connection()
    try db.execute(
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
      INSERT INTO person(name, age) VALUES ('Ada', 36), ('Alan', 41), ('Eve', NULL), ('Bob', 41)
      """)
  }

  @Test func `the methods all, count and first read the rows of the table`() throws {
    #expect(try people.all(in: db).map(\.name) == ["Ada", "Alan", "Eve", "Bob"])
    #expect(try people.count(in: db) == 4)
    #expect(try people.first(in: db) == Person(name: "Ada", age: 36))
  }

  @Test func `a dictionary selects rows by column values`() throws {
    #expect(try people.all(in: db, where: ["age": 41]).map(\.name) == ["Alan", "Bob"])
    #expect(
      try people.first(in: db, where: ["age": 41, "name": "Bob"]) == Person(name: "Bob", age: 41))
    #expect(try people.count(in: db, where: ["name": "Ada", "age": 41]) == 0)
    #expect(try people.first(in: db, where: ["name": "Ada", "age": 41]) == nil)
    #expect(try people.count(in: db, where: [:]) == 4)
  }

  @Test func `a nil column value matches NULL`() throws {
    let age: Int? = nil
    #expect(try people.all(in: db, where: ["age": nil]).map(\.name) == ["Eve"])
    #expect(
      try people.all(in: db, where: ["age": age]).map(\.name)
        == ["Eve"])
  }

  @Test func `an SQL condition selects rows`() throws {
    let age = 37
    #expect(
      try people.all(in: db, where: "age < \(age) OR age IS NULL").map(\.name) == ["Ada", "Eve"])
    #expect(try people.count(in: db, where: "name LIKE \("A%")") == 2)
    #expect(try people.first(in: db, where: "age > \(age)")?.name == "Alan")
  }

  @Test func `orderBy and limit order and restrict the rows`() throws {
    #expect(
      try people.all(in: db, orderBy: "name DESC", limit: 2).map(\.name) == ["Eve", "Bob"])
    #expect(
      try people.all(in: db, where: ["age": 41], orderBy: "name DESC").map(\.name)
        == ["Bob", "Alan"])
    #expect(try people.first(in: db, where: "age = \(41)", orderBy: "name DESC")?.name == "Bob")
    #expect(try people.all(in: db, limit: 0).isEmpty)
    #expect(try people.all(in: db, limit: -1).count == 4)
  }

  @Test func `a table mapper quotes table and column names`() throws {
    let (table, column) = (#"a"b; DROP TABLE person"#, #"x"y"#)
    try db.execute("CREATE TABLE \(identifier: table)(\(identifier: column) INTEGER)")
    try db.execute("INSERT INTO \(identifier: table) VALUES (1), (2)")
    let mapper = TableMapper(table, .column(.int))
    #expect(try mapper.all(in: db) == [1, 2])
    #expect(try mapper.first(in: db, where: [#"x"y"#: 2]) == 2)
    #expect(try mapper.count(in: db, where: [#"x"y"#: 3]) == 0)
  }

  @Test func `the schema name of a table mapper selects among tables with the same name`() throws {
    try db.execute(
      "ATTACH ':memory:' AS 'my archive'; CREATE TABLE \"my archive\".person(name, age)")
    let archive = TableMapper("person", schema: "my archive", .person)
    #expect(try archive.count(in: db) == 0)
    #expect(try archive.count(in: db, where: ["age": 41]) == 0)
    #expect(try people.count(in: db, where: ["age": 41]) == 2)
  }

  @Test
  func `a table mapper throws for an unknown column, even if SQLite would read it as a string`()
    throws
  {
    let lax = try Connection(configuration: .sqliteDefaults)
    try lax.execute("CREATE TABLE person(name, age)")
    for connection in [db, lax] {
      #expect(failure { try people.all(in: connection, where: ["nam": "Ada"]) }?.code == .error)
    }
    #expect(failure { try TableMapper("nobody", .person).count(in: db) }?.code == .error)
    #expect(failure { try people.count(in: db, where: ["a\0": 1]) }?.code == .misuse)
  }

  @Test func `a table mapper rethrows an error of its converter`() {
    let ages = TableMapper("person", RowConverter { row in try row.get(.int, named: "age") })
    #expect(failure { try ages.all(in: db) }?.code == .mismatch)
  }

  @Test func `a table mapper can use the connection of a queue`() async throws {
    let queue = try ConnectionQueue()
    try await queue.perform { connection in
      try connection.execute(
        "CREATE TABLE person(name, age); INSERT INTO person VALUES ('Ada', 36)")
    }
    let found = try await queue.perform { [people] connection in
      try people.first(in: connection, where: ["age": 36])
    }
    #expect(found?.name == "Ada")
  }
}

extension RowConverter where Value == `table mapper`.Person {
  fileprivate static var person: Self {
    Self { row in
      try Value(name: row.get(.string, named: "name"), age: row.optional(.int, named: "age"))
    }
  }
}
