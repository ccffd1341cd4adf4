import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `encoding errors` {
  let db: Connection
  init() throws { db = try Connection() }

  @Test func `encoding a property that encodes nothing throws`() throws {
    expectInvalid(["a"], nil) {
      try db.prepare(sql: "SELECT :a").bind(encoding: ["a": Nothing()])
    }
  }

  @Test func `encoding a value that SQLite cannot store throws an error with its coding path`()
    throws
  {
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

  @Test func `an error that the type's own coding throws is rethrown`() throws {
    let statement = try db.prepare(sql: "SELECT :a AS a")
    #expect(throws: Odd.Refused.self) { try statement.bind(encoding: Odd()) }
    #expect(throws: Odd.Refused.self) { try statement.bind(encoding: ["a": Odd()]) }
    try statement.bind("x")
    #expect(throws: Odd.Refused.self) { try statement.query(Odd.self) }
    #expect(throws: Odd.Refused.self) { try statement.query([String: Odd].self) }
  }

  /// A value that closes the connection while it is encoded.
  struct Closer: Encodable {
    let connection: Connection
    func encode(to encoder: any Encoder) throws { try connection.close() }
  }

  @Test func `encoding a value that closes the connection throws`() throws {
    let statement = try db.prepare(sql: "SELECT ?, :b")
    #expect(throws: EncodingError.self) {
      try statement.bind(encoding: Closer(connection: db))
    }
    #expect(throws: SQLiteError.self) { try statement.execute() }
  }

  @Test func `binding encoded values throws while the statement is on a row`() throws {
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
}
