import SluiceCore
import TestSupport
import Testing

/// Savepoint names are quoted, so no name can inject SQL.
@Suite struct SavepointNameTests {
  @Test(arguments: [
    "it's", "a b", #"a"b"#, #"""#, "", "SELECT", "a;b", "--", "ä🙂",
    "x\"\u{301}; DROP TABLE t; --", "\"\u{200d}\"",
  ])
  func `any string can be a savepoint name without injecting SQL`(name: String) throws {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a)")
    try db.savepoint(name) { _, _ in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    try db.savepoint(name) { _, command in
      try db.execute(sql: "INSERT INTO t VALUES (2)")
      command = .rollback
    }
    #expect(db.isInAutocommit)
    #expect(try db.query(.column(.int), sql: "SELECT a FROM t") == [1])
  }

  @Test func `a savepoint name with a NUL throws`() throws {
    let db = try Connection()
    #expect(failure { try db.savepoint("a\0b") { _, _ in } }?.code == .misuse)
    #expect(db.isInAutocommit)
  }
}
