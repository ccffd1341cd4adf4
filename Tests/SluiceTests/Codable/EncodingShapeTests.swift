import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `shapes of encoded values` {
  let db: Connection
  init() throws { db = try Connection() }

  @Test func `a single value binds the only parameter, and an array binds all parameters`() throws {
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

  @Test func `a class and its superclass encode into the same parameters`() throws {
    let row = try db.prepare(sql: "SELECT :name, :tricks").bind(encoding: Dog()).rows()[0]
    #expect(row.values == ["Rex", #"["sit"]"#])
  }

  @Test func `parts of a nested value can be encoded one at a time`() throws {
    // The statement has all three parameters, because a property without a parameter is rejected.
    let statement = try db.prepare(sql: "SELECT :address, :numbers, :inner")
    #expect(
      try statement.bind(encoding: Parts()).rows()[0].values == [
        #"{"lines":[null,"1970-01-01 00:00:00.000"],"more":true,"note":null,"street":"x"}"#,
        "[1,2]", "i",
      ])
  }
}
