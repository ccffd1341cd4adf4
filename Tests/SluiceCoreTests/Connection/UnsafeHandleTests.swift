import CSluice
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite struct `unsafe C handles` {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
  }

  /// Runs SQL directly through the C API.
  private func run(_ sql: String, on connection: Connection) throws {
    let code = try unsafe connection.withUnsafeHandle { handle in
      unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    }
    #expect(code == SQLITE_OK, "\(sql)")
  }

  @Test func `withUnsafeHandle passes the connection's handle and returns the closure's value`()
    throws
  {
    let name = try unsafe db.withUnsafeHandle { handle in
      unsafe String(cString: sqlite3_db_name(handle, 0))
    }
    #expect(name == "main")
  }

  @Test func `withUnsafeHandle passes the statement's handle`() throws {
    let statement = try db.prepare(sql: "EXPLAIN SELECT a FROM t")
    #expect(try unsafe statement.withUnsafeHandle { unsafe sqlite3_stmt_isexplain($0) } == 1)
  }

  @Test func `withUnsafeHandle rethrows the closure's error`() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try unsafe db.withUnsafeHandle { _ in throw Stop() } }
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(throws: Stop.self) { try unsafe statement.withUnsafeHandle { _ in throw Stop() } }
    #expect(try statement.query(.column(.int)) == [1, 2, 3])
  }

  @Test func `withUnsafeHandle throws misuse after the connection is closed`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    try db.close()
    #expect(failure { try unsafe db.withUnsafeHandle { _ in } }?.code == .misuse)
    #expect(failure { try unsafe statement.withUnsafeHandle { _ in } }?.code == .misuse)
  }

  @Test func `a connection cannot close inside withUnsafeHandle`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(failure { try unsafe db.withUnsafeHandle { _ in try db.close() } }?.code == .misuse)
    #expect(
      failure { try unsafe statement.withUnsafeHandle { _ in try db.close() } }?.code == .misuse)
    #expect(db.isOpen)
    try db.close()
  }

  @Test(arguments: ["COMMIT; BEGIN", "ROLLBACK; BEGIN", "COMMIT; BEGIN; INSERT INTO t VALUES (9)"])
  func `a scope throws if C code replaces its transaction with another one`(
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

  @Test func `autocommit reflects a transaction that C code begins and rolls back`() throws {
    try run("BEGIN", on: db)
    #expect(!db.isInAutocommit)
    try db.execute(sql: "DELETE FROM t")
    try run("ROLLBACK", on: db)
    #expect(db.isInAutocommit)
    #expect(try db.value("SELECT count(*) FROM t") == 3)
  }

  @Test(arguments: ["COMMIT", "ROLLBACK"])
  func `a scope rejects statements after C code has ended its transaction`(_ end: String) throws {
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

  @Test func `rolling back a scope undoes the writes of C code`() throws {
    _ = try db.transaction { connection, command in
      try run("DELETE FROM t", on: connection)
      command = .rollback
    }
    #expect(try db.value("SELECT count(*) FROM t") == 3)
  }

  @Test func `a cached statement returns a column that C code has added`() throws {
    let sql = "SELECT * FROM t WHERE a = 1"
    #expect(try db.query(.values, sql: sql).map(\.count) == [1])
    try run("ALTER TABLE t ADD COLUMN b DEFAULT 7", on: db)
    #expect(try db.query(.values, sql: sql).map(\.count) == [2])
  }

  @Test func `a cached statement reads the shadowing temp table that C code has created`() throws {
    try db.attach(path: ":memory:", as: "other")
    try db.execute(sql: "CREATE TABLE other.u(a); INSERT INTO other.u VALUES (1)")
    #expect(try db.value("SELECT a FROM u") == 1)
    try run("CREATE TEMP TABLE u(a); INSERT INTO temp.u VALUES (2)", on: db)
    #expect(try db.value("SELECT a FROM u") == 2)
  }

  @Test func `a row remains readable if C code uses its statement without stepping it`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    var values: [Int] = []
    while let row = try statement.step() {
      let type = try unsafe statement.withUnsafeHandle { unsafe sqlite3_column_type($0, 0) }
      #expect(type == SQLITE_INTEGER)
      values.append(try row.get(.int, at: 0))
    }
    #expect(values == [1, 2, 3])
  }

  @Test func `reading a row that C code has stepped past throws, and the statement restarts`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    var refused: SQLiteError?
    if let row = try statement.step() {
      #expect(try unsafe statement.withUnsafeHandle { unsafe sqlite3_step($0) } == SQLITE_ROW)
      do { _ = try row.get(.int, at: 0) } catch let error as SQLiteError { refused = error }
    }
    #expect(refused?.code == .misuse)
    #expect(try statement.query(.column(.int)) == [1, 2, 3])
  }

  @Test func `a statement that C code leaves on a row holds no lock after the call`() throws {
    let folder = try TestFolder()
    let db = try Connection(path: folder.file())
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    let statement = try db.prepare(sql: "SELECT a FROM t")
    #expect(try unsafe statement.withUnsafeHandle { unsafe sqlite3_step($0) } == SQLITE_ROW)
    #expect(try !statement.isBusy)
    #expect(try db.transactionState() == .none)
  }

  @Test
  func `a value bound in C can replace a Swift binding, but cannot fill an unbound parameter`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT ?")
    let bind = { try unsafe statement.withUnsafeHandle { unsafe sqlite3_bind_int64($0, 1, 42) } }
    #expect(try bind() == SQLITE_OK)
    #expect(failure { try statement.first(.column(.int)) }?.code == .range)
    try statement.bind(.null, toParameter: 1)
    #expect(try bind() == SQLITE_OK)
    #expect(try statement.first(.column(.int)) == 42)
  }

  @Test func `a statement cannot execute inside withUnsafeHandle`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    let error = try unsafe statement.withUnsafeHandle { _ in failure { try statement.execute() } }
    #expect(error?.code == .misuse)
    #expect(try statement.query(.column(.int)) == [1, 2, 3])
  }

  @Test func `withUnsafeHandle throws misuse inside a commit hook`() throws {
    var refusal: SQLiteError?
    try db.onCommit { [unowned db] in refusal = failure { try unsafe db.withUnsafeHandle { _ in } }
    }
    try db.execute(sql: "DELETE FROM t")
    #expect(refusal?.code == .misuse)
  }

  @Test func `a commit observer that throws rejects a commit made in C`() throws {
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

  @Test func `an update observer's error undoes a write made in C and is rethrown`() throws {
    struct Kept: Error {}
    let token = try db.onUpdate { _ in throw Kept() }
    #expect(throws: Kept.self) { try run("INSERT INTO t VALUES (4)", on: db) }
    token.cancel()
    #expect(try db.value("SELECT count(*) FROM t") == 3)
  }

  @Test func `the C handle in a read of an in-memory pool cannot write`() throws {
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
  func `tableChanges reports changes made in C`(_ sql: String) async throws {
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
