public import SluiceCore

extension Migrator {
  /// Applies the pending migrations to the database of a connection.
  ///
  /// ```swift
  /// let report = try queue.sync { connection in try migrator.migrate(connection) }
  /// ```
  ///
  /// Each migration runs in its own transaction, together with its record. If a migration fails, its changes are
  /// rolled back, and the earlier migrations remain applied. If `atomically` is true, all migrations run in one
  /// transaction, so that either all are committed or none. If `upTo` is given, the call stops after the
  /// migration with that number.
  ///
  /// Several connections and processes can migrate the same database at the same time: each waits for the lock
  /// and checks again, so every migration runs only once. If no migration is pending, nothing is written, and the
  /// connection can be read-only.
  ///
  /// If foreign keys are enforced, a migration that violates one throws ``ResultCode/constraintForeignKey``; see
  /// ``Migration/ForeignKeys``. If a migration changes the enforcement of foreign keys,
  /// ``ConnectionOption/legacyAlterTable``, ``ConnectionOption/writableSchema`` or
  /// ``ConnectionOption/trustedSchema``, the previous setting is restored after the migration.
  ///
  /// `progress` is called before each migration, and can stop the whole call by throwing an error.
  ///
  /// Throws ``ResultCode/misuse`` inside a transaction, and inside a function that a statement of the connection
  /// calls. Throws ``ResultCode/range`` if there is no migration with the number `last`, or if the database
  /// already has later migrations. Throws a ``MigrationError`` for a database with a different history. A
  /// migration that ends its own transaction throws ``ResultCode/misuse``, and is not recorded. SQL that would end
  /// the transaction is rejected before any migration runs. If Swift code commits the transaction, the changes
  /// remain.
  @discardableResult
  public func migrate(
    _ connection: Connection, upTo last: Int? = nil, atomically: Bool = false,
    progress: ((_ next: MigrationProgress) throws -> Void)? = nil
  ) throws -> MigrationReport {
    guard !connection.isInCallback else {
      throw SQLiteError(
        .misuse, "An SQL function cannot migrate the database of the connection that calls it")
    }
    guard connection.isInAutocommit else {
      throw SQLiteError(
        .misuse,
        "A database cannot be migrated inside a transaction; pass its queue, or use perform"
      )
    }
    let last = last ?? migrations.count
    guard (0...migrations.count).contains(last) else {
      throw SQLiteError(
        .range, "There is no migration \(last); the migrator has \(migrations.count) migrations")
    }
    var run = MigrationRun(self, connection, last, progress)
    try run.start()
    while try run.advance(atomically: atomically) {}
    return run.report
  }
}

extension Migrator {
  /// Applies the pending migrations up to the one with this name.
  ///
  /// Throws ``ResultCode/range`` if no migration has the name, or if more than one does. In all other respects,
  /// this method behaves like the one that accepts a number.
  @discardableResult
  public func migrate(
    _ connection: Connection, upTo name: String, atomically: Bool = false,
    progress: ((_ next: MigrationProgress) throws -> Void)? = nil
  ) throws -> MigrationReport {
    try migrate(connection, upTo: number(of: name), atomically: atomically, progress: progress)
  }

  /// Migrates a copy of the database up to the migration with this name.
  ///
  /// Throws ``ResultCode/range`` if no migration has the name, or if more than one does. In all other respects,
  /// this method behaves like the one that accepts a number.
  public func dryRun(on connection: Connection, upTo name: String) throws -> MigrationDryRun {
    try dryRun(on: connection, upTo: number(of: name))
  }

  private func number(of name: String) throws -> Int {
    let named = steps.filter { $0.isNamed(name) }
    guard named.count == 1, let step = named.first else {
      throw SQLiteError(
        .range,
        named.isEmpty
          ? "There is no migration \"\(name)\""
          : "\(named.count) migrations have the name \"\(name)\": use a number")
    }
    return step.number
  }
}

/// The state of one `migrate` call.
private struct MigrationRun {
  private let migrator: Migrator
  private let steps: [MigrationStep]
  private let connection: Connection
  private let last: Int
  private let progress: ((MigrationProgress) throws -> Void)?
  private var history = MigrationHistory(count: 0, isRecorded: false)
  private var adopted: [MigrationStep] = []
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
    MigrationReport(adopted: adopted, applied: applied, version: history.count)
  }

  mutating func start() throws {
    try look()
    guard history.count <= last else {
      throw SQLiteError(
        .range, "The database already has \(history.count) migrations; it cannot go back to \(last)"
      )
    }
  }

  /// Runs the next transaction, and returns whether more migrations may be pending.
  mutating func advance(atomically: Bool) throws -> Bool {
    // Another connection may already have migrated the database past `last`.
    let end = atomically ? last : min(history.count + 1, last)
    let next = history.count..<max(history.count, end)
    let isAdopting = history.count > 0 && !history.isRecorded
    guard !next.isEmpty || isAdopting else { return false }
    let isChecked = try isChecked(next)
    let seen = history.count
    let done: (adopted: ArraySlice<MigrationStep>, applied: ArraySlice<MigrationStep>)
    done = try connection.restoringSwitches {
      let isEnforcing = try connection.option(.foreignKeys)
      // Change the option before the transaction begins, because SQLite ignores the change inside a transaction.
      if isChecked { try connection.setOption(.foreignKeys, false) }
      return try connection.transaction(.immediate) { connection in
        let history = try migrator.history(of: connection)
        // Another connection has migrated the database in the meantime, so the next migration may be a different
        // one.
        guard history.count == seen else { return (adopted: [], applied: []) }
        let adopted = try migrator.makeRecord(on: connection, history)
        for index in next { try apply(index, isChecked && isEnforcing) }
        return (adopted: adopted, applied: steps[next])
      }
    }
    adopted += done.adopted
    applied += done.applied
    try look()
    return history.count < last
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

  private func apply(_ index: Int, _ isToBeChecked: Bool) throws {
    let step = steps[index]
    try progress?(
      MigrationProgress(
        step: step, completed: applied.count + index - history.count,
        total: applied.count + last - history.count))
    try migrator.naming(step) {
      try migrator.migrations[index].run(on: connection)
      try migrator.note(step, on: connection)
      if isToBeChecked { try connection.checkForeignKeys() }
    }
  }
}
