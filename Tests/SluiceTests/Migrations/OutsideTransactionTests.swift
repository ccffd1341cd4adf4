import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `migrations outside a transaction` {
  private let folder: TestFolder
  private let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection(url: folder.url.appending(path: "a.db"))
  }

  @Test func `a migration can change the page size, vacuum and change the journal mode`() throws {
    let migrator = try Migrator([
      People.create,
      Migration(
        2, "compact", inTransaction: false,
        sql:
          "PRAGMA page_size = 1024; PRAGMA auto_vacuum = FULL; VACUUM; PRAGMA journal_mode = wal",
        revert: "PRAGMA journal_mode = delete"),
      Migration(3, "trim", sql: "UPDATE person SET name = trim(name)"),
    ])
    let dryRun = try migrator.dryRun(on: db)
    #expect(dryRun.steps.map(\.number) == [1, 2, 3])
    #expect(try db.column("PRAGMA page_size") == [4096])
    #expect(try migrator.migrate(db).applied.map(\.number) == [1, 2, 3])
    #expect(try db.column("PRAGMA page_size") == [1024])
    #expect(try db.column("PRAGMA auto_vacuum") == [1])
    #expect(try db.column("PRAGMA journal_mode") == ["wal"])
    #expect(try migrator.applied(on: db).map(\.step.number) == [1, 2, 3])
    #expect(try db.userVersion == 3)
    #expect(try migrator.drift(on: db).isEmpty)
    #expect(try migrator.migrate(db).applied.isEmpty)
  }

  @Test func `such a migration is reverted outside a transaction`() throws {
    let migrator = try Migrator([
      Migration(
        1, "wal", inTransaction: false, sql: "PRAGMA journal_mode = wal",
        revert: "PRAGMA journal_mode = delete")
    ])
    try migrator.migrate(db)
    #expect(try migrator.revert(db, to: 0).map(\.name) == ["wal"])
    #expect(try db.column("PRAGMA journal_mode") == ["delete"])
    #expect(try migrator.applied(on: db).isEmpty)
  }

  @Test func `a migration that fails is not recorded, and the earlier ones remain applied`() throws
  {
    let migrator = try Migrator([
      People.create,
      Migration(2, "fail", inTransaction: false) { connection in
        try connection.execute("CREATE TABLE pet(a)")
        throw ForeignError()
      },
      Migration(3, sql: "CREATE TABLE never(a)"),
    ])
    #expect(throws: ForeignError()) { try migrator.migrate(db) }
    #expect(try migrator.applied(on: db).map(\.step.number) == [1])
    #expect(try migrator.pending(on: db).map(\.number) == [2, 3])
    #expect(try db.schema == ["person", "pet", "sluice_migration"])
    #expect(try db.userVersion == 1)
    #expect(try migrator.shouldMigrate(db))
  }

  @Test func `a migration whose SQL fails throws with its position`() throws {
    let migrator = try Migrator([
      Migration(1, "bad", inTransaction: false, sql: "VACUUM;\nBEGIN;\nCREATE TABLE a(b);\nSELEC 1")
    ])
    let error = failure { try migrator.migrate(db) }
    #expect(error?.message.hasPrefix("Migration 1 \"bad\": line 4: ") == true)
    #expect(try db.schema == ["sluice_migration"])
    #expect(try migrator.applied(on: db).isEmpty)
    #expect(db.isInAutocommit)
  }

  @Test(arguments: [false, true])
  func `a transaction that a migration leaves open is rolled back, and the migration throws`(
    _ isScript: Bool
  ) throws {
    let sql = "BEGIN; CREATE TABLE pet(a)"
    let open =
      isScript
      ? Migration(2, "open", inTransaction: false, sql: sql)
      : Migration(2, "open", inTransaction: false) { try $0.execute(sql: sql) }
    let migrator = try Migrator([People.create, open])
    let error = failure { try migrator.migrate(db) }
    #expect(error?.code == .misuse)
    #expect(
      error?.message
        == "Migration 2 \"open\": A transaction was left open, and was rolled back: commit it before the migration ends"
    )
    try expectFirst(migrator, db)
  }

  @Test func `a migration can run transactions of its own`() throws {
    let migrator = try Migrator([
      Migration(1, inTransaction: false, sql: "BEGIN; CREATE TABLE a(b); COMMIT; VACUUM"),
      Migration(2, inTransaction: false) { connection in
        try connection.transaction { try $0.execute("CREATE TABLE c(d)") }
      },
    ])
    #expect(try migrator.migrate(db).version == 2)
    #expect(try db.schema == ["a", "c", "sluice_migration"])
  }

  @Test func `an atomic run with such a migration throws before anything changes`() throws {
    let vacuum = Migration(2, "vacuum", inTransaction: false, sql: "VACUUM")
    let migrator = try Migrator([People.create, vacuum])
    let error = failure { try migrator.migrate(db, atomically: true) }
    #expect(error?.code == .misuse)
    #expect(
      error?.message
        == "Migration 2 \"vacuum\" runs outside a transaction, so it cannot be applied atomically with others; migrate without atomically"
    )
    #expect(try db.schema.isEmpty)
    try migrator.migrate(db, upTo: 1, atomically: true)
    #expect(try migrator.migrate(db, atomically: true).applied.map(\.number) == [2])
  }

  @Test func `such a migration can rebuild a table without losing the rows that refer to it`()
    throws
  {
    let migrator = try Migrator([
      Migration(
        1,
        sql: """
          CREATE TABLE person(id INTEGER PRIMARY KEY);
          CREATE TABLE pet(owner REFERENCES person ON DELETE CASCADE);
          INSERT INTO person VALUES (1); INSERT INTO pet VALUES (1)
          """),
      Migration(
        2, inTransaction: false,
        sql: """
          BEGIN; CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT);
          INSERT INTO new_person(id) SELECT id FROM person;
          DROP TABLE person; ALTER TABLE new_person RENAME TO person; COMMIT
          """),
    ])
    try migrator.migrate(db)
    #expect(try db.column("SELECT owner FROM pet") == [1])
    #expect(try db.option(.foreignKeys))
  }

  @Test func `such a migration that violates a foreign key is not recorded`() throws {
    let migrator = try Migrator([
      Migration(
        1,
        sql:
          "CREATE TABLE person(id INTEGER PRIMARY KEY); CREATE TABLE pet(owner REFERENCES person)"),
      Migration(2, "lose", inTransaction: false, sql: "INSERT INTO pet VALUES (1)"),
    ])
    let error = failure { try migrator.migrate(db) }
    #expect(error?.code == .constraintForeignKey)
    #expect(error?.message.hasPrefix("Migration 2 \"lose\": ") == true)
    #expect(try migrator.applied(on: db).map(\.step.number) == [1])
    #expect(try db.option(.foreignKeys))
    try db.execute("INSERT INTO person VALUES (1)")
    #expect(try migrator.migrate(db).repeated == [migrator.steps[1]])
  }

  @Test func `the enforcement of foreign keys is restored after such a migration`() throws {
    let migrator = try Migrator([
      Migration(1, foreignKeys: .enforced, inTransaction: false) { connection in
        #expect(try connection.option(.foreignKeys))
        try connection.execute("PRAGMA foreign_keys = OFF")
        #expect(try !connection.option(.foreignKeys))
      }
    ])
    try migrator.migrate(db)
    #expect(try db.option(.foreignKeys))
  }

  @Test func `a record of another library is adopted before such a migration is recorded`() throws {
    try db.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)")
    try db.setUserVersion(1)
    let vacuum = Migration(2, inTransaction: false, sql: "VACUUM")
    let migrator = try Migrator([People.create, vacuum], adopting: .userVersion)
    let report = try migrator.migrate(db)
    #expect(report.adopted.map(\.number) == [1])
    #expect(report.applied.map(\.number) == [2])
    #expect(try migrator.applied(on: db).count == 2)
  }

  @Test func `two queues that migrate at the same time record such a migration once`() async throws
  {
    let file = folder.url.appending(path: "b.db")
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(120)
    let first = try ConnectionQueue(url: file, configuration: configuration)
    let second = try ConnectionQueue(url: file, configuration: configuration)
    let migrator = try Migrator(
      (1...20).map { number in
        Migration(number, inTransaction: false, sql: "CREATE TABLE IF NOT EXISTS t\(number)(a)")
      })
    async let one = migrator.migrate(first)
    async let two = migrator.migrate(second)
    let reports = try await [one, two]
    #expect(reports.map(\.version) == [20, 20])
    #expect(reports.flatMap(\.applied).map(\.number).sorted() == Array(1...20))
    let records = try await first.perform { try $0.column("SELECT number FROM sluice_migration") }
    #expect(records == (1...20).map { .integer($0) })
  }

  @Test func `a read-only connection runs no such migration on an up-to-date database`() throws {
    let migrator = try Migrator([Migration(1, inTransaction: false, sql: "VACUUM")])
    let reader = try Connection(url: folder.url.appending(path: "a.db"), readOnly: true)
    #expect(failure { try migrator.migrate(reader) }?.code == .readOnly)
    try migrator.migrate(db)
    #expect(try migrator.migrate(reader).version == 1)
  }
}
