import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `upper and lower` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.addUnicodeCaseFunctions()
  }

  @Test(arguments: [
    ("upper", "straße" as DatabaseValue, "STRASSE" as DatabaseValue), ("upper", "ärger", "ÄRGER"),
    ("lower", "ÀÉÎ", "àéî"), ("lower", "ΑΣ", "ασ"), ("upper", "a\0ö", "A\0Ö"), ("upper", "", ""),
    ("upper", .null, .null), ("lower", .null, .null), ("upper", 5, "5"), ("lower", 1.5, "1.5"),
    ("upper", .blob(Array("ab".utf8)), "AB"),
  ])
  func `they know all of Unicode`(
    _ name: String, _ argument: DatabaseValue, _ result: DatabaseValue
  )
    throws
  {
    #expect(try connection.value("SELECT \(name)(?)", .value(argument)) == result)
  }

  @Test func `without them, SQLite knows ASCII`() throws {
    #expect(try Connection().value("SELECT upper('ä')") == "ä")
  }

  @Test func `SQLite's own function does not come back when the new one is removed`() throws {
    try connection.removeFunction("upper", arity: 1)
    let error = failure { try connection.value("SELECT upper('a')") }
    #expect(error?.message.contains("upper") == true)
    #expect(try Connection().value("SELECT upper('a')") == "A")
  }

  @Test func `text that is not UTF-8 throws`() {
    #expect(
      failure { try connection.value("SELECT upper(CAST(x'ff' AS TEXT))") }?.code == .mismatch)
  }

  @Test func `an index can use them, because they are deterministic, and harmless`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(name, big AS (upper(name)));
        CREATE INDEX t_name ON t(lower(name));
        CREATE VIEW v AS SELECT upper(name) AS big FROM t;
        INSERT INTO t(name) VALUES ('Öl')
        """)
    #expect(try connection.value("SELECT big FROM t WHERE lower(name) = 'öl'") == "ÖL")
    #expect(try connection.value("SELECT big FROM v") == "ÖL")
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
  }
}
