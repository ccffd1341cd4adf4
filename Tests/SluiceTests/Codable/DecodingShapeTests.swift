import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `shapes of decoded values` {
  let db: Connection
  init() throws { db = try Connection() }

  enum Kind: String, Codable { case small, large }

  @Test func `a single value is decoded from the first column`() throws {
    let sql = "SELECT 7, 'x'"
    #expect(try db.first(Int.self, sql: sql) == 7)
    #expect(try db.first(Int?.self, sql: sql) == 7)
    #expect(try db.first(String.self, sql: sql) == "7")
    #expect(try db.first(DatabaseValue.self, sql: sql) == 7)
    #expect(try db.query(Int?.self, sql: "SELECT NULL, 1") == [nil])
    #expect(try db.query(Date?.self, sql: "SELECT NULL") == [nil])
    #expect(
      try db.first(Date.self, sql: "SELECT '1970-01-01 00:00:01'")
        == Date(timeIntervalSince1970: 1))
    #expect(try db.query(Kind.self, sql: "VALUES ('small'), ('large')") == [.small, .large])
    #expect(throws: DecodingError.self) { try db.query(Kind.self, sql: "VALUES ('x')") }
    #expect(throws: DecodingError.self) { try db.query(Int.self, sql: "VALUES (NULL)") }
  }

  @Test func `an optional struct is nil only if all of its columns are NULL`() throws {
    #expect(
      try db.query(Pet?.self, sql: "SELECT NULL AS name, NULL AS age UNION ALL SELECT 'x', 1")
        == [nil, Pet(name: "x", age: 1)])
    #expect(throws: DecodingError.self) {
      try db.query(Pet?.self, sql: "SELECT NULL AS name, 1 AS age")
    }
  }

  @Test func `an array is decoded from the columns in order`() throws {
    #expect(try db.first([Int].self, sql: "SELECT 1, 2, 3") == [1, 2, 3])
    #expect(try db.first([Int?].self, sql: "SELECT 1, NULL, 3") == [1, nil, 3])
    #expect(try db.first([[Int]].self, sql: "SELECT '[1]', '[]'") == [[1], []])
    do {
      _ = try db.first([Int].self, sql: "SELECT 1, 'x'")
      Issue.record("It is not a number")
    } catch DecodingError.typeMismatch(_, let context) {
      #expect(context.codingPath.map(\.intValue) == [1])
    }
  }

  struct Pair: Decodable, Equatable {
    var number: Int
    var text: String?
    var rest: [String]

    init(number: Int, text: String?, rest: [String]) {
      (self.number, self.text, self.rest) = (number, text, rest)
    }

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      number = try container.decode(Int.self)
      text = try container.decodeNil() ? nil : container.decode(String.self)
      rest = []
      var list = try container.nestedUnkeyedContainer()
      while !list.isAtEnd { rest.append(try list.decode(String.self)) }
      guard container.isAtEnd else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "Too many")
      }
    }
  }

  @Test func `an unkeyed container decodes columns one at a time`() throws {
    #expect(
      try db.query(Pair.self, sql: #"VALUES (1, 'a', '["x"]'), (2, NULL, '[]')"#)
        == [Pair(number: 1, text: "a", rest: ["x"]), Pair(number: 2, text: nil, rest: [])])
    for sql in [
      "VALUES (1)", "VALUES (1, 2)", "VALUES (1, 2, '[]', 4)", "VALUES (1, 2, '[1]')",
      "VALUES (1, 2, 'x')", "VALUES (1, 2, NULL)",
    ] {
      #expect(throws: DecodingError.self, "\(sql)") { try db.query(Pair.self, sql: sql) }
    }
  }

  @Test func `a dictionary has a key for each column`() throws {
    #expect(
      try db.first([String: Int?].self, sql: "SELECT 1 AS a, NULL AS b") == ["a": 1, "b": nil])
    #expect(try db.first([String: Int].self, sql: "SELECT 1 AS a, 2 AS a") == ["a": 1])
  }

  class Animal: Decodable {
    let name: String
    init(name: String) { self.name = name }
  }

  final class Dog: Animal {
    let tricks: [String]
    private enum Keys: CodingKey { case tricks }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      tricks = try container.decode([String].self, forKey: .tricks)
      try super.init(from: container.superDecoder())
    }
  }

  @Test func `a class and its superclass decode the same row`() throws {
    let dog = try #require(
      try db.first(Dog.self, sql: #"SELECT 'Rex' AS name, '["sit"]' AS tricks"#))
    #expect(dog.name == "Rex")
    #expect(dog.tricks == ["sit"])
  }

  struct Flat: Decodable {
    let pet: Pet
    let owner: String
    private enum Keys: String, CodingKey { case owner }
    init(from decoder: any Decoder) throws {
      pet = try Pet(from: decoder)
      owner = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .owner)
    }
  }

  @Test func `a dictionary in a row has the columns with its prefix`() throws {
    struct Counts: Decodable {
      let counts: [String: Int]
      let more: [String: Int]?
      let list: [Int]?
    }
    let found = try db.query(
      Counts.self,
      sql: #"SELECT 1 AS "counts.a", 2 AS "counts.b", NULL AS list, NULL AS "more.c""#)
    #expect(found.map(\.counts) == [["a": 1, "b": 2]])
    #expect(found.map(\.list) == [nil] && found.map(\.more) == [nil])
  }

  @Test func `only a value with properties is read from columns with a prefix`() throws {
    struct Simple: Decodable { let date: Date? }
    let simple = try #require(try db.first(Simple.self, sql: #"SELECT 2 AS "date.by""#))
    #expect(simple.date == nil)
    enum Mark: Int, Decodable { case one = 1 }
    struct Marked: Decodable { let mark: Mark }
    struct Listed: Decodable { let list: [Int] }
    struct Dated: Decodable { let date: Date }
    struct Floating: Decodable { let float: Float? }
    #expect(throws: DecodingError.self) { try db.first(Marked.self, sql: #"SELECT 1 AS "mark.x""#) }
    #expect(throws: DecodingError.self) { try db.first(Listed.self, sql: #"SELECT 1 AS "list.x""#) }
    #expect(throws: DecodingError.self) {
      try db.first(Dated.self, sql: #"SELECT 1 AS "date.x""#)
    }
    #expect(throws: DecodingError.self) {
      try db.first(Floating.self, sql: #"SELECT 1 AS "float.x""#)
    }
  }

  @Test func `a generic property can be an optional part of the row`() throws {
    struct Pair<T: Decodable>: Decodable {
      let other: T
      let number: Int
    }
    let found = try db.query(
      Pair<Pet?>.self,
      sql: "VALUES (NULL, NULL, 3), ('Rex', 4, 5)"
        .named(#""other.name""#, #""other.age""#, "number"))
    #expect(
      found.map(\.other) == [nil, Pet(name: "Rex", age: 4)] && found.map(\.number) == [3, 5])
  }

  @Test func `the path of an error in a part begins with the property`() throws {
    struct Owned: Decodable { let pet: Pet }
    let error = #expect(throws: DecodingError.self) {
      try db.first(Owned.self, sql: #"SELECT 'Rex' AS "pet.name", 'old' AS "pet.age""#)
    }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["pet", "age"])
  }

  @Test func `a query can decode several types from the same row`() throws {
    let all = try db.query(
      Flat.self, sql: "VALUES ('Rex', 3, 'Ada'), ('Tom', 4, 'Alan')".named("name", "age", "owner"))
    #expect(all.map(\.pet) == [Pet(name: "Rex", age: 3), Pet(name: "Tom", age: 4)])
    #expect(all.map(\.owner) == ["Ada", "Alan"])
  }
}

extension String {
  /// Returns a query of the same values with named columns.
  func named(_ names: String...) -> String {
    "WITH named(\(names.joined(separator: ", "))) AS (\(self)) SELECT * FROM named"
  }
}
