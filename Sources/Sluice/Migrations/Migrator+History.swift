import Foundation
public import SluiceCore

/// The migration history of a database, according to its records.
struct MigrationHistory {
  /// The number of migrations that the database already has.
  var count: Int
  /// Whether the database has this migrator's record table.
  let isRecorded: Bool
}

extension Migrator {
  /// Returns the migrations in the database's record, even those that this migrator lacks.
  ///
  /// The result is empty if there is no record. Another library's record that would be adopted does not count.
  public func applied(on connection: Connection) throws -> [AppliedMigration] {
    try connection.savepoint { connection in try record(of: connection) ?? [] }
  }

  /// Returns the migrations that `migrate` would apply, in order, without changing the database.
  ///
  /// Throws a ``MigrationError`` for a database with a different history.
  public func pending(on connection: Connection) throws -> [MigrationStep] {
    let done = try connection.savepoint { connection in try history(of: connection).count }
    return Array(steps.dropFirst(done))
  }

  /// Returns the history; throws unless the applied migrations are the first ones of this migrator.
  ///
  /// This method executes several statements, so it must run in a transaction.
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

  /// Returns the rows of the record; nil if there is no record.
  private func record(of connection: Connection) throws -> [AppliedMigration]? {
    guard try connection.hasTable(recordTable) else { return nil }
    return try connection.query(
      .appliedMigration,
      """
      SELECT number, name, checksum, applied_at, sqlite_version FROM \(table) AS migration
      ORDER BY migration.number
      """)
  }

  /// Creates the record if it does not exist, and returns the migrations that it adopts from another record.
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

  /// Adds a migration to the record.
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
