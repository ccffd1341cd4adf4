import SluiceCore

/// The state of one `migrate` call.
struct MigrationRun {
  private let migrator: Migrator
  private let steps: [MigrationStep]
  private let connection: Connection
  private let last: Int
  private let progress: ((MigrationProgress) throws -> Void)?
  private var history = MigrationHistory(count: 0, isRecorded: false)
  private var adopted: [MigrationStep] = []
  private var merged: [MigrationStep] = []
  private var applied: [MigrationStep] = []

  init(
    _ migrator: Migrator, _ connection: Connection, _ last: Int,
    _ progress: ((MigrationProgress) throws -> Void)?
  ) {
    self.migrator = migrator
    steps = migrator.steps
    self.connection = connection
    self.last = last
    self.progress = progress
  }

  var report: MigrationReport {
    MigrationReport(adopted: adopted, merged: merged, applied: applied, version: history.count)
  }

  mutating func start() throws {
    try look()
    guard history.count <= last else {
      throw SQLiteError(
        .range,
        "The database already has \(history.count) migrations; migrate cannot go back to \(last)")
    }
  }

  /// Runs the next transaction, and returns whether more migrations may be pending.
  mutating func advance(atomically: Bool) throws -> Bool {
    // Another connection may already have migrated the database past `last`.
    let pending = self.pending
    let next = atomically ? pending : pending.prefix(1)
    guard !next.isEmpty || history.isIncomplete else { return false }
    let isInTransaction = try isInTransaction(next)
    let isChecked = try isInTransaction && isChecked(next)
    let seen = history.count
    let done: (adopted: ArraySlice<MigrationStep>, merged: [MigrationStep], count: Int)
    done = try connection.restoringSwitches {
      if !isInTransaction {
        for index in next { try apply(index) { try $0.runOutsideTransaction(on: connection) } }
      }
      let isEnforcing = try connection.option(.foreignKeys)
      // Change the option before the transaction begins, because SQLite ignores the change inside a transaction.
      if isChecked { try connection.setOption(.foreignKeys, false) }
      return try connection.transaction(.immediate) { connection in
        let history = try migrator.history(of: connection)
        // Another connection has migrated the database in the meantime, so the next migration may be a different
        // one.
        guard history.count == seen else { return (adopted: [], merged: [], count: 0) }
        let adopted = try migrator.makeRecord(on: connection, history)
        let merged = try migrator.recordMerged(history, on: connection)
        for index in next {
          if isInTransaction { try apply(index) { try $0.run(on: connection) } }
          try migrator.naming(steps[index]) {
            try migrator.note(index, on: connection)
            if isChecked && isEnforcing { try connection.checkForeignKeys() }
          }
        }
        return (adopted: adopted, merged: merged, count: next.count)
      }
    }
    adopted += done.adopted
    merged += done.merged
    applied += steps[next.prefix(done.count)]
    try look()
    return history.count < last
  }

  /// The indexes of the migrations that this call still has to run.
  private var pending: Range<Int> {
    let start = steps.prefix { $0.number <= history.count }.endIndex
    let end = steps.prefix { $0.number <= last }.endIndex
    return start..<max(start, end)
  }

  private mutating func look() throws {
    history = try connection.transaction { connection in try migrator.history(of: connection) }
  }

  /// Returns whether foreign keys are checked after these migrations; throws if the migrations differ in this.
  private func isChecked(_ range: Range<Int>) throws -> Bool {
    let kinds = Set(migrator.migrations[range].map(\.foreignKeys))
    guard kinds.count < 2 else {
      throw SQLiteError(
        .misuse, "Migrations that treat foreign keys differently cannot run in one transaction")
    }
    return kinds.first == .checked
  }

  /// Returns whether these migrations run in a transaction; throws if one of several migrations does not.
  private func isInTransaction(_ range: Range<Int>) throws -> Bool {
    guard let index = range.first(where: { !migrator.migrations[$0].isInTransaction }) else {
      return true
    }
    guard range.count == 1 else {
      throw SQLiteError(
        .misuse,
        "Migration \(steps[index]) runs outside a transaction, so it cannot be applied atomically"
          + " with others")
    }
    return false
  }

  private func apply(_ index: Int, _ body: (Migration.Work) throws -> Void) throws {
    let step = steps[index]
    let pending = self.pending
    try progress?(
      MigrationProgress(
        step: step, completed: applied.count + index - pending.lowerBound,
        total: applied.count + pending.count))
    try migrator.naming(step) { try body(migrator.migrations[index].work) }
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
