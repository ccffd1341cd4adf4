import SluiceCore
import TestSupport
import Testing

/// A file can contain text that is not valid UTF-8.
///
/// Reading it as text throws; reading it as bytes succeeds.
@Suite(.tags(.reliability), .inEachThreadingMode) struct `text with invalid UTF-8` {
  let db: Connection
  init() throws { db = try Connection.inTestedMode() }

  @Test(arguments: ["ff", "c0af", "eda080", "f4908080", "e282", "61ff62", "80", "c3", "00ff"])
  func `reading invalid UTF-8 as text or a value throws a mismatch`(hexadecimal: String) throws {
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

  @Test func `reading invalid UTF-8 as bytes succeeds`() throws {
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

  @Test func `the error for invalid UTF-8 contains the column and the SQL`() {
    let sql = "SELECT 1, CAST(x'ff' AS TEXT) AS broken"
    let error = failure { try db.query(.values, sql: sql) }
    #expect(error?.message == "Column 1 (broken) is not valid UTF-8")
    #expect(error?.sql == sql)
  }

  @Test func `a statement is reset after it fails on invalid UTF-8`() throws {
    try db.execute(sql: "CREATE TABLE t AS SELECT CAST(x'ff' AS TEXT) AS a")
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(failure { try statement.rows() }?.code == .mismatch)
    #expect(failure { try statement.first(.values) }?.code == .mismatch)
    try db.execute(sql: "DROP TABLE t")
  }

  /// Executes `schema`, then replaces "aaa" in the schema by bytes that are not valid UTF-8.
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

  @Test func `invalid UTF-8 in a column name becomes replacement characters`() throws {
    try spoil("CREATE TABLE t(aaa)")
    let statement = try db.prepare(sql: "SELECT * FROM t")
    #expect(statement.columnCount == 1)
    #expect(statement.columnNames == [repaired])
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(try statement.rows()[0].values == [1])
  }

  @Test func `invalid UTF-8 in a declared type becomes replacement characters`() throws {
    try spoil("CREATE TABLE t(a aaa)")
    #expect(try db.prepare(sql: "SELECT * FROM t").declaredTypes == [repaired])
  }

  @Test func `invalid UTF-8 in an index name becomes replacement characters in a query plan`()
    throws
  {
    try spoil("CREATE TABLE t(a); CREATE INDEX aaa ON t(a)")
    let plan = try db.queryPlan(sql: "SELECT a FROM t WHERE a = 1")
    #expect(plan.nodes.map(\.detail) == ["SEARCH t USING COVERING INDEX \(repaired) (a=?)"])
  }

  @Test func `invalid UTF-8 in an error message becomes replacement characters`() throws {
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
