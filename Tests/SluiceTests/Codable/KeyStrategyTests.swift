import Sluice
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `names of columns` {
  let db: Connection
  init() throws { db = try Connection() }

  struct Site: Codable, Equatable {
    var homePage: String
    var imageURL: String
    var x2Value: Int
    var hidden: Int

    enum CodingKeys: String, CodingKey {
      case homePage, imageURL, x2Value
      case hidden = "_private"
    }
  }

  static let site = Site(homePage: "h", imageURL: "i", x2Value: 1, hidden: 2)

  @Test func `the snake case strategy maps property names to column names`() throws {
    db.codingStrategies.keys = .snakeCase
    let statement = try db.prepare(
      sql: """
        SELECT :home_page AS home_page, :image_url AS image_url, :x2_value AS x2_value,
          :_private AS _private
        """)
    #expect(try statement.bind(encoding: Self.site).rows()[0].values == ["h", "i", 1, 2])
    for _ in 0..<2 { #expect(try statement.first(Site.self) == Self.site) }
    // A column with the exact name of the property also matches.
    #expect(
      try db.first(
        Site.self,
        sql: "SELECT 'h' AS homePage, 'i' AS imageURL, 1 AS x2Value, 2 AS _private") == Self.site)
    #expect(
      try db.first([String: Int].self, sql: "SELECT 1 AS home_page, 2 AS ID, 3 AS \"_a_b_\"")
        == ["homePage": 1, "ID": 2, "_aB_": 3])
  }

  @Test func `a custom key strategy maps names when encoding and when decoding`() throws {
    let strategies = CodingStrategies(
      keys: .custom({ "c_\($0)" }, property: { String($0.dropFirst(2)) }))
    db.codingStrategies = strategies
    #expect(
      try db.first(Pet.self, sql: "SELECT 'Rex' AS c_name, 3 AS c_age") == Pet(name: "Rex", age: 3))
    #expect(
      try db.first([String: Int].self, sql: "SELECT 1 AS c_a, 2 AS other") == ["a": 1, "other": 2])
    #expect(
      try db.prepare(sql: "SELECT :c_name, :c_age").bind(encoding: Pet(name: "Rex", age: 3))
        .rows()[0].values == ["Rex", 3])
    db.codingStrategies.keys = .custom { "c_\($0)" }
    #expect(try db.first([String: Int].self, sql: "SELECT 1 AS c_a") == ["c_a": 1])
  }

  @Test func `canonically equivalent column names remain distinct`() throws {
    db.codingStrategies.keys = .snakeCase
    let statement = try db.prepare(sql: "SELECT :\u{e9}_b, :e\u{301}_b")
    statement.codingStrategies.parametersWithoutProperty = .kept
    try statement.bind(encoding: ["\u{e9}B": 1]).bind(encoding: ["e\u{301}B": 2])
    #expect(try statement.rows()[0].values == [1, 2])
    struct Both: Decodable, Equatable {
      var one: Int
      var two: Int
      enum CodingKeys: String, CodingKey {
        case one = "\u{e9}B"
        case two = "e\u{301}B"
      }
    }
    let both = try #require(
      try db.first(Both.self, sql: "SELECT 1 AS \u{e9}_b, 2 AS e\u{301}_b"))
    #expect([both.one, both.two] == [1, 2])
  }

  @Test(arguments: [false, true])
  func `a column name may differ from its property in the case of ASCII letters`(
    _ isSnakeCase: Bool
  ) throws {
    struct Person: Codable, Equatable {
      var id: Int?
      var homeTown: String?
      var pet: Pet?
    }
    db.codingStrategies.keys = isSnakeCase ? .snakeCase : .asWritten
    let town = isSnakeCase ? "HOME_TOWN" : "HomeTown"
    let sql = "SELECT 1 AS ID, 'Rom' AS \(town), 'Rex' AS \"Pet.Name\", 3 AS \"PET.AGE\""
    let person = Person(id: 1, homeTown: "Rom", pet: Pet(name: "Rex", age: 3))
    for _ in 0..<2 { #expect(try db.query(Person.self, sql: sql) == [person]) }
    #expect(try db.first(Person?.self, sql: sql) == person)
    let statement = try db.prepare(sql: "SELECT :ID, @\(town)")
    statement.codingStrategies.propertiesWithoutParameter = .leftOut
    for _ in 0..<2 {
      #expect(try statement.bind(encoding: person).rows()[0].values == [1, "Rom"])
    }
  }
}

@Suite(.tags(.coding)) struct `column lookup` {
  @Test func `a query converts each column name once, however many rows it returns`() throws {
    let db = try Connection()
    let log = Log()
    db.codingStrategies.keys = .custom { name in
      log.count.withLock { $0 += 1 }
      return name
    }
    let pets = try db.query(
      Pet.self,
      sql: """
        WITH RECURSIVE n(age, name) AS (SELECT 1, 'a' UNION ALL SELECT age + 1, name FROM n LIMIT 500)
        SELECT age, name FROM n
        """)
    #expect(pets.map(\.age) == Array(1...500))
    #expect(log.count.withLock { $0 } == 2)
  }

  private final class Log: Sendable { let count = Mutex(0) }
}
