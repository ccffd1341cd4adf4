import SluiceCore
import TestSupport
import Testing

@Suite(.inEachThreadingMode) struct AutomaticResetTests {
  let db: Connection

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1), (2), (3)")
  }

  @Test func `a table can be dropped after a row closure throws`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(throws: ForeignError()) { try statement.forEachRow { _ in throw ForeignError() } }
    try db.execute(sql: "DROP TABLE t")
  }

  @Test func `a table can be dropped after a converter or a map closure throws`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    let bad = RowConverter<Int> { _ in throw ForeignError() }
    #expect(throws: ForeignError()) { try statement.query(bad) }
    #expect(throws: ForeignError()) { try statement.first(bad) }
    #expect(throws: ForeignError()) { try statement.map { _ in throw ForeignError() } }
    try db.execute(sql: "DROP TABLE t")
  }

  @Test func `a table can be dropped after the row closure of execute throws`() throws {
    #expect(throws: ForeignError()) {
      try db.execute(sql: "SELECT a FROM t") { _ in throw ForeignError() }
    }
    #expect(throws: ForeignError()) {
      try db.execute(sql: "SELECT a FROM t WHERE a > ?", parameters: 0) { _ in throw ForeignError()
      }
    }
    try db.execute(sql: "DROP TABLE t")
  }

  @Test func `a table can be dropped after a call to first and after a step past the last row`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(try statement.first(.column(.int)) == 1)
    while try statement.step() != nil {}
    try db.execute(sql: "DROP TABLE t")
  }

  @Test func `an unfinished statement locks its table until it is deallocated`() throws {
    do {
      let statement = try db.prepare(sql: "SELECT a FROM t")
      while try statement.step() != nil { break }
      #expect(failure { try db.execute(sql: "DROP TABLE t") }?.code == .locked)
    }
    try db.execute(sql: "DROP TABLE t")
  }

  @Test func `a checkpoint can truncate the WAL after a row closure throws`() throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyTimeout = .zero
    let db = try Connection(path: folder.file(), configuration: configuration)
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(throws: ForeignError()) { try statement.forEachRow { _ in throw ForeignError() } }
    #expect(
      try db.query(.values, sql: "PRAGMA wal_checkpoint(TRUNCATE)")[0].values == [0, 0, 0])
  }

  @Test func `a statement that violated a constraint can be bound and run again`() throws {
    let statement = try db.prepare(sql: "INSERT INTO t VALUES (?)")
    let error = failure { try statement.bind(1).execute() }
    #expect(error?.code == .constraintUnique)
    try statement.bind(4).execute()
    #expect(failure { try statement.bind(4).step() }?.code == .constraintUnique)
    try statement.bind(5, toParameter: 1).execute()
    #expect(try db.query(.column(.int), sql: "SELECT a FROM t") == [1, 2, 3, 4, 5])
  }

  @Test func `a finished statement accepts bindings without a reset, a busy statement does not`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT ?")
    try statement.bind(43)
    while try statement.step() != nil {}
    try statement.bind(44)
    #expect(try statement.step()?.value(at: 0) == 44)
    #expect(failure { try statement.bind(45) }?.code == .misuse)
    #expect(failure { try statement.clearBindings() }?.code == .misuse)
    try statement.reset()
    try statement.bind(45)
    #expect(try statement.step()?.value(at: 0) == 45)
  }

  @Test func `an error thrown by a row closure takes precedence over an error of the reset`() throws
  {
    try db.execute(
      sql: """
        PRAGMA foreign_keys = on;
        CREATE TABLE c(a REFERENCES t(a) DEFERRABLE INITIALLY DEFERRED)
        """)
    let statement = try db.prepare(sql: "INSERT INTO c VALUES (99) RETURNING a")
    #expect(throws: ForeignError()) { try statement.forEachRow { _ in throw ForeignError() } }
    #expect(try db.value("SELECT count(*) FROM c") == 0)
    _ = try statement.step()
    #expect(failure { try statement.reset() }?.code == .constraintForeignKey)
    #expect(failure { try statement.first(.values) }?.code == .constraintForeignKey)
    #expect(db.isInAutocommit)
  }

  @Test func `stepping, resetting or running a statement in its row closure throws misuse`() throws
  {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    var calls = 0
    func guarded(_ move: () throws -> Void) -> ResultCode? {
      calls = 0
      return failure {
        try statement.forEachRow { _ in
          calls += 1
          if calls > 5 { throw ForeignError() }
          try move()
        }
      }?.code
    }
    #expect(guarded { try statement.reset() } == .misuse)
    #expect(calls == 1)
    #expect(guarded { try statement.execute() } == .misuse)
    #expect(calls == 1)
    #expect(guarded { _ = try statement.step() } == .misuse)
    #expect(calls == 1)
    #expect(guarded { _ = try statement.rows() } == .misuse)
    #expect(calls == 1)
    #expect(try statement.rows().count == 3)
  }
}
