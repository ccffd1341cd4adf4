import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `encoded parameters` {
  let db: Connection
  init() throws { db = try Connection() }

  private static let id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))

  private func stored(_ parameter: SQLParameter) throws -> DatabaseValue {
    try #require(try db.first(.column(.value), "SELECT \(parameter)"))
  }

  @Test func `a single value is encoded like a property`() throws {
    let date = Date(timeIntervalSince1970: 1.5)
    let values: [(any Encodable, DatabaseValue)] = [
      (1, 1), (UInt8.max, 255), (-2.5, -2.5), (true, 1), ("a\0b", "a\0b"), (Int?.none, .null),
      (Date?.none, .null), (Int?.some(3), 3), (date, "1970-01-01 00:00:01.500"),
      (Date?.some(date), "1970-01-01 00:00:01.500"), (Data([0, 255]), .blob([0, 255])),
      (Self.id, "00010203-0405-0607-0809-0A0B0C0D0EFF"), (URL(filePath: "/a"), "file:///a"),
      (Decimal(1.5), "1.5"), ([1, 2], "[1,2]"), ([Int](), "[]"), ([UInt8](1...2), .blob([1, 2])),
      (["a": [date]], #"{"a":["1970-01-01 00:00:01.500"]}"#),
      (Pet(name: "Rex", age: 3), #"{"age":3,"name":"Rex"}"#), (DatabaseValue.blob([1]), .blob([1])),
    ]
    for (value, expected) in values {
      #expect(try stored(db.parameter(encoding: value)) == expected, "\(value)")
      #expect(try stored(StatementEncoder().parameter(for: value)) == expected, "\(value)")
      // Bind the same value as a property.
      let statement = try db.prepare(sql: "SELECT :a").bind(encoding: Box(a: value))
      #expect(try statement.first(.column(.value)) == expected, "\(value)")
    }
  }

  private struct Box: Encodable {
    let a: any Encodable
    private enum Keys: CodingKey { case a }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(a, forKey: .a)
    }
  }

  @Test func `parameters use the strategies of the connection or of the encoder`() throws {
    let strategies = CodingStrategies(
      dates: .millisecondsSince1970, data: .base64, uuids: .bytes, nested: .propertyList,
      keys: .snakeCase)
    let date = Date(timeIntervalSince1970: 1.5)
    db.codingStrategies = strategies
    let values: [(any Encodable, DatabaseValue)] = [
      (date, 1500), (Data([0, 255]), "AP8="),
      (Self.id, .blob([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255])),
    ]
    for (value, expected) in values {
      #expect(try stored(db.parameter(encoding: value)) == expected)
      #expect(try stored(StatementEncoder(strategies).parameter(for: value)) == expected)
    }
    let lowercase = StatementEncoder(CodingStrategies(uuids: .lowercaseText))
    #expect(
      try stored(lowercase.parameter(for: Self.id)) == "00010203-0405-0607-0809-0a0b0c0d0eff")
    #expect(try stored(db.parameter(encoding: [1])).storageClass == .blob)
    #expect(try stored(db.parameter(encoding: [Int]?.some([1]))).storageClass == .blob)
    let site = `names of columns`.site
    #expect(
      try db.parameters(encoding: site).keys.sorted()
        == ["_private", "home_page", "image_url", "x2_value"])
    #expect(
      try StatementEncoder().parameters(for: site).keys.sorted()
        == ["_private", "homePage", "imageURL", "x2Value"])
    #expect(try stored(StatementEncoder().parameter(for: date)) == "1970-01-01 00:00:01.500")
  }

  @Test func `an optional value is encoded like its wrapped value`() throws {
    let date = Date(timeIntervalSince1970: 1.5)
    db.codingStrategies = CodingStrategies(
      dates: .custom(encode: { _ in 7 }, decode: { _ in date }), data: .base64, uuids: .bytes)
    let bytes = DatabaseValue.blob([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255])
    let values: [(any Encodable, DatabaseValue)] = [
      (Date?.some(date), 7), (Date??.some(date), 7), (Data?.some(Data([0, 255])), "AP8="),
      (Data??.some(Data([0, 255])), "AP8="), (UUID?.some(Self.id), bytes),
      (UUID??.some(Self.id), bytes), (URL?.some(URL(filePath: "/a")), "file:///a"),
      (Decimal?.some(1.5), "1.5"), (Date?.none, .null), (Date??.some(nil), .null),
      (Data?.none, .null), (UUID?.none, .null), (UUID??.some(nil), .null), (URL?.none, .null),
    ]
    for (value, expected) in values {
      #expect(try stored(db.parameter(encoding: value)) == expected, "\(value)")
      // Bind the value as the whole value, and as a property.
      let one = try db.prepare(sql: "SELECT ?").bind(encoding: value)
      #expect(try one.first(.column(.value)) == expected, "\(value)")
      let property = try db.prepare(sql: "SELECT :a").bind(encoding: Box(a: value))
      #expect(try property.first(.column(.value)) == expected, "\(value)")
    }
  }

  @Test func `an optional value is decoded like its wrapped value`() throws {
    db.codingStrategies = CodingStrategies(dates: .millisecondsSince1970, data: .base64)
    #expect(try db.first(Data?.self, sql: "SELECT 'AP8='") == Data([0, 255]))
    #expect(try db.first(Data??.self, sql: "SELECT 'AP8='") == Data([0, 255]))
    #expect(try db.first([Data?].self, sql: "SELECT 'AP8=', NULL") == [Data([0, 255]), nil])
    #expect(try db.first([Int?].self, sql: "SELECT 1, NULL") == [1, nil])
    #expect(try db.first(Date?.self, sql: "SELECT 1500") == Date(timeIntervalSince1970: 1.5))
  }

  @Test func `encoded parameters have the names and values of the properties`() throws {
    try db.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name, born, tags, pet, note)")
    for person in [Person.ada, Person.alan] {
      var parameters = try db.parameters(encoding: person)
      #expect(parameters.keys.sorted() == ["born", "id", "name", "pet", "tags"])
      parameters["note"] = "new"
      try db.execute(
        sql: "INSERT INTO person VALUES (:id, :name, :born, :tags, :pet, :note)",
        parameters: SQLParameters(parameters))
    }
    #expect(
      try db.query(Person.self, sql: "SELECT * FROM person")
        == [Person.ada, Person.alan])
    #expect(
      try db.query(.values, sql: "SELECT * FROM person").map(\.values) == [
        [
          1, "Ada", "1815-12-10 00:00:00.000", #"["x","y"]"#, #"{"age":3,"name":"Rex"}"#, "new",
        ], [2, "Alan", .null, "[]", .null, "new"],
      ])
  }

  @Test func `values that are encoded in parts or by a superclass become parameters`() throws {
    let parts = try db.parameters(encoding: Parts())
    #expect(
      try parts.mapValues(stored) == [
        "address":
          #"{"lines":[null,"1970-01-01 00:00:00.000"],"more":true,"note":null,"street":"x"}"#,
        "numbers": "[1,2]", "inner": "i",
      ])
    #expect(
      try db.parameters(encoding: Dog()).mapValues(stored)
        == ["name": "Rex", "tricks": #"["sit"]"#])
    #expect(try db.parameters(encoding: [String: Int]()).isEmpty)
  }

  @Test func `encoding a value without properties throws`() throws {
    for value: any Encodable in [1, "x", Date(timeIntervalSince1970: 0), Int?.none, [1], [1, 2]] {
      expectInvalid([], .range) { try db.parameters(encoding: value) }
    }
    expectInvalid([], nil) { try db.parameter(encoding: Nothing()) }
    expectInvalid(["a"], nil) { try db.parameters(encoding: ["a": Nothing()]) }
  }

  @Test func `encoding a value with two properties of the same name throws`() throws {
    struct Twins: Encodable {
      var homePage = 1
      var other = 2
      enum CodingKeys: String, CodingKey {
        case homePage
        case other = "home_page"
      }
    }
    #expect(try db.parameters(encoding: Twins()).count == 2)
    db.codingStrategies.keys = .snakeCase
    expectTwins("homePage", "home_page", "home_page") { try db.parameters(encoding: Twins()) }
    let statement = try db.prepare(sql: "SELECT :home_page")
    // A property of an earlier binding does not count.
    try statement.bind(encoding: ["homePage": 1]).bind(encoding: ["home_page": 2])
    expectTwins("homePage", "home_page", "home_page") { try statement.bind(encoding: Twins()) }
    #expect(throws: SQLiteError.self) { try statement.execute() }
  }

  @Test func `encoding a value with two properties of the same name in snake case throws`() throws {
    struct Twins: Encodable {
      var userID = 1
      var userId = 2
    }
    let statement = try db.prepare(sql: "SELECT :user_id")
    statement.codingStrategies.keys = .snakeCase
    expectTwins("userID", "userId", "user_id") { try statement.bind(encoding: Twins()) }
    db.codingStrategies.keys = .snakeCase
    expectTwins("userID", "userId", "user_id") {
      try db.execute(sql: "SELECT :user_id", encoding: Twins())
    }
    // In separate bindings, the properties do not conflict.
    try statement.bind(encoding: ["userID": 1]).bind(encoding: ["userId": 2])
    #expect(try statement.first(Int.self) == 2)
    let both = try db.prepare(sql: "SELECT :user_id, :userId")
    both.codingStrategies = CodingStrategies()
    expectInvalid(["userId"], .range) { try both.bind(encoding: Twins()) }
  }

  @Test func `encoding throws if two properties match one parameter by converted and plain name`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT :b")
    statement.codingStrategies.keys = .custom { ["a": "b", "b": "c"][$0] ?? $0 }
    struct Twins: Encodable {
      var a = 1
      var b = 2
    }
    expectTwins("a", "b", "b") { try statement.bind(encoding: Twins()) }
  }

  @Test(arguments: [":", "@", "$"])
  func
    `encoding throws if two properties name one parameter with and without prefix or in two cases`(
      _ prefix: String
    ) throws
  {
    struct Pair: Encodable {
      let keys: [String]
      struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (value, key) in keys.enumerated() {
          if let key = Key(stringValue: key) { try container.encode(value, forKey: key) }
        }
      }
    }
    let statement = try db.prepare(sql: "SELECT \(prefix)a")
    let full = prefix + "a"
    for _ in 1...2 {
      expectTwins("a", full, "a") { try statement.bind(encoding: Pair(keys: ["a", full])) }
      expectTwins(full, "a", "a") { try statement.bind(encoding: Pair(keys: [full, "a"])) }
      for other in ["A", prefix + "A"] {
        expectTwins("a", other, "a") { try statement.bind(encoding: Pair(keys: ["a", other])) }
        expectTwins(other, "a", "a") { try statement.bind(encoding: Pair(keys: [other, "a"])) }
      }
      // The same name can be encoded twice, and another value can use the other name.
      for keys in [["a", "a"], [full, full], ["A", "A"]] {
        #expect(try statement.bind(encoding: Pair(keys: keys)).first(Int.self) == 1)
      }
    }
  }

  /// Expects an error that names two properties and their common name.
  private func expectTwins(
    _ first: String, _ second: String, _ name: String,
    _ location: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
  ) {
    let error = #expect(throws: EncodingError.self, sourceLocation: location) { _ = try body() }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(
      context.debugDescription
        == "The properties \"\(first)\" and \"\(second)\" are both named \"\(name)\"",
      sourceLocation: location)
    #expect(context.codingPath.map(\.stringValue) == [second], sourceLocation: location)
  }

  @Test func `a value that cannot be encoded throws an error with its coding path`() throws {
    let far = Date(timeIntervalSince1970: 1e300)
    expectInvalid([], .mismatch) { try db.parameter(encoding: far) }
    expectInvalid([], .range) { try db.parameter(encoding: UInt64.max) }
    expectInvalid(["Index 1"], nil) { try db.parameter(encoding: [0, Double.infinity]) }
    expectInvalid(["a"], .mismatch) { try db.parameters(encoding: ["a": far]) }
    expectInvalid(["a", "b"], nil) { try db.parameters(encoding: ["a": ["b": Double.nan]]) }
    // A value that only SQLite rejects is rejected when it is bound.
    let nan = try db.parameter(encoding: Double.nan)
    #expect(failure { try db.execute("SELECT \(nan)") }?.code == .mismatch)
  }

  @Test func `using a retained encoding container after the call throws`() throws {
    let keeper = Keeper()
    _ = try db.parameters(encoding: keeper)
    var container = try #require(keeper.container)
    #expect(failure { try container.encode(1, forKey: .a) }?.code == .misuse)
  }

  private final class Keeper: Encodable {
    enum Keys: CodingKey { case a }
    var container: KeyedEncodingContainer<Keys>?
    func encode(to encoder: any Encoder) throws {
      container = encoder.container(keyedBy: Keys.self)
    }
  }
}
