import Sluice
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
    try db.execute("CREATE INDEX by_a ON t(a)")
    #expect(try migrator([first, second]).migrate(db).isErased)
    #expect(try rows(db) == 0)
    let swift = try Connection()
    try migrator([Migration(1) { try $0.execute("CREATE TABLE t(a)") }]).migrate(swift)
    try swift.execute("INSERT INTO t VALUES (1)")
    let same = Migration(1) { try $0.execute("CREATE TABLE t ( \"a\" )") }
    #expect(try !migrator([same]).migrate(swift).isErased)
    let changed = Migration(1) { try $0.execute("CREATE TABLE t(a, b)") }
    #expect(try migrator([changed]).migrate(swift).isErased)
    #expect(try rows(swift) == 0)
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
