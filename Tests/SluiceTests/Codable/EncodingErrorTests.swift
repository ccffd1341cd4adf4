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

  private final class Deep: Encodable {
    let next: Deep?
    init(_ next: Deep?) { self.next = next }
  }

  @Test func `the error for a value that is nested too deeply for JSON says so`() throws {
    var deep = Deep(nil)
    for _ in 0..<600 { deep = Deep(deep) }
    let statement = try db.prepare(sql: "SELECT :a")
    do {
      try statement.bind(encoding: ["a": deep])
      Issue.record("The value was encoded")
    } catch EncodingError.invalidValue(let value, let context) {
      #expect(context.debugDescription == "It is nested too deeply for JSON")
      #expect(context.codingPath.map(\.stringValue) == ["a"])
      #expect(value is [String: Any])
    }
  }

  @Test func `an error that the type's own coding throws is rethrown`() throws {
    let statement = try db.prepare(sql: "SELECT :a AS a")
    #expect(throws: Odd.Refused.self) { try statement.bind(encoding: Odd()) }
    #expect(throws: Odd.Refused.self) { try statement.bind(encoding: ["a": Odd()]) }
    try statement.bind("x")
    #expect(throws: Odd.Refused.self) { try statement.query(Odd.self) }
    #expect(throws: Odd.Refused.self) { try statement.query([String: Odd].self) }
  }

  /// A value that calls a closure after the first of its properties.
  struct Intruder: Encodable {
    let body: () throws -> Void
    enum Key: CodingKey { case a, b }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: .a)
      try body()
      try container.encode(2, forKey: .b)
    }
  }

  private func attempts(on statement: Statement) -> [(String, () throws -> Void)] {
    let inner = Intruder {}
    return [
      ("bind(encoding:)", { try statement.bind(encoding: inner) }),
      ("bind(encoding:) of a dictionary", { try statement.bind(encoding: ["a": 7, "b": 8]) }),
      ("StatementEncoder", { try StatementEncoder().encode(inner, to: statement) }),
      ("bind", { try statement.bind(7, 8) }),
      ("bind by position", { try statement.bind(8, toParameter: 2) }),
      ("bind by name", { try statement.bind(7, toParameter: "a") }),
      ("bind several by name", { try statement.bind(["a": 7, "b": 8]) }),
      ("clearBindings", { try statement.clearBindings() }),
      ("execute", { try statement.execute() }),
      ("step", { _ = try statement.step() }),
      ("rows", { _ = try statement.rows() }),
      ("reset", { try statement.reset() }),
      ("close", { try statement.connection.close() }),
    ]
  }

  @Test func `a value that is being encoded cannot use its statement`() throws {
    let statement = try db.prepare(sql: "SELECT :a, :b")
    for (name, attempt) in attempts(on: statement) {
      // A statement whose parameters have values could otherwise run.
      try statement.bind(3, 4)
      var refusal: (any Error)?
      let value = Intruder { do { try attempt() } catch { refusal = error } }
      #expect(try statement.bind(encoding: value).rows().map(\.values) == [[1, 2]], "\(name)")
      #expect((refusal as? SQLiteError)?.code == .misuse, "\(name)")
      #expect(
        performing: { try statement.bind(encoding: Intruder { try attempt() }) },
        throws: { ($0 as? SQLiteError)?.code == .misuse })
      // After the error, no parameter has a value.
      #expect(throws: SQLiteError.self, "\(name)") { try statement.execute() }
    }
  }

  @Test func `a value that is being encoded can use other statements`() throws {
    try db.execute(sql: "CREATE TABLE t(a, b)")
    let sql = "INSERT INTO t VALUES (:a, :b)"
    let inner = Intruder {}
    let first = Intruder { [db] in try db.execute(sql: sql, encoding: inner) }
    try db.execute(sql: sql, encoding: first)
    let statement = try db.prepare(sql: sql)
    let value = Intruder { [db] in
      try db.transaction { try $0.execute(sql: sql, encoding: inner) }
    }
    try statement.bind(encoding: value).execute()
    #expect(try db.query(.values, "SELECT a, b FROM t").map(\.values).count == 4)
    #expect(try db.first(Int.self, "SELECT count(*) FROM t WHERE a = 1 AND b = 2") == 4)
  }

  @Test func `a value that is being decoded cannot continue after its statement moved on`() throws {
    let statement = try db.prepare(sql: "SELECT 1 AS a, 2 AS b UNION ALL SELECT 7, 8")
    // The statement retains the decoder that it used last.
    for attempt in [
      { [unowned statement] in _ = try statement.step() },
      { [unowned statement] in try statement.reset() },
      { [unowned statement] in _ = try statement.first([String: Int].self) },
    ] {
      let decoder = RowDecoder(userInfo: [Reentrant.key: Reentrant.Body(attempt)])
      #expect(
        performing: { try statement.first(.decoding(Reentrant.self, by: decoder)) },
        throws: { ($0 as? SQLiteError)?.code == .misuse })
    }
  }

  /// A value that calls a closure after it has decoded the first of its properties.
  struct Reentrant: Decodable {
    struct Body: @unchecked Sendable {
      let run: () throws -> Void
      init(_ run: @escaping () throws -> Void) { self.run = run }
    }
    static let key = CodingUserInfoKey(rawValue: "body")!
    let a: Int
    let b: Int
    enum Key: CodingKey { case a, b }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      a = try container.decode(Int.self, forKey: .a)
      try (decoder.userInfo[Self.key] as? Body)?.run()
      b = try container.decode(Int.self, forKey: .b)
    }
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
