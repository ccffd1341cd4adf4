import SluiceCore
import TestSupport
import Testing

@Suite struct `erasing databases` {
  private let folder: TestFolder
  private var path: String { folder.file() }

  init() throws { folder = try TestFolder() }

  private static let content = """
    CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT a FROM t;
    CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END; PRAGMA user_version = 7
    """

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"], [512, 4096, 65_536])
  func `erase removes all content and keeps the settings of the file`(
    _ encoding: String, pageSize: Int
  ) throws {
    for mode in ["none", "full", "incremental"] {
      for journal in ["wal", "delete"] {
        let file = folder.file("\(mode) \(journal).db")
        let db = try Connection(path: file)
        try db.execute(
          sql: """
            PRAGMA page_size = \(pageSize); PRAGMA encoding = '\(encoding)';
            PRAGMA auto_vacuum = \(mode); PRAGMA journal_mode = \(journal);
            """ + Self.content)
        func settings(_ db: Connection) throws -> [[DatabaseValue]] {
          try ["page_size", "encoding", "auto_vacuum", "journal_mode"].map {
            try db.column("PRAGMA \($0)")
          }
        }
        let before = try settings(db)
        try db.erase()
        #expect(try settings(db) == before)
        #expect(try db.schemaObjects().isEmpty)
        #expect(try db.userVersion == 0)
        #expect(try db.integrityProblems().isEmpty)
        try db.execute(sql: Self.content)
        try db.close()
        let again = try Connection(path: file)
        #expect(try again.column("SELECT a FROM v") == [1])
        #expect(try settings(again) == before)
      }
    }
  }

  @Test func `erase works in memory, in an attached database and on an empty database`() throws {
    let db = try Connection()
    try db.erase()
    try db.execute(sql: Self.content)
    try db.attach(path: path, as: "other")
    try db.execute(sql: "CREATE TABLE other.u(a)")
    try db.erase(database: "other")
    #expect(try db.schemaObjects(database: "other").isEmpty)
    #expect(try db.column("SELECT a FROM t") == [1])
    try db.erase()
    #expect(try db.schemaObjects().isEmpty)
    try db.erase()
    #expect(failure { try db.erase(database: "none") }?.code == .range)
  }

  /// The new schema must not look like the old one to connections that have compiled statements.
  @Test(arguments: 0..<8)
  func `a reader never reads new rows with the schema of an erased database`(_ changes: Int) throws
  {
    let pool = try ConnectionPool(path: path, readers: 1)
    try pool.syncWrite { db in
      try db.execute(sql: "CREATE TABLE p(name, email); INSERT INTO p VALUES ('Ada', 'ada@x')")
      for number in 0..<changes { try db.execute(sql: "CREATE TABLE t\(number)(a)") }
    }
    let sql = "SELECT name, email FROM p"
    #expect(try pool.syncRead { try $0.query(.values, sql: sql)[0].values } == ["Ada", "ada@x"])
    try pool.sync { try $0.erase() }
    #expect(try pool.syncRead { try $0.tables().isEmpty })
    #expect(
      failure { try pool.syncRead { try $0.query(.values, sql: sql) } }?.message
        == "no such table: p")
    try pool.syncWrite { db in
      try db.execute(sql: "CREATE TABLE p(email, name)")
      try db.execute(sql: "INSERT INTO p(name, email) VALUES ('B', 'b@x')")
    }
    #expect(try pool.syncRead { try $0.query(.values, sql: sql)[0].values } == ["B", "b@x"])
    try pool.syncClose()
  }

  @Test func `erase throws in a transaction, beside a lock and read-only, and changes nothing`()
    throws
  {
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let db = try Connection(path: path, configuration: configuration)
    try db.execute(sql: Self.content)
    try db.transaction { db in #expect(failure { try db.erase() }?.code == .misuse) }
    let other = try Connection(path: path)
    try other.begin(.immediate)
    #expect(failure { try db.erase() }?.code.primary == .busy)
    try other.rollback()
    #expect(failure { try Connection(path: path, readOnly: true).erase() }?.code == .readOnly)
    let rows = try db.prepare(sql: "SELECT a FROM t")
    let isAtRow = try rows.step() != nil
    #expect(isAtRow && failure { try db.erase() }?.code == .error)
    try rows.reset()
    try db.vacuum()
    #expect(try db.column("SELECT a FROM v") == [1])
    #expect(try db.userVersion == 7)
  }

  @Test func `erasing is observed`() async throws {
    let queue = try ConnectionQueue()
    try await queue.perform { try $0.execute(sql: Self.content) }
    let count = "SELECT count(*) FROM sqlite_schema"
    var values = queue.observe(.column(.int), sql: count).makeAsyncIterator()
    #expect(try await values.next() == [4])
    try await queue.perform { try $0.erase() }
    #expect(try await values.next() == [0])
  }
}

@Suite struct `read-only accesses` {
  private let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
  }

  @Test func `SQL that writes throws during the access only`() throws {
    let count = try db.readOnly { db in
      #expect(failure { try db.execute(sql: "DELETE FROM t") }?.code == .readOnly)
      #expect(failure { try db.execute(sql: "CREATE TABLE u(a)") }?.code == .readOnly)
      return try db.first(.column(.int), sql: "SELECT count(*) FROM t")
    }
    #expect(count == 1)
    try db.execute(sql: "INSERT INTO t VALUES (2)")
  }

  @Test func `the connection can write again after an error and in a transaction`() throws {
    #expect(throws: ForeignError()) { try db.readOnly { _ in throw ForeignError() } }
    try db.execute(sql: "INSERT INTO t VALUES (2)")
    try db.transaction { db in
      try db.readOnly { db in
        try db.readOnly { _ in }
        #expect(failure { try db.execute(sql: "DELETE FROM t") }?.code == .readOnly)
      }
      try db.execute(sql: "INSERT INTO t VALUES (3)")
    }
    #expect(try db.column("SELECT a FROM t") == [1, 2, 3])
    try db.setPragma(.queryOnly, to: true)
    try db.readOnly { _ in }
    #expect(failure { try db.execute(sql: "DELETE FROM t") }?.code == .readOnly)
  }

  @Test func `the access may close the connection`() throws {
    #expect(throws: ForeignError()) {
      try db.readOnly { db in
        try db.close()
        throw ForeignError()
      }
    }
    #expect(!db.isOpen)
  }
}
