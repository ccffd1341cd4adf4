import Foundation
public import SluiceCore

/// The record of applied migrations in a database.
struct MigrationHistory {
  /// How many migrations it has behind it.
  var count: Int
  /// Whether it has the table with the record.
  let isRecorded: Bool
}

extension Migrator {
  /// The migrations that the database has behind it, as its record tells, whatever this migrator knows.
  ///
  /// It is empty where there is no record; one of another library that is to be adopted does not count.
  public func applied(on connection: Connection) throws -> [AppliedMigration] {
    try connection.savepoint { connection in try record(of: connection) ?? [] }
  }

  /// The migrations that `migrate` would apply, in order; the database is
  /// not changed.
  ///
  /// It throws a ``MigrationError`` for a database with another past.
  public func pending(on connection: Connection) throws -> [MigrationStep] {
    let done = try connection.savepoint { connection in try history(of: connection).count }
    return Array(steps.dropFirst(done))
  }

  /// Returns the applied migrations, if they are a beginning of those of this migrator.
  ///
  /// It takes several statements, which a transaction has to hold together.
  func history(of connection: Connection) throws -> MigrationHistory {
    if let record = try record(of: connection) {
      try check(record.map(\.step))
      return MigrationHistory(count: record.count, isRecorded: true)
    }
    return MigrationHistory(count: try adoptedCount(on: connection), isRecorded: false)
  }

  private func check(_ record: [MigrationStep]) throws {
    let steps = steps
    for (index, applied) in record.enumerated() {
      guard index < steps.count else { throw MigrationError.fromTheFuture(applied) }
      let listed = steps[index]
      guard applied.number == listed.number else { throw MigrationError.missing(listed) }
      if !isNumbered, !listed.isNamed(applied.name) {
        let isKnown = steps.contains { $0.isNamed(applied.name) }
        throw isKnown
          ? MigrationError.reordered(applied: applied, listed: listed)
          : MigrationError.unknown(applied)
      }
      if let old = applied.checksum, let new = listed.checksum, old != new {
        throw MigrationError.changed(applied: applied, listed: listed)
      }
    }
  }
}

extension Migrator {
  private var table: SQL { "main.\(identifier: recordTable)" }

  /// The rows of the record, or nil if there is none.
  private func record(of connection: Connection) throws -> [AppliedMigration]? {
    guard try connection.hasTable(recordTable) else { return nil }
    return try connection.query(
      .appliedMigration,
      """
      SELECT number, name, checksum, applied_at, sqlite_version FROM \(table) AS migration
      ORDER BY migration.number
      """)
  }

  /// Makes the record, if there is none, and returns the migrations that it takes over from another one.
  func makeRecord(
    on connection: Connection, _ history: MigrationHistory
  ) throws -> ArraySlice<MigrationStep> {
    guard !history.isRecorded else { return [] }
    try connection.execute(
      """
      CREATE TABLE \(table)(
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT, applied_at INTEGER NOT NULL,
        sqlite_version TEXT NOT NULL)
      """)
    let adopted = steps.prefix(history.count)
    for step in adopted { try note(step, on: connection) }
    return adopted
  }

  /// Records a migration.
  func note(_ step: MigrationStep, on connection: Connection) throws {
    try connection.execute(
      """
      INSERT INTO \(table) VALUES (
        \(step.number), \(step.name), \(step.checksum), CAST(strftime('%s', 'now') AS INTEGER),
        sqlite_version())
      """)
    if userVersion != .ignored { try connection.setUserVersion(Int32(step.number)) }
  }
}

extension RowConverter where Value == AppliedMigration {
  fileprivate static var appliedMigration: Self {
    Self { row in
      try AppliedMigration(
        step: MigrationStep(
          number: row.get(.int, at: 0), name: row.get(.string, at: 1),
          checksum: row.optional(.string, at: 2)),
        date: row.get(.timeIntervalSince1970, at: 3), sqliteVersion: row.get(.string, at: 4))
    }
  }
}
