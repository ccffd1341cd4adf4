import SluiceCore
import TestSupport
import Testing

/// The name of a savepoint is quoted, so that no name can become SQL.
@Suite struct SavepointNameTests {
  @Test(arguments: [
    "it's", "a b", #"a"b"#, #"""#, "", "SELECT", "a;b", "--", "ä🙂",
    "x\"\u{301}; DROP TABLE t; --", "\"\u{200d}\"",
  ])
  func `any name is only a name`(name: String) throws {
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

  @Test func `a name with a NUL is refused`() throws {
    let db = try Connection()
    #expect(failure { try db.savepoint("a\0b") { _, _ in } }?.code == .misuse)
    #expect(db.isInAutocommit)
  }
}
