import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `transaction control in migrations` {
  private let db: Connection

  init() throws { db = try Connection() }

  @Test(arguments: ["COMMIT", "ROLLBACK", "COMMIT; BEGIN", "ROLLBACK; BEGIN", "END"])
  func `a migration that ends its transaction is not recorded`(_ sql: String) throws {
    let migrator = try Migrator([
      People.create, Migration(2) { connection in try connection.execute(sql: sql) },
    ])
    #expect(failure { try migrator.migrate(db) }?.code == .misuse)
    try expectFirst(migrator, db)
  }

  @Test func `a migration that commits keeps its earlier changes and cannot run another statement`()
    throws
  {
    let migrator = try Migrator([
      People.create,
      Migration(2, "pets") { connection in
        try connection.execute(sql: "CREATE TABLE pet(a); INSERT INTO person VALUES (1, 'x')")
        // Ending the transaction is not an error in itself, but every later statement is.
        try connection.execute(sql: "COMMIT")
        #expect(failure { try connection.execute(sql: "BEGIN") }?.code == .misuse)
        #expect(
          failure { try connection.execute(sql: "INSERT INTO pet VALUES (1)") }?.code == .misuse)
        #expect(failure { try connection.savepoint { _, _ in } }?.code == .misuse)
      },
      Migration(3, sql: "CREATE TABLE never(a)"),
    ])
    for isFirst in [true, false] {
      let error = failure { try migrator.migrate(db) }
      #expect(error?.code == (isFirst ? .misuse : .error))
      #expect(
        error?.message
          == (isFirst
            ? "Migration 2 \"pets\": The transaction was ended inside its body by COMMIT or ROLLBACK"
            : "Migration 2 \"pets\": table pet already exists"))
      #expect(try db.schema == ["person", "pet", "sluice_migration"])
      #expect(try db.column("SELECT name FROM person") == ["x"])
      #expect(try db.column("SELECT count(*) FROM pet") == [0])
      #expect(try migrator.applied(on: db).map(\.step.number) == [1])
      #expect(try migrator.pending(on: db).map(\.number) == [2, 3])
      #expect(try db.userVersion == 1)
      #expect(db.isInAutocommit)
      #expect(try db.option(.foreignKeys))
    }
    // The drift shows the committed changes, so that a developer can repair them by hand.
    #expect(try migrator.drift(on: db).map(\.object.name) == ["pet"])
    try db.execute(sql: "DROP TABLE pet; DELETE FROM person")
    #expect(try migrator.drift(on: db).isEmpty)
    try expectFirst(migrator, db)
  }

  @Test func `a migration that commits in an atomic run also commits the migrations before it`()
    throws
  {
    let migrator = try Migrator([
      People.create,
      Migration(2) { connection in
        try connection.execute(sql: "CREATE TABLE pet(a); COMMIT")
      },
    ])
    #expect(failure { try migrator.migrate(db, atomically: true) }?.code == .misuse)
    #expect(try migrator.applied(on: db).map(\.step.number) == [1])
    #expect(try db.schema == ["person", "pet", "sluice_migration"])
  }

  @Test func `a migration that ignores errors after a rollback is not recorded`() throws {
    let migrator = try Migrator([
      People.create,
      Migration(2) { connection in
        try? connection.execute(sql: "ROLLBACK; BEGIN")
        try? connection.execute(sql: "INSERT INTO person VALUES (1, 'x')")
      },
    ])
    #expect(failure { try migrator.migrate(db) }?.code == .misuse)
    try expectFirst(migrator, db)
  }

  @Test func `a migration cannot control its transaction, run a migrator, vacuum or close`() throws
  {
    let attempts: [@Sendable (Connection) throws -> Void] = [
      { try $0.begin() }, { try $0.commit() }, { try $0.rollback() },
      { try Migrator(People.all).migrate($0) }, { _ = try Migrator(People.all).dryRun(on: $0) },
      { try $0.execute(sql: "VACUUM") },
    ]
    for attempt in attempts {
      let db = try Connection()
      let migrator = try Migrator([People.create, Migration(2, run: attempt)])
      #expect(failure { try migrator.migrate(db) } != nil)
      try expectFirst(migrator, db)
    }
    let closing = try Migrator([People.create, Migration(2) { try $0.close() }])
    #expect(failure { try closing.migrate(db) }?.code == .misuse)
  }

  @Test func `a nested transaction in a migration rolls back on its own`() throws {
    let migrator = try Migrator([
      People.create,
      Migration(2) { connection in
        try connection.transaction { connection, command in
          try connection.execute(sql: "INSERT INTO person VALUES (1, 'x')")
          command = .rollback
        }
        try connection.execute(sql: "INSERT INTO person VALUES (2, 'y')")
      },
    ])
    try migrator.migrate(db)
    #expect(try db.column("SELECT id FROM person") == [2])
  }
}
