import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `binding Encodable values` {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name, born, tags, pet)")
  }

  private static let insert = "INSERT INTO person VALUES (:id, :name, :born, :tags, :pet)"

  @Test func `each way of encoding stores the same row`() throws {
    let ada = Person.ada
    let expected: [DatabaseValue] = [
      1, "Ada", "1815-12-10 00:00:00.000", #"["x","y"]"#, #"{"age":3,"name":"Rex"}"#,
    ]
    let forms: [() throws -> Void] = [
      { try db.execute(sql: Self.insert, encoding: ada) },
      { try db.prepare(sql: Self.insert).bind(encoding: ada).execute() },
      { try StatementEncoder().encode(ada, to: db.prepare(sql: Self.insert)).execute() },
      {
        try db.execute(
          sql: "INSERT INTO person VALUES (@id, $name, :born, @tags, $pet)", encoding: ada)
      },
    ]
    for form in forms {
      try form()
      let row = try #require(try db.first(.values, sql: "SELECT * FROM person"))
      #expect(row.values == expected)
      try db.execute(sql: "DELETE FROM person")
    }
  }

  @Test func `nil is bound as NULL, even after a row with a value`() throws {
    let statement = try db.prepare(sql: Self.insert)
    for person in [Person.ada, Person.alan] {
      try statement.bind(encoding: person).execute()
    }
    let row = try #require(try db.first(.values, sql: "SELECT * FROM person WHERE id = 2"))
    #expect(row.values == [2, "Alan", .null, "[]", .null])
    #expect(
      try db.query(Person.self, sql: "SELECT * FROM person")
        == [Person.ada, Person.alan])
  }

  struct Optionals: Codable, Equatable {
    var a: Bool?
    var b: Int?
    var c: Int8?
    var d: Int16?
    var e: Int32?
    var f: Int64?
    var g: UInt?
    var h: UInt8?
    var i: UInt16?
    var j: UInt32?
    var k: UInt64?
    var l: Float?
    var m: Double?
    var n: String?
    var o: Date?
    var p: [Int]?
  }

  @Test func `nil of each optional type is bound as NULL`() throws {
    let names = "abcdefghijklmnop".map(String.init)
    let statement = try db.prepare(
      sql: "SELECT \(names.map { ":\($0) AS \($0)" }.joined(separator: ", "))")
    let all = Optionals(
      a: true, b: 1, c: 2, d: 3, e: 4, f: 5, g: 6, h: 7, i: 8, j: 9, k: 10, l: 1.5, m: 2.5, n: "x",
      o: Date(timeIntervalSince1970: 1), p: [])
    for value in [all, Optionals()] {
      #expect(try statement.bind(encoding: value).first(Optionals.self) == value)
    }
    #expect(try statement.rows()[0].values == Array(repeating: .null, count: 16))
  }
}
