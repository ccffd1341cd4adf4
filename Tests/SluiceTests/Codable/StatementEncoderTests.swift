import Foundation
import Sluice
import Testing

@Suite struct `E2 encoding parameters` {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name, born, tags, pet)")
  }

  private static let insert = "INSERT INTO person VALUES (:id, :name, :born, :tags, :pet)"

  @Test func `each form stores the same row`() throws {
    let ada = `E1 decoding rows`.ada
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

  @Test func `nil is NULL, also after a row in which it was not`() throws {
    let statement = try db.prepare(sql: Self.insert)
    for person in [`E1 decoding rows`.ada, `E1 decoding rows`.alan] {
      try statement.bind(encoding: person).execute()
    }
    let row = try #require(try db.first(.values, sql: "SELECT * FROM person WHERE id = 2"))
    #expect(row.values == [2, "Alan", .null, "[]", .null])
    #expect(
      try db.query(Person.self, sql: "SELECT * FROM person")
        == [`E1 decoding rows`.ada, `E1 decoding rows`.alan])
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

  @Test func `nil of each type is NULL`() throws {
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

  @Test func `a property without a parameter is refused, or left out on request`() throws {
    let pet = Pet(name: "Rex", age: 3)
    let statement = try db.prepare(sql: "SELECT :name")
    expectInvalid(["age"], .range) { try statement.bind(encoding: pet) }
    #expect(throws: SQLiteError.self) { try statement.execute() }
    let encoder = StatementEncoder(CodingStrategies(propertiesWithoutParameter: .leftOut))
    #expect(try encoder.encode(pet, to: statement).first(.column(.string)) == "Rex")
    let parts = try db.prepare(sql: "SELECT :numbers")
    expectInvalid(["inner"], .range) { try parts.bind(encoding: Parts()) }
    #expect(try encoder.encode(Parts(), to: parts).first(.column(.string)) == "[1,2]")
  }

  @Test func `a parameter without a property is refused, or keeps what it has on request`() throws {
    let pet = Pet(name: "Rex", age: 3)
    let statement = try db.prepare(sql: "SELECT :name, :age, :owner, ?")
    try statement.bind("Ada", toParameter: "owner").bind(7, toParameter: 4)
    expectInvalid([], .range) { try statement.bind(encoding: pet) }
    // Nothing is left of it.
    #expect(throws: SQLiteError.self) { try statement.execute() }
    statement.codingStrategies.parametersWithoutProperty = .kept
    try statement.bind(encoding: pet).bind("Ada", toParameter: "owner")
    #expect(throws: SQLiteError.self) { try statement.execute() }
    try statement.bind(7, toParameter: 4)
    #expect(try statement.rows()[0].values == ["Rex", 3, "Ada", 7])
    try statement.bind(encoding: Pet(name: "Tom", age: 4))
    #expect(try statement.rows()[0].values == ["Tom", 4, "Ada", 7])
  }

  @Test func `a value that encodes less than the one before gets nothing of it`() throws {
    let statement = try db.prepare(sql: "SELECT :a, :b")
    #expect(try statement.bind(encoding: ["a": 1, "b": 2]).rows()[0].values == [1, 2])
    expectInvalid([], .range) { try statement.bind(encoding: ["a": 3]) }
    #expect(throws: SQLiteError.self) { try statement.execute() }
  }

  @Test func `more parameters than fit into a word`() throws {
    let names = (1...70).map { "p\($0)" }
    let statement = try db.prepare(
      sql: "SELECT \(names.map { ":\($0)" }.joined(separator: ", "))")
    let values = Dictionary(uniqueKeysWithValues: names.map { ($0, Int($0.dropFirst()) ?? 0) })
    #expect(try statement.bind(encoding: values).first([Int].self) == Array(1...70))
    var fewer = values
    fewer["p70"] = nil
    expectInvalid([], .range) { try statement.bind(encoding: fewer) }
    #expect(try statement.bind(encoding: values).first([Int].self) == Array(1...70))
  }

  @Test func `a single value is bound to the first parameter, and an array to all`() throws {
    let one = try db.prepare(sql: "SELECT ?")
    #expect(try one.bind(encoding: 7).first(.column(.value)) == 7)
    #expect(try one.bind(encoding: Int?.none).first(.column(.value)) == .null)
    #expect(try one.bind(encoding: Date?.none).first(.column(.value)) == .null)
    #expect(
      try one.bind(encoding: Date(timeIntervalSince1970: 0)).first(.column(.value))
        == "1970-01-01 00:00:00.000")
    #expect(try one.bind(encoding: Size.large).first(.column(.value)) == "large")
    #expect(try one.bind(encoding: [UInt8](1...2)).first(.column(.value)) == .blob([1, 2]))
    let three = try db.prepare(sql: "SELECT ?, ?, ?")
    #expect(try three.bind(encoding: [1, 2, 3]).rows()[0].values == [1, 2, 3])
    #expect(try three.bind(encoding: [1, nil, 3]).rows()[0].values == [1, .null, 3])
    #expect(try three.bind(encoding: [[1], [], [2]]).rows()[0].values == ["[1]", "[]", "[2]"])
    expectInvalid(["Index 3"], .range) { try three.bind(encoding: [1, 2, 3, 4]) }
    expectInvalid([], .range) { try three.bind(encoding: [1, 2]) }
    expectInvalid([], .range) { try three.bind(encoding: 1) }
  }

  enum Size: String, Codable { case small, large }

  class Animal: Encodable {
    var name = "Rex"
  }

  final class Dog: Animal {
    private enum Keys: CodingKey { case tricks }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(["sit"], forKey: .tricks)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func `a class shares the parameters with the one that it inherits from`() throws {
    let row = try db.prepare(sql: "SELECT :name, :tricks").bind(encoding: Dog()).rows()[0]
    #expect(row.values == ["Rex", #"["sit"]"#])
  }

  struct Parts: Encodable {
    private enum Keys: CodingKey { case address, numbers, inner }
    private enum AddressKeys: CodingKey { case street, lines, note, more }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var address = container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
      var numbers = container.nestedUnkeyedContainer(forKey: .numbers)
      try address.encode("x", forKey: .street)
      try numbers.encode(1)
      var lines = address.nestedUnkeyedContainer(forKey: .lines)
      try lines.encodeNil()
      try lines.encode(Date(timeIntervalSince1970: 0))
      try address.encodeNil(forKey: .note)
      var more = address.superEncoder(forKey: .more).singleValueContainer()
      try more.encode(true)
      try numbers.encode(2)
      var inner = container.superEncoder(forKey: .inner).singleValueContainer()
      try inner.encode("i")
    }
  }

  @Test func `parts of a nested value can be given one by one`() throws {
    // It leaves `inner` out where there is none.
    let statement = try db.prepare(sql: "SELECT :address, :numbers, :inner")
    #expect(
      try statement.bind(encoding: Parts()).rows()[0].values == [
        #"{"lines":[null,"1970-01-01 00:00:00.000"],"more":true,"note":null,"street":"x"}"#,
        "[1,2]", "i",
      ])
  }

  struct Nothing: Encodable {
    func encode(to encoder: any Encoder) {}
  }

  @Test func `a property that encodes nothing is an error`() throws {
    expectInvalid(["a"], nil) {
      try db.prepare(sql: "SELECT :a").bind(encoding: ["a": Nothing()])
    }
  }

  @Test func `what SQLite cannot hold is refused, with the path to it`() throws {
    let statement = try db.prepare(sql: "SELECT :a")
    expectInvalid(["a"], .range) { try statement.bind(encoding: ["a": UInt64.max]) }
    expectInvalid(["a"], .range) { try statement.bind(encoding: ["a": UInt.max]) }
    expectInvalid(["a"], .mismatch) { try statement.bind(encoding: ["a": Double.nan]) }
    expectInvalid(["a"], .mismatch) { try statement.bind(encoding: ["a": Float.nan]) }
    expectInvalid(["a"], .mismatch) { try statement.bind(encoding: ["a": Decimal.nan]) }
    expectInvalid(["a", "b"], nil) { try statement.bind(encoding: ["a": ["b": Double.nan]]) }
    expectInvalid(["a", "Index 1"], nil) {
      try statement.bind(encoding: ["a": [0, Double.infinity]])
    }
    expectInvalid(["a"], .mismatch) {
      try statement.bind(encoding: ["a": Date(timeIntervalSince1970: 1e300)])
    }
    #expect(throws: SQLiteError.self) { try statement.execute() }
    #expect(
      try statement.bind(encoding: ["a": Double.infinity]).first(Double.self) == .infinity)
    #expect(
      try statement.bind(encoding: ["a": UInt64(Int64.max)]).first(UInt64.self)
        == UInt64(Int64.max))
  }

  struct Odd: Codable {
    struct Refused: Error {}
    init() {}
    init(from decoder: any Decoder) throws { throw Refused() }
    func encode(to encoder: any Encoder) throws { throw Refused() }
  }

  @Test func `an error of a type's own stays what it is`() throws {
    let statement = try db.prepare(sql: "SELECT :a AS a")
    #expect(throws: Odd.Refused.self) { try statement.bind(encoding: Odd()) }
    #expect(throws: Odd.Refused.self) { try statement.bind(encoding: ["a": Odd()]) }
    try statement.bind("x")
    #expect(throws: Odd.Refused.self) { try statement.query(Odd.self) }
    #expect(throws: Odd.Refused.self) { try statement.query([String: Odd].self) }
  }

  /// What closes the connection that it is to be stored with.
  struct Closer: Encodable {
    let connection: Connection
    func encode(to encoder: any Encoder) throws { try connection.close() }
  }

  @Test func `a value that closes the connection while it is encoded is an error`() throws {
    let statement = try db.prepare(sql: "SELECT ?, :b")
    #expect(throws: EncodingError.self) {
      try statement.bind(encoding: Closer(connection: db))
    }
    #expect(throws: SQLiteError.self) { try statement.execute() }
  }

  @Test func `a statement on a row is not bound`() throws {
    let statement = try db.prepare(sql: "SELECT :name, :age")
    let pet = Pet(name: "Rex", age: 3)
    try statement.bind(encoding: pet)
    let isOnRow = try statement.step() != nil
    #expect(isOnRow)
    #expect(
      performing: { try statement.bind(encoding: pet) },
      throws: { ($0 as? SQLiteError)?.code == .misuse })
    #expect(try statement.rows()[0].values == ["Rex", 3])
  }

  /// Expects an error of encoding with this path, and with an error of this code beneath it.
  private func expectInvalid(
    _ path: [String], _ code: ResultCode?, _ location: SourceLocation = #_sourceLocation,
    _ body: () throws -> some Any
  ) {
    do {
      _ = try body()
      Issue.record("It was encoded", sourceLocation: location)
    } catch EncodingError.invalidValue(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == path, sourceLocation: location)
      if let code {
        #expect(
          (context.underlyingError as? SQLiteError)?.code == code, "\(context)",
          sourceLocation: location)
      }
    } catch { Issue.record("\(error)", sourceLocation: location) }
  }
}
