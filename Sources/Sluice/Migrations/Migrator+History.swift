import Foundation
public import SluiceCore

/// What a database tells of its past.
struct MigrationHistory {
  /// How many migrations it has behind it.
  var count: Int
  /// Whether it has the table with the record.
  let isRecorded: Bool
}

extension Migrator {
  /// The migrations that the database has behind it, as its record tells, whatever this migrator knows.
  ///
  /// It is empty where there is no record; a `user_version` that is to be adopted makes none.
  public func applied(on connection: Connection) throws -> [AppliedMigration] {
    try connection.savepoint { connection, _ in try record(of: connection) ?? [] }.value
  }

  /// The migrations that ``migrate(_:upTo:atomically:progress:)`` would apply, in order; the database is
  /// not changed.
  ///
  /// It throws a ``MigrationError`` for a database with another past.
  public func pending(on connection: Connection) throws -> [MigrationStep] {
    let done = try connection.savepoint { connection, _ in try history(of: connection).count }.value
    return Array(steps.dropFirst(done))
  }

  /// What the database has behind it, if that is a part of what this migrator does.
  ///
  /// It takes several statements, which a transaction has to hold together.
  func history(of connection: Connection) throws -> MigrationHistory {
    if let record = try record(of: connection) {
      try check(record.map(\.step))
      return MigrationHistory(count: record.count, isRecorded: true)
    }
    let version = userVersion == .ignored ? 0 : try connection.userVersion
    guard version != 0 else { return MigrationHistory(count: 0, isRecorded: false) }
    guard userVersion == .adopted, version > 0 else {
      throw MigrationError.unrecorded(userVersion: version)
    }
    guard version <= migrations.count else {
      throw MigrationError.fromTheFuture(
        MigrationStep(number: migrations.count + 1, name: "", checksum: nil))
    }
    return MigrationHistory(count: Int(version), isRecorded: false)
  }

  private func check(_ record: [MigrationStep]) throws {
    let steps = steps
    for (index, applied) in record.enumerated() {
      guard index < steps.count else { throw MigrationError.fromTheFuture(applied) }
      let listed = steps[index]
      guard applied.number == listed.number else { throw MigrationError.missing(listed) }
      if !isNumbered, !applied.name.utf8.elementsEqual(listed.name.utf8) {
        let isKnown = steps.contains { $0.name.utf8.elementsEqual(applied.name.utf8) }
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
    let count = try connection.first(
      .column(.int),
      "SELECT count(*) FROM main.sqlite_schema WHERE name = \(recordTable) COLLATE NOCASE")
    guard count != 0 else { return nil }
    return try connection.query(
      .appliedMigration,
      """
      SELECT number, name, checksum, applied_at, sqlite_version FROM \(table) AS migration
      ORDER BY migration.number
      """)
  }

  /// Makes the record, with the migrations that an adopted `user_version` stands for.
  func makeRecord(on connection: Connection, _ history: MigrationHistory) throws {
    guard !history.isRecorded else { return }
    try connection.execute(
      """
      CREATE TABLE \(table)(
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT, applied_at INTEGER NOT NULL,
        sqlite_version TEXT NOT NULL)
      """)
    for step in steps.prefix(history.count) { try note(step, on: connection) }
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
