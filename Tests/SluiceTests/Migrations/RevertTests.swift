import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `reverting migrations` {
  private let db: Connection

  init() throws { db = try Connection() }

  private static let create = Migration(
    1, "create", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)",
    revert: "DROP TABLE person")
  private static let insert = Migration(2, "insert") { connection in
    try connection.execute("INSERT INTO person(name) VALUES ('Ada')")
  } revert: { connection in
    try connection.execute("DELETE FROM person")
  }
  private static let index = Migration(
    3, "index", sql: "CREATE INDEX person_name ON person(name)", revert: "DROP INDEX person_name")
  private static let all = [create, insert, index]

  @Test func `migrations are reverted newest first, together with their records`() throws {
    let migrator = try Migrator(Self.all)
    try migrator.migrate(db)
    #expect(try migrator.revert(db, to: 1).map(\.number) == [3, 2])
    #expect(try migrator.applied(on: db).map(\.step.number) == [1])
    #expect(try db.schema == ["person", "sluice_migration"])
    #expect(try db.column("SELECT count(*) FROM person") == [0])
    #expect(try db.userVersion == 1)
    #expect(try migrator.drift(on: db).isEmpty)
    #expect(try migrator.pending(on: db).map(\.number) == [2, 3])
    #expect(try migrator.revert(db, to: 1).isEmpty)
    #expect(try migrator.revert(db, to: 0).map(\.number) == [1])
    #expect(try db.schema == ["sluice_migration"])
    #expect(try db.userVersion == 0)
    #expect(try migrator.migrate(db).applied.map(\.number) == [1, 2, 3])
  }

  @Test func `migrations are reverted to a name`() throws {
    let migrator = try Migrator(Self.all)
    try migrator.migrate(db)
    #expect(try migrator.revert(db, to: "insert").map(\.name) == ["index"])
    #expect(failure { try migrator.revert(db, to: "missing") }?.code == .range)
  }

  @Test func `a migration without a revert step throws before anything changes`() throws {
    let migrator = try Migrator([
      Self.create, Migration(2, "trim", sql: "UPDATE person SET name = trim(name)"), Self.index,
    ])
    try migrator.migrate(db)
    let error = failure { try migrator.revert(db, to: 0) }
    #expect(error?.code == .misuse)
    #expect(
      error?.message == "Migration 2 \"trim\" cannot be reverted, because it has no revert step")
    #expect(try migrator.version(on: db) == 3)
    #expect(try db.schema == ["person", "person_name", "sluice_migration"])
    #expect(try migrator.revert(db, to: 2).map(\.number) == [3])
  }

  @Test func `a revert step that throws is rolled back, and the later migrations remain reverted`()
    throws
  {
    let failing = Migration(2, "insert") { _ in
    } revert: { connection in
      try connection.execute("DROP TABLE person")
      throw ForeignError()
    }
    let migrator = try Migrator([Self.create, failing, Self.index])
    try migrator.migrate(db)
    #expect(throws: ForeignError()) { try migrator.revert(db, to: 0) }
    #expect(try migrator.applied(on: db).map(\.step.number) == [1, 2])
    #expect(try db.schema == ["person", "sluice_migration"])
    #expect(try db.userVersion == 2)
    #expect(db.isInAutocommit)
  }

  @Test(arguments: ["COMMIT", "ROLLBACK", "ROLLBACK; BEGIN"])
  func `a revert step that ends its transaction throws and keeps its record`(_ sql: String) throws {
    let migrator = try Migrator([
      Migration(1) {
        try $0.execute(sql: "CREATE TABLE a(b)")
      } revert: {
        try $0.execute(sql: sql)
      }
    ])
    try migrator.migrate(db)
    #expect(failure { try migrator.revert(db, to: 0) }?.code == .misuse)
    #expect(try migrator.version(on: db) == 1)
    #expect(try db.userVersion == 1)
  }

  @Test(arguments: ["", ";", "COMMIT", "a\0"])
  func `a revert step whose SQL is invalid throws when the migrator is created`(_ sql: String) {
    let error = failure { try Migrator([Migration(1, sql: "SELECT 1", revert: sql)]) }
    #expect(error?.code == .misuse)
    #expect(error?.message.hasPrefix("Migration 1: The revert SQL ") == true)
  }

  @Test func `a revert step whose SQL fails is rolled back, and its message names the step`() throws
  {
    let migrator = try Migrator([
      Migration(1, "a", sql: "CREATE TABLE a(b)", revert: "DROP TABLE a;\nDROP TABLE missing")
    ])
    try migrator.migrate(db)
    #expect(
      failure { try migrator.revert(db, to: 0) }?.message
        == "Reverting migration 1 \"a\": line 2: no such table: missing")
    #expect(try migrator.version(on: db) == 1)
    #expect(try db.schema == ["a", "sluice_migration"])
  }

  @Test func `a database with unknown migrations is not reverted`() throws {
    let other = try Migrator([Migration("x", sql: "SELECT 1", revert: "SELECT 1")])
    try other.migrate(db)
    let migrator = try Migrator([Migration("y", sql: "SELECT 1", revert: "SELECT 1")])
    #expect(refusal { try migrator.revert(db, to: 0) } == .unknown(other.steps[0]))
    #expect(try other.version(on: db) == 1)
  }

  @Test func `a revert step that violates a foreign key is rolled back`() throws {
    try db.setOption(.foreignKeys, true)
    let migrator = try Migrator([
      Migration(1, sql: "CREATE TABLE a(id INTEGER PRIMARY KEY)"),
      Migration(
        2,
        sql: "INSERT INTO a VALUES (1); CREATE TABLE b(a REFERENCES a); INSERT INTO b VALUES (1)",
        revert: "DELETE FROM a"),
    ])
    try migrator.migrate(db)
    #expect(failure { try migrator.revert(db, to: 1) }?.code == .constraintForeignKey)
    #expect(try db.column("SELECT count(*) FROM a") == [1])
    #expect(try migrator.version(on: db) == 2)
    #expect(try db.option(.foreignKeys))
  }

  @Test func `reverting forward, to an impossible number or in a transaction throws`() throws {
    let migrator = try Migrator(Self.all)
    try migrator.migrate(db, upTo: 1)
    for number in [2, 3, 4, -1, .max, .min] {
      #expect(failure { try migrator.revert(db, to: number) }?.code == .range)
    }
    try db.transaction { connection in
      #expect(failure { try migrator.revert(connection, to: 0) }?.code == .misuse)
    }
    #expect(try migrator.version(on: db) == 1)
  }

  @Test func `a database from the future is not reverted`() throws {
    let newer = try Migrator(Self.all)
    try newer.migrate(db)
    let older = try Migrator([Self.create])
    #expect(refusal { try older.revert(db, to: 0) } == .fromTheFuture(newer.steps[1]))
    #expect(try newer.version(on: db) == 3)
  }

  @Test func `a read-only connection cannot revert`() throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    let migrator = try Migrator(Self.all)
    try migrator.migrate(Connection(url: file))
    let reader = try Connection(url: file, readOnly: true)
    #expect(failure { try migrator.revert(reader, to: 0) }?.code == .readOnly)
    #expect(try migrator.version(on: reader) == 3)
  }

  @Test func `an adopted migration is recorded when it or a later one is reverted`() throws {
    try db.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)")
    try db.setUserVersion(2)
    let migrator = try Migrator(Self.all, adopting: .userVersion)
    #expect(try migrator.revert(db, to: 1).map(\.number) == [2])
    #expect(try migrator.applied(on: db).map(\.step.number) == [1])
    #expect(try db.userVersion == 1)
  }

  @Test func `a merged migration is reverted as a whole`() throws {
    let migrator = try Migrator([
      Self.create,
      Migration(
        2...3, "rest", sql: "CREATE INDEX person_name ON person(name)",
        revert: "DROP INDEX person_name"),
    ])
    try Migrator(Self.all).migrate(db)
    #expect(failure { try migrator.revert(db, to: 2) }?.code == .range)
    #expect(try migrator.revert(db, to: 1).map(\.name) == ["rest"])
    #expect(try migrator.applied(on: db).map(\.step.number) == [1])
    #expect(try db.userVersion == 1)
    #expect(try migrator.migrate(db).applied.map(\.name) == ["rest"])
  }

  @Test func `two queues that revert at the same time run each step once`() async throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    let migrations = (1...20).map { number in
      Migration(number, sql: "CREATE TABLE t\(number)(a)", revert: "DROP TABLE t\(number)")
    }
    let migrator = try Migrator(migrations)
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(120)
    let first = try ConnectionQueue(url: file, configuration: configuration)
    let second = try ConnectionQueue(url: file, configuration: configuration)
    try await migrator.migrate(first)
    async let one = migrator.revert(first, to: 5)
    async let two = migrator.revert(second, to: 5)
    let numbers = try await (one + two).map(\.number)
    #expect(numbers.sorted() == Array(6...20))
    #expect(try await migrator.revert(first, to: 0).count == 5)
  }

  @Test func `migrations of a queue are reverted on the calling thread`() throws {
    let queue = try ConnectionQueue()
    let migrator = try Migrator(Self.all)
    try migrator.syncMigrate(queue)
    #expect(try migrator.syncRevert(queue, to: "insert").map(\.number) == [3])
    #expect(try migrator.syncRevert(queue, to: 0).map(\.number) == [2, 1])
  }
}
