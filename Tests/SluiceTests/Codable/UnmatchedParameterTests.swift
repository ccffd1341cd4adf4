import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `unmatched properties and parameters` {
  let db: Connection
  init() throws { db = try Connection() }

  @Test func `a property without a parameter throws, or is omitted on request`() throws {
    let pet = Pet(name: "Rex", age: 3)
    let statement = try db.prepare(sql: "SELECT :name")
    expectInvalid(["age"], .range) { try statement.bind(encoding: pet) }
    let error = #expect(throws: EncodingError.self) { try statement.bind(encoding: pet) }
    #expect("\(error as Any)".contains("propertiesWithoutParameter"))
    #expect(throws: SQLiteError.self) { try statement.execute() }
    let encoder = StatementEncoder(CodingStrategies(propertiesWithoutParameter: .leftOut))
    #expect(try encoder.encode(pet, to: statement).first(.column(.string)) == "Rex")
    let parts = try db.prepare(sql: "SELECT :numbers")
    expectInvalid(["inner"], .range) { try parts.bind(encoding: Parts()) }
    #expect(try encoder.encode(Parts(), to: parts).first(.column(.string)) == "[1,2]")
  }

  @Test func `a parameter without a property throws, or keeps its value on request`() throws {
    let pet = Pet(name: "Rex", age: 3)
    let statement = try db.prepare(sql: "SELECT :name, :age, :owner, ?")
    try statement.bind("Ada", toParameter: "owner").bind(7, toParameter: 4)
    expectInvalid([], .range) { try statement.bind(encoding: pet) }
    // The rejected binding leaves no parameter bound.
    #expect(throws: SQLiteError.self) { try statement.execute() }
    statement.codingStrategies.parametersWithoutProperty = .kept
    try statement.bind(encoding: pet).bind("Ada", toParameter: "owner")
    #expect(throws: SQLiteError.self) { try statement.execute() }
    try statement.bind(7, toParameter: 4)
    #expect(try statement.rows()[0].values == ["Rex", 3, "Ada", 7])
    try statement.bind(encoding: Pet(name: "Tom", age: 4))
    #expect(try statement.rows()[0].values == ["Tom", 4, "Ada", 7])
  }

  @Test func `binding a value with fewer properties does not reuse values of the previous binding`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT :a, :b")
    #expect(try statement.bind(encoding: ["a": 1, "b": 2]).rows()[0].values == [1, 2])
    expectInvalid([], .range) { try statement.bind(encoding: ["a": 3]) }
    #expect(throws: SQLiteError.self) { try statement.execute() }
  }

  @Test func `an unmatched parameter throws even after the 64th parameter`() throws {
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
}
