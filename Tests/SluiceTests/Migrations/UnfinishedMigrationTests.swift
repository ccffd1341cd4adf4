import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `unfinished migrations outside a transaction` {
  private let folder: TestFolder
  private let file: URL
  private let db: Connection

  init() throws {
    folder = try TestFolder()
    file = folder.url.appending(path: "a.db")
    db = try Connection(url: file)
  }

  /// The record as `number name`; a negative number marks a migration that did not finish.
  private func record() throws -> [DatabaseValue] {
    try db.column("SELECT number || ' ' || name FROM sluice_migration ORDER BY number")
  }

  /// A list whose second migration throws halfway if `isFailing` is true; `isUndoFailing` does the same for its revert.
  private func list(
    isFailing: Bool = false, isUndoFailing: Bool = false, merged: Bool = false
  ) throws -> Migrator {
    let work = { @Sendable (connection: Connection) in
      try connection.execute("CREATE TABLE IF NOT EXISTS half(a)")
      if isFailing { throw ForeignError() }
      try connection.execute("CREATE TABLE IF NOT EXISTS other(a)")
    }
    let undo = { @Sendable (connection: Connection) in
      try connection.execute("DROP TABLE IF EXISTS half")
      if isUndoFailing { throw ForeignError() }
      try connection.execute("DROP TABLE IF EXISTS other")
    }
    return try Migrator([
      People.create,
      merged
        ? Migration(2...3, "split", inTransaction: false, run: work, revert: undo)
        : Migration(2, "split", inTransaction: false, run: work, revert: undo),
    ])
  }

  @Test(arguments: [false, true])
  func `a migration that throws halfway is repeated by the next migrate, which reports it`(
    _ merged: Bool
  ) throws {
    let failing = try list(isFailing: true, merged: merged)
    #expect(throws: ForeignError()) { try failing.migrate(db) }
    #expect(try record() == [merged ? "-3 split" : "-2 split", "1 create person"])
    #expect(try failing.version(on: db) == 1)
    #expect(try failing.applied(on: db).map(\.step.number) == [1])
    #expect(try db.userVersion == 1)
    #expect(throws: ForeignError()) { try failing.migrate(db) }

    let fixed = try list(merged: merged)
    #expect(try fixed.shouldMigrate(Connection(url: file, readOnly: true)))
    #expect(try fixed.pending(on: db) == [fixed.steps[1]])
    let report = try fixed.migrate(db)
    #expect(report.applied == [fixed.steps[1]])
    #expect(report.repeated == [fixed.steps[1]])
    #expect(try record() == ["1 create person", merged ? "3 split" : "2 split"])
    #expect(try db.userVersion == (merged ? 3 : 2))
    #expect(try fixed.migrate(db).repeated.isEmpty)
    #expect(try !fixed.shouldMigrate(db))
  }

  @Test func `a migration that runs without interruption is not reported as repeated`() throws {
    let report = try list().migrate(db)
    #expect(report.applied.count == 2)
    #expect(report.repeated.isEmpty)
  }

  @Test func `the beginning of a migration is committed before it runs`() throws {
    let file = file
    let migrator = try Migrator([
      Migration(1, "see", inTransaction: false) { _ in
        let reader = try Connection(url: file)
        #expect(try reader.column("SELECT number FROM sluice_migration") == [-1])
      }
    ])
    try migrator.migrate(db)
    #expect(try record() == ["1 see"])
  }

  @Test func `a repetition that throws says that the earlier run did not finish`() throws {
    let migrator = try Migrator([
      Migration(1, "bad", inTransaction: false, sql: "CREATE TABLE a(b); VACUUM missing")
    ])
    #expect(
      failure { try migrator.migrate(db) }?.message.hasPrefix("Migration 1 \"bad\": ") == true)
    #expect(
      failure { try migrator.migrate(db) }?.message
        == "Migration 1 \"bad\", whose earlier run did not finish: line 1: table a already exists")
  }

  @Test func `a program without the unfinished migration refuses the database`() throws {
    let failing = try list(isFailing: true)
    #expect(throws: ForeignError()) { try failing.migrate(db) }
    let older = try Migrator([People.create])
    #expect(refusal { try older.migrate(db) } == .fromTheFuture(failing.steps[1]))
    #expect(refusal { try older.shouldMigrate(db) } == .fromTheFuture(failing.steps[1]))
    #expect(refusal { try older.revert(db, to: 0) } == .fromTheFuture(failing.steps[1]))
    let merged = try list(merged: true)
    #expect(
      refusal { try merged.migrate(db) }
        == .partlyMerged(merged.steps[1], applied: [], missing: failing.steps.suffix(1)))
    let early = try Migrator([Migration(1...2, "all", sql: "SELECT 1")])
    guard case .partlyMerged = refusal({ try early.migrate(db) }) else {
      Issue.record("The database was not refused")
      return
    }
  }

  @Test func `an unfinished migration with another name is refused`() throws {
    let failing = try Migrator([Migration("a", inTransaction: false) { _ in throw ForeignError() }])
    #expect(throws: ForeignError()) { try failing.migrate(db) }
    let other = try Migrator([Migration("b", sql: "SELECT 1"), Migration("c", sql: "SELECT 1")])
    #expect(refusal { try other.migrate(db) } == .unknown(failing.steps[0]))
    let later = try Migrator([Migration("b", sql: "SELECT 1"), Migration("a", sql: "SELECT 1")])
    #expect(
      refusal { try later.migrate(db) }
        == .reordered(applied: failing.steps[0], listed: later.steps[0]))
  }

  @Test(arguments: [Int.min, -4, 0])
  func `a record with an impossible unfinished migration is refused`(_ number: Int) throws {
    let migrator = try list()
    try migrator.migrate(db, upTo: 1)
    try db.execute("INSERT INTO sluice_migration VALUES (\(number), 'x', NULL, 0, '')")
    #expect(refusal { try migrator.migrate(db) } != nil)
    #expect(refusal { try migrator.revert(db, to: 0) } != nil)
  }

  @Test func `revert undoes a migration that did not finish`() throws {
    let failing = try list(isFailing: true)
    #expect(throws: ForeignError()) { try failing.migrate(db) }
    #expect(try failing.revert(db, to: 1) == [failing.steps[1]])
    #expect(try db.schema == ["person", "sluice_migration"])
    #expect(try record() == ["1 create person"])
    #expect(try list().migrate(db).repeated.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a revert step that throws halfway leaves an unfinished migration`(_ isRepeated: Bool) throws
  {
    let failing = try list(isUndoFailing: true)
    try failing.migrate(db)
    #expect(throws: ForeignError()) { try failing.revert(db, to: 1) }
    #expect(try record() == ["-2 split", "1 create person"])
    #expect(try db.schema == ["other", "person", "sluice_migration"])
    #expect(try db.userVersion == 1)
    let fixed = try list()
    if isRepeated {
      #expect(try fixed.revert(db, to: 1) == [fixed.steps[1]])
      #expect(try db.schema == ["person", "sluice_migration"])
      #expect(try record() == ["1 create person"])
    } else {
      #expect(try fixed.migrate(db).repeated == [fixed.steps[1]])
      #expect(try db.schema == ["half", "other", "person", "sluice_migration"])
    }
  }
}
