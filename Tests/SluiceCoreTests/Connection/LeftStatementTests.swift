import SluiceCore
import TestSupport
import Testing

/// A walk over rows that ends early holds no lock.
@Suite(.tags(.reliability)) struct `rows left early` {
  let folder: TestFolder
  let connection: Connection

  init() throws {
    folder = try TestFolder()
    connection = try Connection(path: folder.file(), configuration: .impatientWAL)
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
  }

  /// A lock that is left makes the first of these throw, and the second answer 1.
  private func expectNoLock() throws {
    try connection.execute(sql: "DROP TABLE t")
    #expect(try connection.value("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
    try connection.execute(sql: "VACUUM")
  }

  @Test func `a row closure that throws leaves no lock`() throws {
    #expect(throws: ForeignError()) {
      try connection.execute(sql: "SELECT a FROM t") { _ in throw ForeignError() }
    }
    try expectNoLock()
  }

  @Test func `a prepared statement whose row closure threw leaves no lock`() throws {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    #expect(throws: ForeignError()) { try statement.forEachRow { _ in throw ForeignError() } }
    try expectNoLock()
    withExtendedLifetime(statement) {}
  }

  @Test func `the first row alone leaves no lock`() throws {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    #expect(try statement.first(.column(.int)) == 1)
    try expectNoLock()
    withExtendedLifetime(statement) {}
  }

  @Test func `a statement left by break and dropped leaves no lock`() throws {
    do {
      let statement = try connection.prepare(sql: "SELECT a FROM t")
      while let row = try statement.step() {
        if try row.integer(at: 0) == 2 { break }
      }
    }
    try expectNoLock()
  }

  @Test func `a statement left by break holds the table until it is reset`() throws {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    while let row = try statement.step() {
      if try row.integer(at: 0) == 2 { break }
    }
    #expect(failure { try connection.execute(sql: "DROP TABLE t") }?.code.primary == .locked)
    try statement.reset()
    try expectNoLock()
  }

  @Test func `a function that throws half way leaves no lock`() throws {
    try connection.addFunction("refuse", arity: 1) { values in
      if try values[0] == 2 { throw ForeignError() }
      return .null
    }
    #expect(throws: ForeignError()) { try connection.column("SELECT refuse(a) FROM t") }
    try expectNoLock()
  }
}
