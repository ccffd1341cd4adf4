import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `adopting records of other libraries` {
  private let folder: TestFolder
  private let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection(url: folder.url.appending(path: "a.db"))
  }

  private static let work = [
    ("people", "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)"),
    ("ages", "ALTER TABLE person ADD COLUMN age INTEGER"),
    ("adults", "CREATE VIEW adult AS SELECT * FROM person WHERE age >= 18"),
    ("pets", "CREATE TABLE pet(name TEXT, owner REFERENCES person)"),
  ]
  private static let named = work.map { name, sql in Migration(name, sql: sql) }
  private static let numbered = zip(1..., work).map { Migration($0, $1.0, sql: $1.1) }

  /// Writes the record that another library would have of these migrations.
  private func record(_ kind: Migrator.AdoptedRecord, _ names: [String]) throws {
    switch kind {
    case .grdb:
      try db.execute(
        sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
      for name in names { try db.execute("INSERT INTO grdb_migrations VALUES (\(name))") }
    case .fluent:
      try db.execute(
        sql: """
          CREATE TABLE "_fluent_migrations"(
            "id" UUID PRIMARY KEY, "name" TEXT NOT NULL, "batch" INTEGER NOT NULL,
            "created_at" REAL, "updated_at" REAL, CONSTRAINT "uq:name" UNIQUE ("name"))
          """)
      for name in names {
        try db.execute(
          "INSERT INTO _fluent_migrations VALUES (randomblob(16), \(name), 1, 1.5, 1.5)")
      }
    case .userVersion: try db.setUserVersion(Int32(names.count))
    }
  }

  /// Creates the database of a program that ran two of the migrations with another library.
  private func makeOld(_ kind: Migrator.AdoptedRecord) throws {
    for (_, sql) in Self.work.prefix(2) { try db.execute(sql: sql) }
    try db.execute(sql: "INSERT INTO person VALUES (7, 'Ada', 36)")
    try record(kind, ["people", "ages"])
  }

  /// Returns the rows of the other library's record.
  private func peer(_ kind: Migrator.AdoptedRecord) throws -> [[DatabaseValue]] {
    switch kind {
    case .grdb: try db.query(.values, sql: "SELECT * FROM grdb_migrations").map(\.values)
    case .fluent: try db.query(.values, sql: "SELECT * FROM _fluent_migrations").map(\.values)
    case .userVersion: []
    }
  }

  @Test(
    arguments: [Migrator.AdoptedRecord.grdb, .fluent, .userVersion],
    [(named, false), (numbered, false), (named, true), (numbered, true)])
  func `a database with two of four adopted migrations continues with the third`(
    _ kind: Migrator.AdoptedRecord, _ migrations: ([Migration], atomically: Bool)
  ) throws {
    try makeOld(kind)
    let before = try peer(kind)
    let migrator = try Migrator(migrations.0, adopting: kind)
    let steps = migrator.steps
    #expect(try migrator.pending(on: db) == Array(steps[2...]))
    #expect(try migrator.applied(on: db).isEmpty)
    #expect(try migrator.drift(on: db).isEmpty)
    let dryRun = try migrator.dryRun(on: db)
    #expect(dryRun.adopted == Array(steps[..<2]))
    #expect(dryRun.steps == Array(steps[2...]))
    #expect(dryRun.schema.map(\.name) == ["person", "pet", "adult"])

    let report = try migrator.migrate(db, atomically: migrations.atomically)
    #expect(report.adopted == Array(steps[..<2]))
    #expect(report.applied == Array(steps[2...]))
    #expect(report.version == 4)
    // The record has the current checksums of the steps.
    #expect(try migrator.applied(on: db).map(\.step) == steps)
    #expect(try db.column("SELECT name FROM adult") == ["Ada"])
    #expect(try db.userVersion == 4)
    #expect(try peer(kind) == before)
    #expect(try migrator.drift(on: db).isEmpty)
  }

  @Test(arguments: [Migrator.AdoptedRecord.grdb, .fluent, .userVersion])
  func `another library's record is adopted only once`(_ kind: Migrator.AdoptedRecord) throws {
    try makeOld(kind)
    let migrator = try Migrator(Self.named, adopting: kind)
    #expect(try migrator.migrate(db, upTo: 2).adopted.count == 2)
    let file = try Data(contentsOf: folder.url.appending(path: "a.db"))
    let again = try migrator.migrate(db, upTo: 2)
    #expect(again.adopted.isEmpty && again.applied.isEmpty && again.version == 2)
    #expect(try migrator.dryRun(on: db, upTo: 2).adopted.isEmpty)
    #expect(try Data(contentsOf: folder.url.appending(path: "a.db")) == file)
  }

  @Test(arguments: [Migrator.AdoptedRecord.grdb, .fluent])
  func `Sluice's own record takes precedence over another library's record`(
    _ kind: Migrator.AdoptedRecord
  ) throws {
    try makeOld(kind)
    try Migrator(Self.named, adopting: kind).migrate(db, upTo: 3)
    try db.execute(
      sql: kind == .grdb
        ? "INSERT INTO grdb_migrations VALUES ('foreign')" : "DELETE FROM _fluent_migrations")
    let report = try Migrator(Self.named, adopting: kind).migrate(db)
    #expect(report.adopted.isEmpty)
    #expect(report.applied.map(\.name) == ["pets"])
  }

  @Test func `another library's record is adopted only if the next migration succeeds`() throws {
    try makeOld(.grdb)
    let failing = Self.named.prefix(2) + [Migration("bad", sql: "SELECT missing")]
    let migrator = try Migrator(Array(failing), adopting: .grdb)
    #expect(failure { try migrator.migrate(db) }?.code == .error)
    #expect(try db.schema == ["grdb_migrations", "person"])
    #expect(try db.userVersion == 0)
  }

  @Test(arguments: [Migrator.AdoptedRecord.grdb, .fluent])
  func `adopting another library's record throws for an unknown name or a gap`(
    _ kind: Migrator.AdoptedRecord
  ) throws {
    let migrator = try Migrator(Self.named, adopting: kind)
    let names = [
      ["people", "toys"], ["people", "ages", "adults", "pets", "toys"], ["People"], [""],
      ["pe\u{301}ople"],
    ]
    for record in names {
      try self.record(kind, record)
      let step = try #require(
        refusal { try migrator.migrate(db) }.flatMap { error in
          if case .unknown(let step) = error { step } else { nil }
        })
      #expect(step.name == record.last)
      #expect(step.number == record.count)
      #expect(refusal { try migrator.drift(on: db) } == .unknown(step))
      try db.execute(sql: "DROP TABLE \(kind == .grdb ? "grdb_migrations" : "_fluent_migrations")")
    }
    try record(kind, ["people", "adults"])
    #expect(refusal { try migrator.migrate(db) } == .missing(migrator.steps[1]))
    #expect(refusal { try migrator.dryRun(on: db) } == .missing(migrator.steps[1]))
    #expect(try db.schema == [kind == .grdb ? "grdb_migrations" : "_fluent_migrations"])
  }

  @Test func `another library's record can list the migrations in any order`() throws {
    try record(.grdb, ["ages", "people"])
    #expect(try Migrator(Self.named, adopting: .grdb).migrate(db, upTo: 2).adopted.count == 2)
  }

  @Test(arguments: [Migrator.AdoptedRecord.grdb, .fluent, .userVersion])
  func `a database without another library's record is treated as new`(
    _ kind: Migrator.AdoptedRecord
  ) throws {
    if kind != .userVersion { try record(kind, []) }
    let report = try Migrator(Self.named, adopting: kind).migrate(db)
    #expect(report.adopted.isEmpty)
    #expect(report.applied.count == 4)
  }

  @Test func `adopting a record with names throws if there is a user_version that is not ignored`()
    throws
  {
    try makeOld(.grdb)
    try db.setUserVersion(9)
    #expect(
      refusal { try Migrator(Self.named, adopting: .grdb).migrate(db) }
        == .unrecorded(userVersion: 9))
    try Migrator(Self.named, adopting: .grdb, userVersion: .ignored).migrate(db)
    #expect(try db.userVersion == 9)
  }

  @Test func `a user_version can be adopted and then left unchanged`() throws {
    try makeOld(.userVersion)
    let migrator = try Migrator(Self.named, adopting: .userVersion, userVersion: .ignored)
    #expect(try migrator.migrate(db).adopted.count == 2)
    #expect(try db.userVersion == 2)
  }

  @Test func `adopting a record with names requires distinct migration names`() throws {
    let twins = [Migration(1, "a", sql: "SELECT 1"), Migration(2, "a", sql: "SELECT 1")]
    let unnamed = [Migration(1, sql: "SELECT 1"), Migration(2, sql: "SELECT 1")]
    for kind in [Migrator.AdoptedRecord.grdb, .fluent] {
      #expect(
        failure { try Migrator(twins, adopting: kind) }?.message
          == "Two migrations have the name \"a\"")
      #expect(failure { try Migrator(unnamed, adopting: kind) } == nil)
    }
    #expect(failure { try Migrator(twins, adopting: .userVersion) } == nil)
  }

  @Test func `adopting a table that is not a valid record throws`() throws {
    try db.execute(sql: "CREATE TABLE grdb_migrations(a)")
    #expect(failure { try Migrator(Self.named, adopting: .grdb).migrate(db) }?.code == .error)
    #expect(try db.schema == ["grdb_migrations"])
  }

  @Test func `an adopted record can name migrations that come from files`() throws {
    for (number, (name, sql)) in zip(1..., Self.work) {
      try Data(sql.utf8).write(to: folder.url.appending(path: "000\(number)_\(name).sql"))
    }
    try makeOld(.grdb)
    let migrator = try Migrator(folder: folder.url, adopting: .grdb)
    #expect(try migrator.migrate(db).adopted.map(\.name) == ["people", "ages"])
  }

  @Test func `migrating up to a name stops after that migration`() throws {
    let migrator = try Migrator(Self.numbered)
    #expect(try migrator.dryRun(on: db, upTo: "ages").steps.map(\.number) == [1, 2])
    #expect(try migrator.migrate(db, upTo: "ages").version == 2)
    #expect(try migrator.migrate(db, upTo: "pets", atomically: true).version == 4)
    #expect(failure { try migrator.migrate(db, upTo: "ages") }?.code == .range)
    #expect(
      failure { try migrator.migrate(db, upTo: "toys") }?.message
        == "There is no migration \"toys\"")
    let twins = try Migrator([
      Migration(1, "a", sql: "SELECT 1"), Migration(2, "a", sql: "SELECT 1"),
    ])
    #expect(
      failure { try twins.dryRun(on: db, upTo: "a") }?.message
        == "2 migrations have the name \"a\": use a number")
  }
}
