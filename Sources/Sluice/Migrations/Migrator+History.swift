import Foundation
public import SluiceCore

/// The migration history of a database, according to its records.
struct MigrationHistory: Equatable {
  /// The number of migrations that the database already has.
  var count = 0
  /// Whether the database has this migrator's record table.
  let isRecorded: Bool
  /// The number of the next migration, if it began outside a transaction and did not finish.
  var unfinished: Int?

  /// The number of the last migration that the database has, completely or in part.
  var last: Int { unfinished ?? count }
  /// Whether the database has migrations only according to the record of another library.
  var isAdopted: Bool { count > 0 && !isRecorded }
}

extension Migrator {
  /// Returns the migrations in the database's record, even those that this migrator lacks.
  ///
  /// The result is empty if there is no record. Another library's record that would be adopted does not count, and
  /// neither does a migration outside a transaction that did not finish.
  public func applied(on connection: Connection) throws -> [AppliedMigration] {
    try connection.savepoint { connection in
      try (record(of: connection) ?? []).filter { $0.step.number > 0 }
    }
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
    try currentHistory(of: connection).count
  }

  /// Returns whether `migrate` would write to the database, without changing the database.
  ///
  /// ```swift
  /// if try migrator.shouldMigrate(connection) { try connection.backup(to: "before.db") }
  /// ```
  ///
  /// `migrate` writes if a migration is pending, or if the record of another library has not yet been copied. The
  /// connection can be read-only, and its file can be empty. Throws a ``MigrationError`` for a database with a
  /// different history.
  public func shouldMigrate(_ connection: Connection) throws -> Bool {
    let history = try currentHistory(of: connection)
    return history.count < lastNumber || history.isAdopted
  }

  func currentHistory(of connection: Connection) throws -> MigrationHistory {
    try connection.savepoint { connection in try history(of: connection) }
  }

  /// Returns the history; throws unless the applied migrations are the first ones of this migrator.
  ///
  /// This method executes several statements, so it must run in a transaction.
  func history(of connection: Connection) throws -> MigrationHistory {
    if let record = try record(of: connection) { return try check(record.map(\.step)) }
    return MigrationHistory(count: try adoptedCount(on: connection), isRecorded: false)
  }

  /// The relation between the record of a database and the list of migrations.
  enum Contradictions {
    /// There is no record, or a migration outside a transaction did not finish.
    case unknown
    /// The record contradicts the list.
    case inHistory
    case none
  }

  /// Compares the record of a database with the list.
  func contradictions(in connection: Connection) throws -> Contradictions {
    guard let record = try record(of: connection)?.map(\.step), !record.isEmpty else {
      return .unknown
    }
    do {
      return try check(record).unfinished == nil ? .none : .unknown
    } catch is MigrationError {
      return .inHistory
    }
  }

  /// Returns the history; throws unless the record matches the list.
  private func check(_ record: [MigrationStep]) throws -> MigrationHistory {
    let unfinished = record.prefix { $0.number < 1 }
    var rest = record[unfinished.endIndex...]
    var history = MigrationHistory(isRecorded: true)
    for (index, (step, range)) in zip(steps, ranges).enumerated() {
      guard let next = rest.first else { break }
      let rows = rest.prefix { $0.number <= range.upperBound }
      rest = rest.dropFirst(rows.count)
      guard let last = rows.last, rows.count <= range.count else { throw lack(step, next) }
      try migrations[index].isMerged ? checkMerged(rows, index) : checkContent(last, step)
      history.count = range.upperBound
    }
    if let applied = rest.first { throw MigrationError.fromTheFuture(applied) }
    for begun in unfinished {
      history.unfinished = try number(ofUnfinished: begun, after: history.count)
    }
    return history
  }

  /// Returns the number of a migration that did not finish; throws unless it is the next one.
  private func number(ofUnfinished row: MigrationStep, after count: Int) throws -> Int {
    let begun = MigrationStep(
      number: Int(clamping: row.number.magnitude), name: row.name, checksum: row.checksum)
    guard let index = steps.firstIndex(where: { $0.number > count }), begun.number <= lastNumber
    else { throw MigrationError.fromTheFuture(begun) }
    let next = steps[index]
    guard begun.number == next.number else {
      throw ranges[index].contains(begun.number)
        ? MigrationError.partlyMerged(next, applied: [], missing: [begun]) : lack(next, begun)
    }
    if !isNumbered, !next.isNamed(begun.name) { throw mismatch(begun, next) }
    return next.number
  }

