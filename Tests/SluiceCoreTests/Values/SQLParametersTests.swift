import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.library, .reliability)) struct `lists of parameters` {
  let db: Connection
  init() throws { db = try Connection() }

  @Test func `variables and literals bind without a wrapper in every call form`() throws {
    let (name, age, score, blob) = ("Ada", Optional(36), Double?.none, [1, 2] as [UInt8])
    let expected: [DatabaseValue] = ["Ada", 36, .null, .blob([1, 2]), 5, true]
    let sql = "SELECT ?, ?, ?, ?, ?, ?"
    let statement = try db.prepare(sql: sql)
    let found = [
      try db.first(.values, sql: sql, parameters: name, age, score, blob, 5, true),
      try db.first(.values, sql: sql, parameters: [name, age, score, blob, 5, true]),
      try db.first(
        .values, sql: sql, parameters: .string(name), .int(age), nil as Int?, blob, 5, true),
      try statement.bind(name, age, score, blob, 5, true).first(.values),
      try statement.bind([name, age, nil, blob, 5, true]).first(.values),
    ]
    #expect(found.map { $0?.values } == found.map { _ in expected })
  }

  @Test func `an array literal binds several values, and a byte array binds one blob`() throws {
    let bytes: [UInt8] = [1, 2]
    #expect(try db.first(.values, sql: "SELECT ?, ?", parameters: [1, 2])?.values == [1, 2])
    #expect(try db.first(.values, sql: "SELECT ?", parameters: [1])?.values == [1])
    #expect(try db.first(.values, sql: "SELECT ?", parameters: bytes)?.values == [.blob(bytes)])
    #expect(try db.prepare(sql: "SELECT ?, ?").bind([1, 2]).first(.values)?.values == [1, 2])
    #expect(try db.prepare(sql: "SELECT ?").bind(bytes).first(.values)?.values == [.blob(bytes)])
  }

  /// The compiler takes the first value for the second one.
  @Test func `values without the label of the first one throw, and nothing is executed`()
    async throws
  {
    try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 1)")
    let queue = try ConnectionQueue()
    let calls: [() async throws -> Void] = [
      { try db.execute(sql: "INSERT INTO t(a) VALUES (?)", 1) },
      { try db.execute(sql: "INSERT INTO t VALUES (?, ?)", 1) },
      { try db.execute(sql: "INSERT INTO t VALUES (?, ?)", 1, "x") },
      { try db.execute(sql: "INSERT INTO t(a) VALUES (?); SELECT 1", 1) },
      { try db.execute(sql: "UPDATE t SET b = 2 WHERE a = ?", [1]) },
      { _ = try db.query(.values, sql: "SELECT * FROM t WHERE a = ?", 1) },
      { _ = try db.first(.values, sql: "SELECT * FROM t WHERE a = ?", 1) },
      { _ = try db.queryPlan(sql: "SELECT * FROM t WHERE a = ?", 1) },
      { for try await _ in queue.rows(.values, sql: "SELECT ?", 1) {} },
      { for try await _ in queue.observe(.values, sql: "SELECT ?", 1) {} },
    ]
    for (index, call) in calls.enumerated() {
      // The second call of the same SQL finds its statement in the cache.
      for _ in 1...2 {
        await #expect(
          throws: SQLiteError(.misuse, "The label parameters: is missing before the first value"),
          "\(index)"
        ) { try await call() }
      }
    }
    #expect(try db.query(.values, sql: "SELECT * FROM t").map(\.values) == [[1, 1]])
  }

  @Test func `sequences and dictionaries create parameters`() throws {
    let sql = "SELECT :a, :b"
    let mixed: [any SQLBindable] = [1, "x"]
    let found = [
      SQLParameters([1, 2]), SQLParameters([1, 2].lazy), SQLParameters(["a": 1, "b": 2]),
      SQLParameters([":b": 2, "a": 1] as KeyValuePairs), ["b": 2, "a": 1], [1, 2],
    ]
    for parameters in found {
      #expect(try db.first(.values, sql: sql, parameters: parameters)?.values == [1, 2])
    }
    #expect(try db.first(.values, sql: sql, parameters: SQLParameters(mixed))?.values == [1, "x"])
    let gaps: [(any SQLBindable)?] = [nil, "x"]
    #expect(
      try db.first(.values, sql: sql, parameters: SQLParameters(gaps))?.values == [.null, "x"])
    let named: [String: any SQLBindable] = ["a": 1, "b": "x"]
    #expect(try db.first(.values, sql: sql, parameters: SQLParameters(named))?.values == [1, "x"])
    let namedGaps: [String: (any SQLBindable)?] = ["a": nil, "b": "x"]
    #expect(
      try db.first(.values, sql: sql, parameters: SQLParameters(namedGaps))?.values == [.null, "x"])
    let optionals: [Int?] = [nil, 2]
    #expect(
      try db.first(.values, sql: sql, parameters: SQLParameters(optionals))?.values == [.null, 2])
  }

  @Test func `each explicit representation binds nil as NULL`() throws {
    let nothing: [SQLParameter] = [
      .null, nil, .int(nil), .int8(nil), .int16(nil), .int32(nil), .int64(nil), .uint(nil),
      .uint8(nil), .uint16(nil), .uint32(nil), .uint64(nil), .uint64(bitPattern: nil), .bool(nil),
      .float(nil), .double(nil), .string(nil), .bytes(nil), .value(nil), .pattern(nil),
    ]
    for parameter in nothing {
      #expect(try db.first(.column(.value), sql: "SELECT ?", parameters: parameter) == .null)
    }
  }

  @Test func `a value that cannot be bound throws in every call form`() throws {
    let large = UInt64.max
    let codes = [
      failure { try db.execute(sql: "SELECT ?", parameters: large) },
      failure { try db.execute(sql: "SELECT ?", parameters: [large]) },
      failure { try db.execute(sql: "SELECT :a", parameters: ["a": large]) },
      failure { try db.query(.values, sql: "SELECT ?", parameters: .uint64(large)) },
      failure { try db.prepare(sql: "SELECT ?").bind(large) },
      failure { try db.prepare(sql: "SELECT ?").bind(large, toParameter: 1) },
    ].map { $0?.code }
    #expect(codes == codes.map { _ in .range })
  }

  @Test func `a dictionary literal with a duplicate parameter name throws`() throws {
    let code = failure { try db.execute(sql: "SELECT :a", parameters: ["a": 1, "a": 2]) }?.code
    #expect(code == .misuse)
  }
}
