import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `whether a database needs migrations` {
  @Test func `an empty file needs migrations, and an up-to-date one does not`() throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    try Data().write(to: file)
    let migrator = try Migrator(People.all)
    let reader = try Connection(url: file, readOnly: true)
    #expect(try migrator.shouldMigrate(reader))
    #expect(try migrator.version(on: reader) == 0)
    #expect(try Data(contentsOf: file).isEmpty)
    #expect(try !Migrator([]).shouldMigrate(reader))
    let writer = try Connection(url: file)
    try migrator.migrate(writer, upTo: 2)
    #expect(try migrator.shouldMigrate(reader))
    try migrator.migrate(writer)
    #expect(try !migrator.shouldMigrate(reader))
    #expect(try migrator.version(on: reader) == 3)
  }

  @Test func `an adopted record that was not yet copied needs a migration`() throws {
    let db = try Connection()
    try db.setUserVersion(3)
    let migrator = try Migrator(People.all, adopting: .userVersion)
    #expect(try migrator.pending(on: db).isEmpty)
    #expect(try migrator.shouldMigrate(db))
    try migrator.migrate(db)
    #expect(try !migrator.shouldMigrate(db))
  }

  @Test func `a database from the future throws`() throws {
    let db = try Connection()
    let newer = try Migrator(People.all)
    try newer.migrate(db)
    let older = try Migrator([People.create])
    #expect(refusal { try older.shouldMigrate(db) } == .fromTheFuture(newer.steps[1]))
    #expect(refusal { try older.version(on: db) } == .fromTheFuture(newer.steps[1]))
  }

  @Test func `shouldMigrate works in a transaction and writes nothing`() throws {
    let db = try Connection()
    let migrator = try Migrator(People.all)
    let needsMigration = try db.transaction { connection in try migrator.shouldMigrate(connection) }
    #expect(needsMigration)
    #expect(try db.schema.isEmpty)
  }
}