  /// Returns the error for a database that lacks a migration, but has the later migration `next`.
  private func lack(_ step: MigrationStep, _ next: MigrationStep) -> MigrationError {
    if next.number > lastNumber { return .fromTheFuture(next) }
    // A merged migration of a newer program has replaced the migrations before it.
    if !isNumbered, place(of: next.name) == nil { return .unknown(next) }
    return .missing(step)
  }

  private func mismatch(_ applied: MigrationStep, _ listed: MigrationStep) -> MigrationError {
    place(of: applied.name) == nil
      ? .unknown(applied) : .reordered(applied: applied, listed: listed)
  }

  private func checkContent(_ applied: MigrationStep, _ listed: MigrationStep) throws {
    if !isNumbered, !listed.isNamed(applied.name) { throw mismatch(applied, listed) }
    if let old = applied.checksum, let new = listed.checksum, old != new {
      throw MigrationError.changed(applied: applied, listed: listed)
    }
  }
}

/// Merged migrations.
extension Migrator {
  /// Throws unless these rows record a merged migration, or the migrations that it replaces.
  private func checkMerged(_ rows: ArraySlice<MigrationStep>, _ index: Int) throws {
    let (step, range, names) = (steps[index], ranges[index], migrations[index].merging)
    if rows.count == 1, let row = rows.first, row.number == range.upperBound {
      return try checkContent(row, step)
    }
    for row in rows
    where !isNumbered && !row.isNamed(names[row.number - range.lowerBound]) {
      throw mismatch(row, step)
    }
    // Earlier merges have left gaps.
    let last = rows.last?.number ?? 0
    try checkMerged { $0 <= last }
  }

  /// Throws if the database has only some of the places of a merged migration.
  func checkMerged(_ isDone: (Int) -> Bool) throws {
    for (index, range) in ranges.enumerated() where migrations[index].isMerged {
      let missing = range.filter { !isDone($0) }
      guard !missing.isEmpty, missing.count < range.count else { continue }
      let names = migrations[index].merging
      func step(_ number: Int) -> MigrationStep {
        let name = names.isEmpty ? "" : names[number - range.lowerBound]
        return MigrationStep(number: number, name: name, checksum: nil)
      }
      throw MigrationError.partlyMerged(
        steps[index], applied: range.filter(isDone).map(step), missing: missing.map(step))
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

  /// Runs `body` in a transaction, and returns the migrations that were adopted from another record.
  ///
  /// Returns nil if another connection has changed the history since `seen`, so that the next migration may be a
  /// different one. If `version` is given, it is the data version at which the history was seen: unless it has changed,
  /// the record is not read again, which would take time for each migration in it.
  func recording(
    _ seen: MigrationHistory, at version: Int? = nil, on connection: Connection,
    _ body: () throws -> Void
  ) throws -> ArraySlice<MigrationStep>? {
    try connection.transaction(.immediate) { connection in
      if try version == nil || connection.dataVersion() != version {
        guard try history(of: connection) == seen else { return nil }
      }
      let adopted = try makeRecord(on: connection, seen)
      try body()
      return adopted
    }
  }

  /// Creates the record if it does not exist, and returns the migrations that it adopts from another record.
  private func makeRecord(
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

  /// Records that a migration or its `revert` step begins outside a transaction.
  ///
  /// The record of the end replaces this record. If it is still there, the step did not finish.
  func begin(_ index: Int, on connection: Connection) throws {
    try removeRecord(index, on: connection)
    try insert(-steps[index].number, steps[index], on: connection)
  }

  /// The history after `begin`.
  func begun(_ index: Int) -> MigrationHistory {
    let range = ranges[index]
    return MigrationHistory(
      count: range.lowerBound - 1, isRecorded: true, unfinished: range.upperBound)
  }

  /// Removes a migration from the record.
  func removeRecord(_ index: Int, on connection: Connection) throws {
    let range = ranges[index]
    try connection.execute(
      """
      DELETE FROM \(table)
      WHERE number BETWEEN \(range.lowerBound) AND \(range.upperBound) OR number = \(-range.upperBound)
      """)
    if userVersion != .ignored { try connection.setUserVersion(Int32(range.lowerBound - 1)) }
  }

  /// Adds a migration to the record.
  func note(_ index: Int, on connection: Connection) throws {
    let step = steps[index]
    try connection.execute("DELETE FROM \(table) WHERE number = \(-step.number)")
    try insert(step.number, step, on: connection)
    if userVersion != .ignored { try connection.setUserVersion(Int32(step.number)) }
  }

  private func insert(_ number: Int, _ step: MigrationStep, on connection: Connection) throws {
    try connection.execute(
      """
      INSERT INTO \(table) VALUES (
        \(number), \(step.name), \(step.checksum), CAST(strftime('%s', 'now') AS INTEGER),
        sqlite_version())
      """)
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
