import Sluice
import TestSupport
import Testing

/// SQLite's integers have 64 bits.
///
/// Integers of 128 bits are rejected regardless of their value, and nothing traps.
@Suite(.tags(.coding)) struct `integers of 128 bits` {
  let db: Connection
  init() throws { db = try Connection() }

  struct Signed: Codable { var a: Int128 }
  struct Unsigned: Codable { var a: UInt128 }
  struct Optional128: Codable { var a: Int128? }

  @Test func `encoding an Int128 or UInt128 throws an error with its coding path`() throws {
    let statement = try db.prepare(sql: "SELECT :a AS a")
    for value in [Int128.min, -1, 0, .max] {
      expectInvalid(["a"], nil) { try statement.bind(encoding: Signed(a: value)) }
      expectInvalid(["a"], nil) { try statement.bind(encoding: Optional128(a: value)) }
      expectInvalid(["a"], nil) { try statement.bind(encoding: ["a": value]) }
      expectInvalid([], nil) { try statement.bind(encoding: value) }
      #expect(throws: EncodingError.self) { try statement.bind(encoding: [value]) }
      expectInvalid([], nil) { try db.parameter(encoding: value) }
    }
    expectInvalid(["a"], nil) { try statement.bind(encoding: Unsigned(a: .max)) }
    // Swift omits a nil property.
    expectInvalid([], .range) { try statement.bind(encoding: Optional128(a: nil)) }
  }

  @Test func `decoding a value other than NULL as Int128 or UInt128 throws`() throws {
    for sql in ["SELECT 1 AS a", "SELECT '1' AS a", "SELECT -1 AS a", "SELECT x'00' AS a"] {
      #expect(throws: DecodingError.self) { try db.query(Signed.self, sql: sql) }
      #expect(throws: DecodingError.self) { try db.query(Unsigned.self, sql: sql) }
      #expect(throws: DecodingError.self) { try db.query(Optional128.self, sql: sql) }
      #expect(throws: DecodingError.self) { try db.query([String: Int128].self, sql: sql) }
      #expect(throws: DecodingError.self) { try db.query(Int128.self, sql: sql) }
      #expect(throws: DecodingError.self) { try db.query([UInt128].self, sql: sql) }
    }
    #expect(try db.first(Optional128.self, sql: "SELECT NULL AS a")?.a == nil)
  }

  @Test(arguments: [NestedStrategy.json, .propertyList])
  func `nested integers of 128 bits round-trip or throw`(_ nested: NestedStrategy) throws {
    let statement = try db.prepare(sql: "SELECT :a AS a")
    statement.codingStrategies.nested = nested
    for value in [["a": [Int128(7), -7]], ["a": [Int128.max, .min]]] {
      do {
        try statement.bind(encoding: value)
        #expect(try statement.first([String: [Int128]].self) == value)
      } catch is EncodingError {}
    }
  }
}
