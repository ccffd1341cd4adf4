import SluiceCore
import TestSupport
import Testing

/// A file can hold text that is not UTF-8: it is refused as text, and can be had as bytes.
@Suite(.tags(.reliability), .inEachThreadingMode) struct `text that is not UTF-8` {
  let db: Connection
  init() throws { db = try Connection.inTestedMode() }

  @Test(arguments: ["ff", "c0af", "eda080", "f4908080", "e282", "61ff62", "80", "c3", "00ff"])
  func `text that is not UTF-8 throws as text`(hexadecimal: String) throws {
    try db.execute(sql: "SELECT CAST(x'\(hexadecimal)' AS TEXT) AS a, 1 AS b") { row in
      let codes = [
        failure { try row.text(at: 0) }, failure { try row.text(named: "a") },
        failure { try row.value(at: 0) }, failure { try row.values() },
        failure { try row.get(.string, at: 0) }, failure { try row.optional(.string, at: 0) },
        failure { try row.get(.value, at: 0) }, failure { try row.get(.int, at: 0) },
        failure { () throws -> String in try row[0] },
        failure { () throws -> String? in try row.a },
      ].map { $0?.code }
      #expect(codes == codes.map { _ in .mismatch })
      let storage = try row.storageClass(at: 0)
      #expect(storage == .text)
      let other = try row.value(at: 1)
      #expect(other == 1)
    }
  }

  @Test func `text that is not UTF-8 can be had as bytes`() throws {
    try db.execute(sql: "SELECT CAST(x'61ff' AS TEXT) AS a") { row in
      let read = [
        try row.blob(at: 0), try row.blob(named: "a"),
        try row.withUTF8(at: 0) { span in span.indices.map { span[$0] } },
        try row.get(.bytes, at: 0), try row.optional(.bytes, named: "a") ?? [],
      ]
      #expect(read == Array(repeating: [0x61, 0xff], count: 5))
      let (integer, real) = (try row.integer(at: 0), try row.real(at: 0))
      #expect(integer == 0 && real == 0)
    }
  }

  @Test func `the error names the column`() {
    let sql = "SELECT 1, CAST(x'ff' AS TEXT) AS broken"
    let error = failure { try db.query(.values, sql: sql) }
    #expect(error?.message == "Column 1 (broken) is not valid UTF-8")
    #expect(error?.sql == sql)
  }

  @Test func `a walk that failed at such text is reset`() throws {
    try db.execute(sql: "CREATE TABLE t AS SELECT CAST(x'ff' AS TEXT) AS a")
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(failure { try statement.rows() }?.code == .mismatch)
    #expect(failure { try statement.first(.values) }?.code == .mismatch)
    try db.execute(sql: "DROP TABLE t")
  }

  /// Runs SQL that makes a schema, in which "aaa" then becomes what is not UTF-8.
  private func spoil(_ schema: String) throws {
    try db.execute(sql: schema)
    try db.execute(
      sql: """
        PRAGMA writable_schema = on;
        UPDATE sqlite_master SET
          name = replace(name, 'aaa', CAST(x'ffff61' AS TEXT)),
          sql = replace(sql, 'aaa', CAST(x'ffff61' AS TEXT));
        PRAGMA writable_schema = reset
        """)
  }

  private let repaired = "\u{fffd}\u{fffd}a"

  @Test func `a column name that is not UTF-8 is repaired`() throws {
    try spoil("CREATE TABLE t(aaa)")
    let statement = try db.prepare(sql: "SELECT * FROM t")
    #expect(statement.columnCount == 1)
    #expect(statement.columnNames == [repaired])
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(try statement.rows()[0].values == [1])
  }

  @Test func `a declared type that is not UTF-8 is repaired`() throws {
    try spoil("CREATE TABLE t(a aaa)")
    #expect(try db.prepare(sql: "SELECT * FROM t").declaredTypes == [repaired])
  }

  @Test func `the name of an index that is not UTF-8 is repaired in a plan`() throws {
    try spoil("CREATE TABLE t(a); CREATE INDEX aaa ON t(a)")
    let plan = try db.queryPlan(sql: "SELECT a FROM t WHERE a = 1")
    #expect(plan.nodes.map(\.detail) == ["SEARCH t USING COVERING INDEX \(repaired) (a=?)"])
  }

  @Test func `a message that is not UTF-8 is repaired`() throws {
    try spoil(
      """
      CREATE TABLE t(a);
      CREATE TRIGGER r BEFORE INSERT ON t BEGIN SELECT RAISE(ABORT, 'aaa'); END
      """)
    let error = failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(error?.code == .constraintTrigger)
    #expect(error?.message == repaired)
  }
}
