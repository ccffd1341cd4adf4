import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `lists of migrations` {
  private func message(_ migrations: Migration...) -> String? {
    let error = failure { try Migrator(migrations) }
    #expect(error == nil || error?.code == .misuse)
    return error?.message
  }

  @Test func `migration numbers must be consecutive and start at 1`() {
    let (one, two, three) = (
      Migration(1, sql: "SELECT 1"), Migration(2, sql: "SELECT 1"), Migration(3, sql: "SELECT 1")
    )
    #expect(message(one, two, three) == nil)
    #expect(
      message(two)
        == "Migration 2 is at the position of migration 1; numbers must be consecutive, starting at 1"
    )
    #expect(
      message(one, three)
        == "Migration 3 is at the position of migration 2; numbers must be consecutive, starting at 1"
    )
    #expect(
      message(one, three, two)
        == "Migration 3 is at the position of migration 2; numbers must be consecutive, starting at 1"
    )
    #expect(message(one, two, two) == "Two migrations have the number 2")
    #expect(message(Migration(.max, sql: "SELECT 1")) != nil)
    #expect(message(Migration(0, sql: "SELECT 1")) != nil)
  }

  @Test func `migration names must not be empty and must differ byte by byte`() {
    let (a, b) = (Migration("a", sql: "SELECT 1"), Migration("b", sql: "SELECT 1"))
    #expect(message(a, b) == nil)
    #expect(message(a, b, a) == "Two migrations have the name \"a\"")
    #expect(message(Migration("", sql: "SELECT 1")) == "A migration must have a name")
    #expect(message(Migration("a\0", sql: "SELECT 1")) != nil)
    #expect(
      message(Migration("\u{e9}", sql: "SELECT 1"), Migration("e\u{301}", sql: "SELECT 1")) == nil)
  }

  @Test func `a list that mixes numbered and named migrations throws`() {
    let (one, a) = (Migration(1, "x", sql: "SELECT 1"), Migration("a", sql: "SELECT 1"))
    #expect(message(one, a)?.contains("\"a\" does not match the ones before") == true)
    #expect(message(a, one)?.contains("Migration 1 does not match the ones before") == true)
  }

  @Test(arguments: ["", " \n\t", ";;", "-- nothing", "/* nothing */ ;", "/*", "\u{feff}"])
  func `a migration whose SQL contains no statement throws`(_ sql: String) {
    #expect(message(Migration(1, sql: sql)) == "Migration 1: The SQL contains no statement")
  }

  @Test(
    arguments: [
      "BEGIN", "begin immediate", "COMMIT", "END", "ROLLBACK", "/* x */ commit", "-- x\nEND;",
      "SELECT 1; COMMIT; SELECT 2", "ROLLBACK TRANSACTION", "\u{feff}COMMIT",
      "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT 1; END; COMMIT",
      "CREATE TEMP TRIGGER a AFTER INSERT ON t BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; END; END",
      "SELECT 'a''; '; COMMIT", "SELECT \"a\"\"; \", [;], `;`; COMMIT", "SELECT x'00'; COMMIT",
    ])
  func `a migration whose SQL begins or ends a transaction throws`(_ sql: String) {
    let error = failure { try Migrator([Migration(1, sql: sql)]) }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("begins or ends a transaction") == true)
    #expect(error?.offset != nil)
  }

  @Test(
    arguments: [
      "SELECT 'COMMIT'; SELECT 1 -- COMMIT",
      "SELECT 1 /* ; COMMIT; */",
      "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT 1; UPDATE t SET a = 1; END",
      "CREATE TEMPORARY TRIGGER a AFTER INSERT ON t BEGIN SELECT CASE WHEN 1 THEN 2 END; END; SELECT 1",
      "SAVEPOINT a; SELECT 1; ROLLBACK TO a; ROLLBACK TRANSACTION TO SAVEPOINT a; RELEASE a",
      "CREATE TABLE b(\"commit\"); SELECT \"commit\" FROM b; SELECT 1 AS [;]",
    ])
  func `a migration whose SQL only resembles transaction control is accepted`(_ sql: String) throws
  {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a)")
    try Migrator([Migration(1, sql: sql)]).migrate(db)
  }

  @Test func `a migration whose SQL contains a NUL throws`() {
    #expect(message(Migration(1, sql: "SELECT 1\0")) == "Migration 1: The SQL contains a NUL")
  }
}
