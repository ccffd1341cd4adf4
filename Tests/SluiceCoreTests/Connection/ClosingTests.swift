import SluiceCore
import TestSupport
import Testing

@Suite struct ClosingTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private func writer() throws -> Connection {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyTimeout = .zero
    let db = try Connection(path: folder.file(), configuration: configuration)
    try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (1),(2)")
    return db
  }

  @Test func `closing a closed connection has no effect`() throws {
    let db = try Connection()
    #expect(db.isOpen)
    try db.close()
    #expect(!db.isOpen)
    try db.close()
    #expect(!db.isOpen)
  }

  @Test func `the methods of a closed connection throw misuse`() throws {
    let db = try Connection()
    try db.close()
    let failures = [
      failure { try db.prepare(sql: "SELECT 1") },
      failure { try db.prepare(sql: "") },
      failure { try db.execute(sql: "SELECT 1") },
      failure { try db.execute(sql: "") },
      failure { try db.execute(sql: "SELECT ?", parameters: 1) },
      failure { try db.execute(sql: "SELECT ?", parameters: [1]) },
      failure { try db.execute(sql: "SELECT :a", parameters: ["a": 1]) },
      failure { try db.execute(sql: "SELECT 1") { _ in } },
      failure { try db.query(.values, sql: "SELECT 1") },
      failure { try db.first(.values, sql: "SELECT 1") },
      failure { try db.begin() },
      failure { try db.commit() },
      failure { try db.rollback() },
      failure { try db.transaction { _, _ in } },
      failure { try db.savepoint { _, _ in } },
      failure { try db.transactionState() },
      failure { try db.addFunction("f", arity: 0) { _ in .null } },
      failure { try db.removeFunction("f", arity: 0) },
      failure { try db.addCollation("c") { SQLOrder($0, $1) } },
      failure { try db.removeCollation("c") },
    ]
    #expect(failures.map { $0?.code } == failures.map { _ in .misuse })
  }

  @Test func `a closed connection reports zero as its last rowid and changes`() throws {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    #expect(db.lastInsertRowid == 1)
    #expect(db.changes == 1)
    #expect(db.totalChanges == 1)
    try db.close()
    #expect(db.lastInsertRowid == 0)
    #expect(db.changes == 0)
    #expect(db.totalChanges == 0)
    #expect(db.isInAutocommit)
    db.interrupt()
  }

  @Test func `closing finalizes an unfinished statement and removes the WAL`() throws {
    let db = try writer()
    let statement = try db.prepare(sql: "SELECT a FROM t")
    _ = try statement.step()
    #expect(try folder.content == ["app.db", "app.db-shm", "app.db-wal"])
    try db.close()
    #expect(try folder.content == ["app.db"])
    #expect(failure { try statement.step() }?.code == .misuse)
  }

  @Test func `closing throws if the writes of an unfinished statement cannot be committed`() throws
  {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE p(id INTEGER PRIMARY KEY)")
    try db.execute(sql: "CREATE TABLE c(p REFERENCES p DEFERRABLE INITIALLY DEFERRED)")
    let statement = try db.prepare(sql: "INSERT INTO c VALUES (7) RETURNING p")
    #expect(try statement.step() != nil)
    #expect(failure { try db.close() }?.code == .constraintForeignKey)
    #expect(db.isOpen)
    #expect(try db.value("SELECT count(*) FROM c") == 0)
    try db.close()
    #expect(!db.isOpen)
  }

  @Test func `closing rolls back an open transaction`() throws {
    let db = try writer()
    try db.execute(sql: "BEGIN; DELETE FROM t")
    try db.close()
    #expect(try writer().value("SELECT count(*) FROM t") == 4)
  }

  @Test func `a connection closes when its last reference is released`() throws {
    weak var released: Connection?
    do {
      let db = try writer()
      released = db
      try db.execute(sql: "BEGIN IMMEDIATE")
    }
    #expect(released == nil)
    #expect(try folder.content == ["app.db"])
  }

  @Test
  func `statements retain their connection, which closes when the last statement is released`()
    throws
  {
    weak var released: Connection?
    do {
      var db: Connection? = try writer()
      released = db
      var first = try db?.prepare(sql: "SELECT a FROM t ORDER BY a")
      let second = try #require(try db?.prepare(sql: "SELECT count(*) FROM t"))
      _ = try first?.step()
      db = nil
      #expect(try first?.rows().map { $0.values } == [[1], [2]])
      _ = try first?.step()
      first = nil
      #expect(try second.first(.column(.int)) == 2)
      #expect(try folder.content == ["app.db", "app.db-shm", "app.db-wal"])
      _ = try second.step()
    }
    #expect(released == nil)
    #expect(try folder.content == ["app.db"])
  }

  @Test func `a row retains its statement and its connection`() throws {
    func row() throws -> Row? { try writer().prepare(sql: "SELECT a FROM t ORDER BY a").step() }
    guard let row = try row() else {
      Issue.record("There is a row")
      return
    }
    let value = try row.value(at: 0)
    #expect(value == 1)
  }

  @Test func `an SQL function cannot close its connection`() throws {
    let db = try Connection()
    try db.addFunction("shut", arity: 0) { [unowned db] _ in
      try db.close()
      return .null
    }
    let error = failure { try db.execute(sql: "SELECT shut()") }
    #expect(error?.code == .misuse)
    #expect(db.isOpen)
    #expect(try db.value("SELECT 1") == 1)
    try db.close()
  }

  @Test func `a collation called during closing cannot close the connection again`() throws {
    let db = try writer()
    var failures: [ResultCode?] = []
    try db.addCollation("shut") { [unowned db] first, second in
      if failures.count < 3 { failures.append(failure { try db.close() }?.code) }
      return SQLOrder(first, second)
    }
    try db.execute(
      sql: """
        CREATE TABLE u(a COLLATE shut, b);
        CREATE INDEX i ON u(a);
        INSERT INTO u(a) VALUES ('x'), ('y'), ('z');
        SELECT * FROM u WHERE a = 'x' AND b = 1;
        """)
    failures = []
    try db.close()
    #expect(!failures.isEmpty && failures.allSatisfy { $0 == .misuse })
    #expect(!db.isOpen)
  }
}
