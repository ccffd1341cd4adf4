import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `Unicode case functions` {
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
  func `upper and lower support Unicode text and every kind of value`(
    _ name: String, _ argument: DatabaseValue, _ result: DatabaseValue
  )
    throws
  {
    #expect(try connection.value("SELECT \(name)(?)", .value(argument)) == result)
  }

  @Test func `the built-in upper leaves non-ASCII text unchanged`() throws {
    #expect(try Connection().value("SELECT upper('ä')") == "ä")
  }

  @Test func `removing upper does not restore the built-in function`() throws {
    try connection.removeFunction("upper", arity: 1)
    let error = failure { try connection.value("SELECT upper('a')") }
    #expect(error?.message.contains("upper") == true)
    #expect(try Connection().value("SELECT upper('a')") == "A")
  }

  @Test func `the Unicode upper throws mismatch for invalid UTF-8`() {
    #expect(
      failure { try connection.value("SELECT upper(CAST(x'ff' AS TEXT))") }?.code == .mismatch)
  }

  @Test func `an index, generated column or view can use the Unicode case functions`() throws {
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
