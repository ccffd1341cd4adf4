import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.reliability), .inEachThreadingMode) struct `stale rows` {
  let db: Connection
  let statement: Statement

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')")
    statement = try db.prepare(sql: "SELECT a, b FROM t ORDER BY a")
  }

  /// Returns the result code of each way to read `row`.
  private func codes(_ row: borrowing Row) -> [ResultCode?] {
    [
      failure { try row.value(at: 0) }, failure { try row.value(named: "a") },
      failure { try row.values() }, failure { try row.index(named: "a") },
      failure { try row.storageClass(at: 0) }, failure { try row.isNull(at: 0) },
      failure { try row.get(.int, at: 0) }, failure { try row.get(.string, named: "b") },
      failure { try row.optional(.int, at: 0) }, failure { try row.optional(.string, named: "b") },
      failure { () throws -> Int in try row[0] }, failure { () throws -> Int? in try row["a"] },
      failure { () throws -> String in try row.b },
      failure { try row.integer(at: 0) }, failure { try row.integer(named: "a") },
      failure { try row.real(at: 0) }, failure { try row.real(named: "a") },
      failure { try row.text(at: 1) }, failure { try row.text(named: "b") },
      failure { try row.blob(at: 1) }, failure { try row.blob(named: "b") },
      failure { try row.withUTF8(at: 1) { _ in } },
      failure { try row.withUTF8(named: "b") { _ in } },
      failure { try row.withBytes(at: 1) { _ in } },
      failure { try row.withBytes(named: "b") { _ in } }, failure { try row.value(at: 99) },
    ].map { $0?.code }
  }

  private func expectMisuse(after move: () throws -> Void) throws {
    try statement.reset()
    guard let row = try statement.step() else {
      Issue.record("There is a row")
      return
    }
    let value = try row.value(at: 0)
    #expect(value == 1)
    try move()
    let codes = codes(row)
    #expect(codes == codes.map { _ in .misuse })
    _ = (row.columnNames, row.indices, row.mismatch(at: 0, "is odd"))
  }

  @Test func `a row throws misuse after a step of its statement`() throws {
    try expectMisuse { _ = try statement.step() }
  }

  @Test func `a row throws misuse after a reset of its statement`() throws {
    try expectMisuse { try statement.reset() }
  }

  @Test func `a row throws misuse after a reset and a step of its statement`() throws {
    try expectMisuse {
      try statement.reset()
      _ = try statement.step()
    }
  }

  @Test func `a row throws misuse after its statement runs again`() throws {
    try expectMisuse { try statement.execute() }
    try expectMisuse { _ = try statement.first(.values) }
    try expectMisuse { _ = try statement.rows() }
  }

  @Test func `a row throws misuse after its statement finishes`() throws {
    try expectMisuse { while try statement.step() != nil {} }
  }

  @Test func `a row throws misuse after its connection closes`() throws {
    try expectMisuse { try db.close() }
  }

  @Test func `a row throws misuse after its statement fails`() throws {
    let failing = try db.prepare(
      sql: "SELECT abs(x) FROM (SELECT 1 AS x UNION ALL SELECT -9223372036854775808)")
    guard let row = try failing.step() else {
      Issue.record("There is a row")
      return
    }
    #expect(failure { try failing.step() }?.message == "integer overflow")
    #expect(failure { try row.value(at: 0) }?.code == .misuse)
  }

  @Test func `a rejected binding leaves the current row readable`() throws {
    guard let row = try statement.step() else {
      Issue.record("There is a row")
      return
    }
    #expect(failure { try statement.bind(1, toParameter: 1) }?.code == .misuse)
    #expect(failure { try statement.clearBindings() }?.code == .misuse)
    let value = try row.value(at: 0)
    #expect(value == 1)
  }

  @Test func `running another statement leaves a row readable`() throws {
    let other = try db.prepare(sql: statement.sql)
    guard let row = try statement.step() else {
      Issue.record("There is a row")
      return
    }
    try other.execute()
    try db.execute(sql: "UPDATE t SET a = a + 100")
    #expect(failure { try row.value(at: 0) } == nil)
  }

  @Test func `a row retains its statement and its connection`() throws {
    func lone() throws -> Row? {
      try Connection.inTestedMode().prepare(sql: "SELECT 'x' AS a").step()
    }
    guard let row = try lone() else {
      Issue.record("There is a row")
      return
    }
    let (value, name) = (try row.text(at: 0), row.columnNames)
    #expect(value == "x")
    #expect(name == ["a"])
  }

  @Test func `a copy of a row outlives its statement and its connection`() throws {
    var copy: RowValues?
    do {
      let db = try Connection.inTestedMode()
      copy = try db.prepare(sql: "SELECT 1 AS a, 'x' AS b, x'00' AS c, NULL AS a").step()?.values()
      try db.close()
    }
    let kept = try #require(copy)
    #expect(kept.values == [1, "x", .blob([0]), .null])
    #expect(kept.columnNames == ["a", "b", "c", "a"])
  }
}
