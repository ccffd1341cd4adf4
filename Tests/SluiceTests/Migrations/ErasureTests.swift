import Dispatch
import Sluice
import Synchronization
import TestSupport
import Testing

/// Migrators that erase a database whose migrations have changed.
@Suite(.tags(.migrations)) struct `migrations that erase a database` {
  private let first = Migration(1, sql: "CREATE TABLE t(a)")
  private let second = Migration(2, sql: "CREATE TABLE u(a)")

  private func migrator(
    _ migrations: [Migration], userVersion: Migrator.UserVersion = .kept, erases: Bool = true
  ) throws -> Migrator {
    var migrator = try Migrator(migrations, userVersion: userVersion)
    migrator.erasesOnSchemaChange = erases
    return migrator
  }

  /// Returns a database with both migrations and one row.
  private func database() throws -> Connection {
    let db = try Connection()
    #expect(try migrator([first, second]).migrate(db).isErased == false)
    try db.execute("INSERT INTO t VALUES (1)")
    return db
  }

  private func rows(_ db: Connection) throws -> Int? {
    try db.first(.column(.int), "SELECT count(*) FROM t")
  }

  @Test func `a database with the same or fewer migrations is not erased`() throws {
    let db = try database()
    #expect(try !migrator([first, second]).migrate(db).isErased)
    let report = try migrator([first, second, Migration(3, sql: "CREATE TABLE v(a)")]).migrate(db)
    #expect(report.applied.map(\.number) == [3] && !report.isErased)
    #expect(try rows(db) == 1)
  }

  @Test func `an edited, removed, renamed or inserted migration erases`() throws {
    let edited = Migration(1, sql: "CREATE TABLE t(a, b)")
    let lists: [[Migration]] = [[edited, second], [edited], [first]]
    for list in lists {
      let db = try database()
      let report = try migrator(list).migrate(db)
      #expect(report.isErased && report.applied.count == list.count && report.version == list.count)
      #expect(try rows(db) == 0)
      #expect(try migrator(list).drift(on: db).isEmpty)
      #expect(try !migrator(list).migrate(db).isErased)
    }
    let names = try Connection()
    let (a, b) = (
      Migration("a", sql: "CREATE TABLE t(a)"), Migration("b", sql: "CREATE TABLE u(a)")
    )
    try migrator([a, b]).migrate(names)
    try names.execute("INSERT INTO t VALUES (1)")
    #expect(try migrator([a, Migration("c", sql: "SELECT 1"), b]).migrate(names).isErased)
    #expect(try migrator([Migration("d", sql: "CREATE TABLE t(a)"), b]).migrate(names).isErased)
  }

  @Test func `a schema that was changed by hand, or a changed migration in Swift, erases`() throws {
    let db = try database()
    // An additional object may be the program's own.
    try db.execute("CREATE INDEX by_a ON t(a); CREATE TABLE cache(a); INSERT INTO cache VALUES (1)")
    #expect(try !migrator([first, second]).migrate(db).isErased)
    #expect(try rows(db) == 1)
    try db.execute("ALTER TABLE t ADD COLUMN b")
    #expect(try migrator([first, second]).migrate(db).isErased)
    #expect(
      try rows(db) == 0 && db.tables().map(\.name).sorted() == ["sluice_migration", "t", "u"])
    let swift = try Connection()
    try migrator([Migration(1) { try $0.execute("CREATE TABLE t(a)") }]).migrate(swift)
    try swift.execute("INSERT INTO t VALUES (1)")
    let same = Migration(1) { try $0.execute("CREATE TABLE t ( \"a\" )") }
    #expect(try !migrator([same]).migrate(swift).isErased)
    let changed = Migration(1) { try $0.execute("CREATE TABLE t(a, b)") }
    #expect(try migrator([changed]).migrate(swift).isErased)
    #expect(try rows(swift) == 0)
  }

  @Test func `all kinds of objects are dropped`() throws {
    let db = try database()
    try db.execute(
      """
      CREATE TABLE "a ""b"(id INTEGER PRIMARY KEY AUTOINCREMENT, parent REFERENCES "a ""b");
      INSERT INTO "a ""b"(parent) VALUES (1);
      CREATE VIEW v AS SELECT * FROM t; CREATE VIEW w AS SELECT missing() FROM v;
      CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END;
      CREATE TRIGGER s INSTEAD OF INSERT ON v BEGIN SELECT 1; END;
      CREATE INDEX i ON t(a); ANALYZE; PRAGMA application_id = 7;
      CREATE TABLE self(id INTEGER PRIMARY KEY, parent REFERENCES self);
      INSERT INTO self VALUES (1, 1)
      """)
    if SQLiteLibrary.has(.fts5) {
      try db.execute("CREATE VIRTUAL TABLE search USING fts5(a); INSERT INTO search VALUES ('x')")
    }
    let edited = try migrator([Migration(1, sql: "CREATE TABLE t(a, b)")])
    #expect(try edited.migrate(db).isErased)
    #expect(try db.schemaObjects().map(\.name).sorted() == ["sluice_migration", "t"])
    #expect(try db.applicationID == 0 && db.userVersion == 1)
    #expect(try db.option(.foreignKeys))
    #expect(try db.integrityProblems().isEmpty)
  }

  @Test func `migrators that share a database do not erase each other's tables`() throws {
    let db = try Connection()
    var other = try Migrator(
      [Migration(1, sql: "CREATE TABLE b(a)")], userVersion: .ignored, recordTable: "lib")
    other.erasesOnSchemaChange = true
    for _ in 0..<3 {
      #expect(try !migrator([first]).migrate(db).isErased)
      #expect(try !other.migrate(db).isErased)
      try db.execute("INSERT INTO t VALUES (1); INSERT INTO b VALUES (1)")
    }
    #expect(try rows(db) == 3)
  }

  @Test func `migrations whose schema depends on data, or that cannot be tried, do not erase`()
    throws
  {
    let db = try Connection()
    let migrations = [
      first,
      Migration(2) { db in
        if try db.first(.column(.int), "SELECT 1 FROM t") != nil {
          try db.execute("CREATE TABLE u(a)")
        }
      },
      Migration(3) { db in try db.execute("INSERT INTO t SELECT own()") },
    ]
    try db.addFunction("own") { 5 }
    let migrator = try migrator(migrations)
    try migrator.migrate(db, upTo: 1)
    try db.execute("INSERT INTO t VALUES (1)")
    for _ in 0..<2 { #expect(try !migrator.migrate(db).isErased) }
    #expect(try rows(db) == 2)
  }

  @Test func `a migration that did not finish does not erase`() throws {
    let db = try Connection()
    struct Failure: Error {}
    let half = Migration(2, inTransaction: false) { db in
      try db.execute("CREATE TABLE IF NOT EXISTS half(a)")
      throw Failure()
    }
    let migrator = try migrator([first, half])
    try migrator.migrate(db, upTo: 1)
    try db.execute("INSERT INTO t VALUES (1)")
    for _ in 0..<2 { #expect(throws: Failure.self) { try migrator.migrate(db) } }
    #expect(try rows(db) == 1)
  }

  @Test(arguments: ["delete", "wal"])
  func `connections that migrate at the same time erase once, and lose no row`(_ mode: String)
    throws
  {
    for _ in 0..<20 {
      let folder = try TestFolder()
      let old = try Connection(path: folder.file())
      try old.execute(sql: "PRAGMA journal_mode = \(mode)")
      try migrator([first]).migrate(old)
      let edited = try migrator([Migration(1, sql: "CREATE TABLE t(a, b)")])
      let erased = Mutex(0)
      DispatchQueue.concurrentPerform(iterations: 3) { number in
        do {
          let connection = try Connection(path: folder.file())
          if try edited.migrate(connection).isErased { erased.withLock { $0 += 1 } }
          try connection.execute("INSERT INTO t VALUES (\(number), 1)")
        } catch {
          Issue.record(error)
        }
      }
      #expect(erased.withLock(\.self) == 1)
      #expect(try rows(old) == 3)
    }
  }

  @Test func `a database of another program is not erased`() throws {
    let db = try Connection()
    try db.execute("CREATE TABLE mine(a); INSERT INTO mine VALUES (1)")
    #expect(try !migrator([first]).migrate(db).isErased)
    #expect(try db.first(.column(.int), "SELECT count(*) FROM mine") == 1)
    let versioned = try Connection()
    try versioned.execute("CREATE TABLE mine(a); INSERT INTO mine VALUES (1)")
    try versioned.setUserVersion(3)
    #expect(throws: MigrationError.unrecorded(userVersion: 3)) {
      try migrator([first]).migrate(versioned)
    }
    #expect(try versioned.first(.column(.int), "SELECT count(*) FROM mine") == 1)
  }

  @Test func `without the setting, nothing is erased`() throws {
    let db = try database()
    #expect(throws: MigrationError.self) {
      try migrator([Migration(1, sql: "CREATE TABLE t(a, b)"), second], erases: false).migrate(db)
    }
    #expect(try rows(db) == 1)
  }

  @Test func `a dry run erases only its copy, and drift erases nothing`() throws {
    let db = try database()
    let edited = try migrator([Migration(1, sql: "CREATE TABLE t(a, b)")])
    #expect(try edited.dryRun(on: db).steps.map(\.number) == [1])
    #expect(throws: MigrationError.self) { try edited.drift(on: db) }
    try db.execute("CREATE TABLE extra(a)")
    #expect(try !migrator([first, second]).drift(on: db).isEmpty)
    #expect(try rows(db) == 1)
  }

  @Test func `a pool is erased, and a failed erasure changes nothing`() async throws {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file(), readers: 2)
    try await migrator([first, second]).migrate(pool)
    try await pool.write { try $0.execute("INSERT INTO t VALUES (1)") }
    let edited = try migrator([Migration(1, sql: "CREATE TABLE t(a, b)")])
    let other = try Connection(path: folder.file())
    try other.begin(.immediate)
    try other.setBusyTimeout(.zero)
    try await pool.perform { try $0.setBusyTimeout(.zero) }
    #expect(await awaitedFailure { try await edited.migrate(pool) }?.code.primary == .busy)
    try other.rollback()
    #expect(try await pool.read { try $0.first(.column(.int), "SELECT count(*) FROM t") } == 1)
    #expect(try await edited.migrate(pool).isErased)
    #expect(try await pool.read { try $0.first(.column(.int), "SELECT count(*) FROM t") } == 0)
    #expect(try await pool.read { try $0.columns(of: "t").map(\.name) } == ["a", "b"])
  }
}
