import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `running migrations` {
  private let db: Connection

  init() throws { db = try Connection() }

  @Test func `a migrator runs each migration once and in order`() throws {
    let migrator = try Migrator(People.all)
    let report = try migrator.migrate(db)
    #expect(report.applied == migrator.steps)
    #expect(report.version == 3)
    #expect(try db.column("SELECT name FROM person") == ["Ada"])
    let again = try migrator.migrate(db)
    #expect(again.applied.isEmpty)
    #expect(again.version == 3)
    #expect(try db.column("SELECT name FROM person") == ["Ada"])
  }

  @Test func `a migrator runs only new migrations`() throws {
    try Migrator(Array(People.all.prefix(2))).migrate(db)
    let migrator = try Migrator(People.all)
    #expect(try migrator.pending(on: db).map(\.number) == [3])
    #expect(try migrator.migrate(db).applied.map(\.name) == ["trim"])
    #expect(try migrator.pending(on: db).isEmpty)
    #expect(try db.column("SELECT name FROM person") == ["Ada"])
  }

  @Test func `a database records its applied migrations`() throws {
    let migrator = try Migrator(People.all)
    #expect(try migrator.applied(on: db).isEmpty)
    let before = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down))
    try migrator.migrate(db, upTo: 2)
    let applied = try migrator.applied(on: db)
    #expect(applied.map(\.step) == Array(migrator.steps.prefix(2)))
    #expect(applied.map(\.step.checksum) == [People.create.checksum, nil])
    #expect(applied.allSatisfy { (before...Date.now).contains($0.date) })
    #expect(applied.allSatisfy { $0.sqliteVersion == SQLiteLibrary.version })
    #expect(
      try db.column("SELECT number || name FROM sluice_migration") == [
        "1create person", "2insert Ada",
      ])
  }

  @Test func `querying the pending migrations leaves the database unchanged`() throws {
    let migrator = try Migrator(People.all)
    #expect(try migrator.pending(on: db) == migrator.steps)
    #expect(try db.schema.isEmpty)
    #expect(try db.userVersion == 0)
  }

  @Test func `a migrator stops at the given number and throws for an invalid number`() throws {
    let migrator = try Migrator(People.all)
    #expect(try migrator.migrate(db, upTo: 0).applied.isEmpty)
    #expect(try migrator.migrate(db, upTo: 2).version == 2)
    #expect(try db.column("SELECT name FROM person") == [" Ada "])
    #expect(try migrator.migrate(db, upTo: 2).applied.isEmpty)
    for number in [-1, 4, .max, .min] {
      #expect(failure { try migrator.migrate(db, upTo: number) }?.code == .range)
    }
    #expect(failure { try migrator.migrate(db, upTo: 1) }?.code == .range)
    #expect(try migrator.migrate(db, upTo: 3).version == 3)
  }

  @Test func `migrations without numbers are identified by name`() throws {
    let migrations = [
      Migration("tables", sql: "CREATE TABLE a(x)"),
      Migration("more \"tables\" 🐦") { try $0.execute("CREATE TABLE b(x)") },
    ]
    try Migrator(migrations).migrate(db)
    let report = try Migrator(migrations + [Migration("c", sql: "CREATE TABLE c(x)")]).migrate(db)
    #expect(report.applied.map(\.description) == ["3 \"c\""])
    #expect(try db.schema == ["a", "b", "c", "sluice_migration"])
  }

  @Test func `a migrator without migrations leaves the database unchanged`() throws {
    #expect(try Migrator([]).migrate(db) == Migrator([]).migrate(db, atomically: true))
    #expect(try db.schema.isEmpty)
  }

  @Test func `a migrator reports progress before each migration, and the closure can stop the run`()
    throws
  {
    var seen: [MigrationProgress] = []
    let migrator = try Migrator(People.all)
    #expect(throws: ForeignError()) {
      try migrator.migrate(db) { progress in
        seen.append(progress)
        if progress.completed == 1 { throw ForeignError() }
      }
    }
    #expect(try migrator.applied(on: db).count == 1)
    try migrator.migrate(db, atomically: true) { seen.append($0) }
    #expect(seen.map(\.step.number) == [1, 2, 2, 3])
    #expect(seen.map(\.completed) == [0, 1, 0, 1])
    #expect(seen.map(\.total) == [3, 3, 2, 2])
  }

  @Test func `a migrator can run hundreds of migrations`() throws {
    let migrations = (1...300).map { number in
      Migration(number, "é'\"\(number)", sql: "CREATE TABLE t\(number)(a);")
    }
    let migrator = try Migrator(migrations)
    try migrator.migrate(db, upTo: 100)
    try migrator.migrate(db, upTo: 200, atomically: true)
    #expect(try migrator.migrate(db).applied.count == 100)
    #expect(try db.column("SELECT count(*) FROM sqlite_schema WHERE name LIKE 't%'") == [300])
    #expect(try migrator.applied(on: db).map(\.step) == migrator.steps)
    #expect(try migrator.drift(on: db).isEmpty)
  }

  @Test func `the migration record table can have any valid name`() throws {
    let name = "my \"record\"; DROP TABLE person"
    let migrator = try Migrator(People.all, recordTable: name)
    try migrator.migrate(db)
    #expect(try db.schema == [name, "person"])
    #expect(try migrator.migrate(db).applied.isEmpty)
    #expect(failure { try Migrator([], recordTable: "") }?.code == .misuse)
    #expect(failure { try Migrator([], recordTable: "a\0") }?.code == .misuse)
  }

  @Test func `two migrators share a database with separate record tables`() throws {
    try Migrator(People.all).migrate(db)
    let library = try Migrator(
      [Migration(1, sql: "CREATE TABLE library(a)")], userVersion: .ignored,
      recordTable: "library_migration")
    #expect(try library.migrate(db).version == 1)
    #expect(try db.userVersion == 3)
    #expect(try Migrator(People.all).migrate(db).applied.isEmpty)
  }

  @Test func `a migrator uses only the record in the main database`() throws {
    try db.execute(
      sql: """
        ATTACH ':memory:' AS other; CREATE TABLE other.sluice_migration(a);
        CREATE TEMP TABLE sluice_migration(a);
        """)
    let migrator = try Migrator(People.all)
    try migrator.migrate(db)
    #expect(try migrator.migrate(db).applied.isEmpty)
    #expect(try db.column("SELECT count(*) FROM main.sluice_migration") == [3])
    #expect(try db.column("SELECT count(*) FROM other.sqlite_schema") == [1])
    #expect(try db.column("SELECT count(*) FROM temp.sluice_migration") == [0])
  }

  @Test func `a migrator can run on the connection of a queue`() async throws {
    let queue = try ConnectionQueue()
    let migrator = try Migrator(People.all)
    try synchronously {
      let report = try queue.sync { connection in try migrator.migrate(connection, upTo: 1) }
      #expect(report.version == 1)
      let completed = try queue.sync { connection in
        var completed: [Int] = []
        try migrator.migrate(connection, upTo: 2) { completed.append($0.completed) }
        return completed
      }
      #expect(completed == [0])
      let pending = try queue.sync { try migrator.pending(on: $0) }
      #expect(pending.count == 1)
    }
    #expect(try await queue.perform { try migrator.migrate($0) }.version == 3)
    #expect(try await queue.perform { try migrator.drift(on: $0) }.isEmpty)
    #expect(try await queue.perform { try migrator.dryRun(on: $0) }.steps.isEmpty)
  }

  /// Runs code that blocks, as on a thread without tasks.
  private func synchronously(_ body: () throws -> Void) rethrows { try body() }
}
