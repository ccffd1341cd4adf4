import SluiceCore
import TestSupport
import Testing

/// The locks that remain after an iteration over rows ends early.
@Suite(.tags(.reliability)) struct `row iterations that end early` {
  let folder: TestFolder
  let connection: Connection

  init() throws {
    folder = try TestFolder()
    connection = try Connection(path: folder.file(), configuration: .impatientWAL)
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
  }

  /// Expects no lock: with one, `DROP TABLE` would throw and the checkpoint would return 1.
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

  @Test func `a prepared statement whose row closure throws leaves no lock`() throws {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    #expect(throws: ForeignError()) { try statement.forEachRow { _ in throw ForeignError() } }
    try expectNoLock()
    withExtendedLifetime(statement) {}
  }

  @Test func `calling first, which reads only one row, leaves no lock`() throws {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    #expect(try statement.first(.column(.int)) == 1)
    try expectNoLock()
    withExtendedLifetime(statement) {}
  }

  @Test func `releasing a statement after breaking out of its row loop leaves no lock`() throws {
    do {
      let statement = try connection.prepare(sql: "SELECT a FROM t")
      while let row = try statement.step() {
        if try row.integer(at: 0) == 2 { break }
      }
    }
    try expectNoLock()
  }

  @Test func `breaking out of a row loop leaves the table locked until the statement is reset`()
    throws
  {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    while let row = try statement.step() {
      if try row.integer(at: 0) == 2 { break }
    }
    #expect(failure { try connection.execute(sql: "DROP TABLE t") }?.code.primary == .locked)
    try statement.reset()
    try expectNoLock()
  }

  @Test func `an SQL function that throws at the second row leaves no lock`() throws {
    try connection.addFunction("refuse", arity: 1) { values in
      if try values[0] == 2 { throw ForeignError() }
      return .null
    }
    #expect(throws: ForeignError()) { try connection.column("SELECT refuse(a) FROM t") }
    try expectNoLock()
  }
}
