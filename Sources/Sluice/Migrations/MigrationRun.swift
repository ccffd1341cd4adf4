import SluiceCore

/// The state of one `migrate` call.
struct MigrationRun {
  private let migrator: Migrator
  private let connection: Connection
  private let progress: ((MigrationProgress) throws -> Void)?
  private var history: MigrationHistory
  /// The data version at which the history was read.
  private var version = 0
  /// The indexes of the migrations that this call still has to run.
  private var pending: Range<Int>
  private var adopted: [MigrationStep] = []
  private var applied: [MigrationStep] = []
  private var repeated: [MigrationStep] = []

  init(
    _ migrator: Migrator, _ connection: Connection, _ last: Int,
    _ progress: ((MigrationProgress) throws -> Void)?
  ) throws {
    self.migrator = migrator
    self.connection = connection
    self.progress = progress
    history = MigrationHistory(isRecorded: false)
    let end = migrator.steps.prefix { $0.number <= last }.endIndex
    pending = end..<end
    try read()
    guard history.count <= last else {
      throw SQLiteError(
        .range,
        "The database already has \(history.count) migrations; migrate cannot go back to \(last)")
    }
  }

  /// Reads the history of the database.
  private mutating func read() throws {
    (history, version) = try connection.savepoint { [migrator] connection in
      try (migrator.history(of: connection), connection.dataVersion())
    }
    // Another connection may already have migrated the database past the last migration of this call.
    let start = steps.prefix { [history] in $0.number <= history.count }.endIndex
    pending = min(start, pending.upperBound)..<pending.upperBound
  }

  private var steps: [MigrationStep] { migrator.steps }

  func report(isErased: Bool) -> MigrationReport {
    MigrationReport(
      adopted: adopted, applied: applied, repeated: repeated, version: history.count,
      isErased: isErased)
  }

  /// Runs the next migration, or all of them, and returns false if nothing was pending.
  mutating func advance(atomically: Bool) throws -> Bool {
    let next = atomically ? pending : pending.prefix(1)
    guard !next.isEmpty || history.isAdopted else {
      // A migration could have changed the record.
      if !applied.isEmpty { try read() }
      return !pending.isEmpty
    }
    let outside = try outside(next)
    var seen = history
    let unfinished = seen.unfinished
    let isDone = try connection.restoringSwitches(foreignKeys(of: next)) { check in
      var version: Int? = self.version
      if let index = outside {
        try announce(index)
        let adopted = try migrator.recording(seen, at: version, on: connection) {
          try migrator.begin(index, on: connection)
        }
        guard let adopted else { return false }
        self.adopted += adopted
        (seen, version) = (migrator.begun(index), nil)
        try naming(index, unfinished) {
          try migrator.migrations[index].work.runOutsideTransaction(on: connection)
        }
      }
      let adopted = try migrator.recording(seen, at: version, on: connection) {
        for index in next {
          if outside == nil { try announce(index) }
          try naming(index, unfinished) {
            if outside == nil { try migrator.migrations[index].work.run(on: connection) }
            try migrator.note(index, on: connection)
            try check(index == steps.indices.last)
          }
        }
      }
      guard let adopted else { return false }
      self.adopted += adopted
      applied += steps[next]
      repeated += steps[next].filter { $0.number == unfinished }
      return true
    }
    guard isDone else {
      // Another connection has changed the history in the meantime.
      try read()
      return true
    }
    history = MigrationHistory(
      count: next.last.map { migrator.ranges[$0].upperBound } ?? history.count, isRecorded: true)
    pending = next.upperBound..<pending.upperBound
    return true
  }

  /// Returns the treatment of foreign keys in these migrations; throws if they differ in it.
  private func foreignKeys(of range: Range<Int>) throws -> Migration.ForeignKeys {
    let kinds = Set(migrator.migrations[range].map(\.foreignKeys))
    guard kinds.count < 2 else {
      throw SQLiteError(
        .misuse, "Migrations that treat foreign keys differently cannot run in one transaction")
    }
    return kinds.first ?? .checked
  }

  /// Returns the index of the migration that runs outside a transaction; throws if there are others beside it.
  private func outside(_ range: Range<Int>) throws -> Int? {
    let index = range.first { !migrator.migrations[$0].isInTransaction }
    if let index, range.count > 1 {
      throw SQLiteError(
        .misuse,
        "Migration \(steps[index]) runs outside a transaction, so it cannot be applied atomically"
          + " with others; migrate without atomically")
    }
    return index
  }

  private func announce(_ index: Int) throws {
    try progress?(
      MigrationProgress(
        step: steps[index], completed: applied.count + index - pending.lowerBound,
        total: applied.count + pending.count))
  }

  private func naming(_ index: Int, _ unfinished: Int?, _ body: () throws -> Void) throws {
    let step = steps[index]
    let note = step.number == unfinished ? ", whose earlier run did not finish" : ""
    try migrator.naming("Migration \(step)\(note)", body)
  }
}

extension Migration.Work {
  /// Runs the work, and rolls back a transaction that it leaves open.
  func runOutsideTransaction(on connection: Connection) throws {
    do { try run(on: connection) } catch {
      // Report the error of the work, even if the rollback fails.
      if !connection.isInAutocommit { try? connection.rollback() }
      throw error
    }
    guard !connection.isInAutocommit else { return }
    try connection.rollback()
    throw SQLiteError(
      .misuse,
      "A transaction was left open, and was rolled back: commit it before the migration ends")
  }
}
