import CSluice
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite struct `handles of C` {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
  }

  /// Runs SQL by C alone.
  private func run(_ sql: String, on connection: Connection) throws {
    let code = try unsafe connection.withUnsafeHandle { handle in
      unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    }
    #expect(code == SQLITE_OK, "\(sql)")
  }

  @Test func `a closure gets the handle of the connection, and its value is returned`() throws {
    let name = try unsafe db.withUnsafeHandle { handle in
      unsafe String(cString: sqlite3_db_name(handle, 0))
    }
    #expect(name == "main")
  }

  @Test func `a closure gets the handle of the statement`() throws {
    let statement = try db.prepare(sql: "EXPLAIN SELECT a FROM t")
    #expect(try unsafe statement.withUnsafeHandle { unsafe sqlite3_stmt_isexplain($0) } == 1)
  }

  @Test func `the error of a closure is thrown`() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try unsafe db.withUnsafeHandle { _ in throw Stop() } }
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(throws: Stop.self) { try unsafe statement.withUnsafeHandle { _ in throw Stop() } }
    #expect(try statement.query(.column(.int)) == [1, 2, 3])
  }

  @Test func `a closed connection lends no handle`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    try db.close()
    #expect(failure { try unsafe db.withUnsafeHandle { _ in } }?.code == .misuse)
    #expect(failure { try unsafe statement.withUnsafeHandle { _ in } }?.code == .misuse)
  }

  @Test func `a connection that lends its handle cannot close`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(failure { try unsafe db.withUnsafeHandle { _ in try db.close() } }?.code == .misuse)
    #expect(
      failure { try unsafe statement.withUnsafeHandle { _ in try db.close() } }?.code == .misuse)
    #expect(db.isOpen)
    try db.close()
  }

  @Test(arguments: ["COMMIT; BEGIN", "ROLLBACK; BEGIN", "COMMIT; BEGIN; INSERT INTO t VALUES (9)"])
  func `a scope throws if C puts another transaction in the place of its own`(
    _ sql: String
  ) throws {
    for fails in [false, true] {
      try db.execute(sql: "DELETE FROM t")
      let error = failure {
        try db.transaction { db in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          try run(sql, on: db)
          if fails { throw SQLiteError(.error, "mine") }
          try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
      }
      #expect(error?.code == (fails ? .error : .misuse))
      #expect(db.isInAutocommit)
      #expect(try db.integers("SELECT a FROM t") == (sql.hasPrefix("COMMIT") ? [1] : []))
    }
  }

  @Test func `a transaction that C begins is seen, and ends as any other`() throws {
    try run("BEGIN", on: db)
    #expect(!db.isInAutocommit)
    try db.execute(sql: "DELETE FROM t")
    try run("ROLLBACK", on: db)
    #expect(db.isInAutocommit)
    #expect(try db.value("SELECT count(*) FROM t") == 3)
  }

  @Test(arguments: ["COMMIT", "ROLLBACK"])
  func `a transaction of a closure that C ends takes no further statement`(_ end: String) throws {
    let error = failure {
      _ = try db.transaction { connection, _ in
        try connection.execute(sql: "DELETE FROM t")
        try run(end, on: connection)
        try connection.execute(sql: "INSERT INTO t VALUES (4)")
      }
    }
    #expect(error?.code == .misuse)
    #expect(db.isInAutocommit)
    #expect(try db.value("SELECT count(*) FROM t") == (end == "COMMIT" ? 0 : 3))
  }

  @Test func `what C writes in a transaction of a closure is rolled back with it`() throws {
    _ = try db.transaction { connection, command in
      try run("DELETE FROM t", on: connection)
      command = .rollback
    }
    #expect(try db.value("SELECT count(*) FROM t") == 3)
  }

  @Test func `a statement in the cache sees the columns that C has added`() throws {
    let sql = "SELECT * FROM t WHERE a = 1"
    #expect(try db.query(.values, sql: sql).map(\.count) == [1])
    try run("ALTER TABLE t ADD COLUMN b DEFAULT 7", on: db)
    #expect(try db.query(.values, sql: sql).map(\.count) == [2])
  }

  @Test func `a statement in the cache means the table that C has put before another`() throws {
    try db.attach(path: ":memory:", as: "other")
    try db.execute(sql: "CREATE TABLE other.u(a); INSERT INTO other.u VALUES (1)")
    #expect(try db.value("SELECT a FROM u") == 1)
    try run("CREATE TEMP TABLE u(a); INSERT INTO temp.u VALUES (2)", on: db)
    #expect(try db.value("SELECT a FROM u") == 2)
  }

  @Test func `a row that C leaves alone can still be read`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    var values: [Int] = []
    while let row = try statement.step() {
      let type = try unsafe statement.withUnsafeHandle { unsafe sqlite3_column_type($0, 0) }
      #expect(type == SQLITE_INTEGER)
      values.append(try row.get(.int, at: 0))
    }
    #expect(values == [1, 2, 3])
  }

  @Test func `a row that C has stepped past is refused, and the statement starts again`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    var refused: SQLiteError?
    if let row = try statement.step() {
      #expect(try unsafe statement.withUnsafeHandle { unsafe sqlite3_step($0) } == SQLITE_ROW)
      do { _ = try row.get(.int, at: 0) } catch let error as SQLiteError { refused = error }
    }
    #expect(refused?.code == .misuse)
    #expect(try statement.query(.column(.int)) == [1, 2, 3])
  }

  @Test func `a statement that C leaves on a row holds no lock`() throws {
    let folder = try TestFolder()
    let db = try Connection(path: folder.file())
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(try unsafe statement.withUnsafeHandle { unsafe sqlite3_step($0) } == SQLITE_ROW)
    #expect(try !statement.isBusy)
    #expect(try db.transactionState() == .none)
  }

  @Test func `a value that C binds over one of Sluice counts`() throws {
    let statement = try db.prepare(sql: "SELECT ?")
    let bind = { try unsafe statement.withUnsafeHandle { unsafe sqlite3_bind_int64($0, 1, 42) } }
    #expect(try bind() == SQLITE_OK)
    #expect(failure { try statement.first(.column(.int)) }?.code == .range)
    try statement.bind(.null, toParameter: 1)
    #expect(try bind() == SQLITE_OK)
    #expect(try statement.first(.column(.int)) == 42)
  }

  @Test func `a statement whose handle is lent cannot move`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    let error = try unsafe statement.withUnsafeHandle { _ in failure { try statement.execute() } }
    #expect(error?.code == .misuse)
    #expect(try statement.query(.column(.int)) == [1, 2, 3])
  }

  @Test func `a hook lends no handle`() throws {
    var refusal: SQLiteError?
    try db.onCommit { [unowned db] in refusal = failure { try unsafe db.withUnsafeHandle { _ in } }
    }
    try db.execute(sql: "DELETE FROM t")
    #expect(refusal?.code == .misuse)
  }

  @Test func `an observer of commits refuses what C commits`() throws {
    struct Closed: Error {}
    let token = try db.onCommit { throw Closed() }
    let code = try unsafe db.withUnsafeHandle {
      unsafe sqlite3_exec($0, "DELETE FROM t", nil, nil, nil)
    }
    #expect(code & 0xff == SQLITE_CONSTRAINT)
    token.cancel()
    #expect(try db.value("SELECT count(*) FROM t") == 3)
    try db.execute(sql: "DELETE FROM t")
  }

  @Test func `what an observer of rows refuses is undone, and thrown`() throws {
    struct Kept: Error {}
    let token = try db.onUpdate { _ in throw Kept() }
    #expect(throws: Kept.self) { try run("INSERT INTO t VALUES (4)", on: db) }
    token.cancel()
    #expect(try db.value("SELECT count(*) FROM t") == 3)
  }

  @Test func `a read of a pool over memory lends a handle that cannot write`() throws {
    let pool = try ConnectionPool()
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE t(a)") }
    let code = try pool.syncRead { connection in
      try unsafe connection.withUnsafeHandle {
        unsafe sqlite3_exec($0, "INSERT INTO t VALUES (1)", nil, nil, nil)
      }
    }
    #expect(code & 0xff == SQLITE_READONLY)
    try pool.syncWrite { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try pool.syncRead { try $0.value("SELECT a FROM t") } == 2)
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (4)", "DELETE FROM t", "CREATE TABLE u(a)",
    "INSERT INTO w VALUES (1)",
    "SAVEPOINT a; INSERT INTO w VALUES (1); RELEASE a",
  ])
  func `a live query hears of what C has written`(_ sql: String) async throws {
    let queue = try ConnectionQueue()
    try await queue.perform { connection in
      try connection.execute(sql: "CREATE TABLE t(a); CREATE TABLE w(a PRIMARY KEY) WITHOUT ROWID")
      try connection.execute(sql: "INSERT INTO t VALUES (1)")
    }
    var changes = queue.tableChanges().makeAsyncIterator()
    try await queue.perform { connection in
      let code = try unsafe connection.withUnsafeHandle {
        unsafe sqlite3_exec($0, sql, nil, nil, nil)
      }
      #expect(code == SQLITE_OK)
    }
    #expect(try await changes.next() != nil)
  }
}
