import Foundation
public import SluiceCore

/// The migration history of a database, according to its records.
struct MigrationHistory {
  /// The number of migrations that the database already has.
  var count: Int
  /// Whether the database has this migrator's record table.
  let isRecorded: Bool
  /// The indexes of merged migrations that are not recorded, although the database has all that they replace.
  var merged: [Int] = []

  /// Whether the record lacks migrations that the database has.
  var isIncomplete: Bool { count > 0 && !isRecorded || !merged.isEmpty }
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
    let version = try version(on: connection)
    return steps.filter { $0.number > version }
  }

  /// Returns the number of migrations that the database has, without changing the database.
  ///
  /// A merged migration counts as the migrations that it replaces. Throws a ``MigrationError`` for a database with a
  /// different history.
  public func version(on connection: Connection) throws -> Int {
    try connection.savepoint { connection in try history(of: connection).count }
  }

  /// Returns whether `migrate` would write to the database, without changing the database.
  ///
  /// ```swift
  /// if try migrator.shouldMigrate(connection) { try connection.backup(to: "before.db") }
  /// ```
  ///
  /// `migrate` writes if a migration is pending, or if the record of another library or a merged migration has not
  /// yet been recorded. The connection can be read-only, and its file can be empty. Throws a ``MigrationError`` for a
  /// database with a different history.
  public func shouldMigrate(_ connection: Connection) throws -> Bool {
    let history = try connection.savepoint { connection in try self.history(of: connection) }
    return history.count < lastNumber || history.isIncomplete
  }

  /// Returns the history; throws unless the applied migrations are the first ones of this migrator.
  ///
  /// This method executes several statements, so it must run in a transaction.
  func history(of connection: Connection) throws -> MigrationHistory {
    if let record = try record(of: connection) {
      let merged = try check(record.map(\.step))
      return MigrationHistory(count: record.count, isRecorded: true, merged: merged)
    }
    return MigrationHistory(count: try adoptedCount(on: connection), isRecorded: false)
  }

  /// Throws unless the record matches the list, and returns the indexes of the merged migrations to be recorded.
  private func check(_ record: [MigrationStep]) throws -> [Int] {
    var rest = record[...]
    var merged: [Int] = []
    for (index, (step, range)) in zip(steps, ranges).enumerated() {
      guard let applied = rest.first else { break }
      if migrations[index].isMerged {
        let rows = rest.prefix { $0.number <= range.upperBound }
        rest = rest.dropFirst(rows.count)
        if try isToBeMerged(rows, index) { merged.append(index) }
      } else {
        rest = rest.dropFirst()
        guard applied.number == step.number else { throw MigrationError.missing(step) }
        if !isNumbered, !step.isNamed(applied.name) { throw mismatch(applied, step) }
        try checkContent(applied, step)
      }
    }
    if let applied = rest.first { throw MigrationError.fromTheFuture(applied) }
    return merged
  }

  private func mismatch(_ applied: MigrationStep, _ listed: MigrationStep) -> MigrationError {
    places(of: applied.name).isEmpty
      ? .unknown(applied) : .reordered(applied: applied, listed: listed)
  }

  private func checkContent(_ applied: MigrationStep, _ listed: MigrationStep) throws {
    if let old = applied.checksum, let new = listed.checksum, old != new {
      throw MigrationError.changed(applied: applied, listed: listed)
    }
  }
}

/// Merged migrations.
extension Migrator {
  /// Returns whether these rows record the migrations that a merged migration replaces, instead of that migration.
  private func isToBeMerged(_ rows: ArraySlice<MigrationStep>, _ index: Int) throws -> Bool {
    let (step, range) = (steps[index], ranges[index])
    guard let first = rows.first, let last = rows.last, first.number >= range.lowerBound else {
      throw MigrationError.missing(step)
    }
    try checkMerged(Set(rows.map(\.number)))
    if isNumbered {
      // The rows of a merged migration are alike, and those of the migrations that it replaces are not.
      let isRecorded = rows.allSatisfy { $0.isNamed(last.name) && $0.checksum == last.checksum }
      guard isRecorded, last.checksum != nil || step.checksum == nil else { return true }
    } else if !rows.allSatisfy({ $0.isNamed(step.name) }) {
      for (row, name) in zip(rows, migrations[index].merging) where !row.isNamed(name) {
        throw mismatch(row, step)
      }
      return true
    }
    try checkContent(last, step)
    return false
  }

  /// Throws if only some of the places of a merged migration are in `done`.
  func checkMerged(_ done: Set<Int>) throws {
    for (index, range) in ranges.enumerated() where migrations[index].isMerged {
      let missing = range.filter { !done.contains($0) }
      guard !missing.isEmpty, missing.count < range.count else { continue }
      let names = migrations[index].merging
      throw MigrationError.partlyMerged(
        steps[index],
        missing: missing.map { number in
          let name = names.isEmpty ? "" : names[number - range.lowerBound]
          return MigrationStep(number: number, name: name, checksum: nil)
        })
    }
  }

  /// Records merged migrations in place of the migrations that they replace, and returns them.
  func recordMerged(
    _ history: MigrationHistory, on connection: Connection
  ) throws -> [MigrationStep] {
    for index in history.merged {
      let (step, range) = (steps[index], ranges[index])
      try connection.execute(
        """
        UPDATE \(table) SET name = \(step.name), checksum = \(step.checksum)
        WHERE number BETWEEN \(range.lowerBound) AND \(range.upperBound)
        """)
    }
    return history.merged.map { steps[$0] }
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
    let adopted = steps.prefix { $0.number <= history.count }
    for index in adopted.indices { try note(index, on: connection) }
    return adopted
  }

  /// Removes a migration from the record.
  func removeRecord(_ index: Int, on connection: Connection) throws {
    let range = ranges[index]
    try connection.execute(
      "DELETE FROM \(table) WHERE number BETWEEN \(range.lowerBound) AND \(range.upperBound)")
    if userVersion != .ignored { try connection.setUserVersion(Int32(range.lowerBound - 1)) }
  }

  /// Adds a migration to the record.
  func note(_ index: Int, on connection: Connection) throws {
    let step = steps[index]
    for number in ranges[index] {
      try connection.execute(
        """
        INSERT INTO \(table) VALUES (
          \(number), \(step.name), \(step.checksum), CAST(strftime('%s', 'now') AS INTEGER),
          sqlite_version())
        """)
    }
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
