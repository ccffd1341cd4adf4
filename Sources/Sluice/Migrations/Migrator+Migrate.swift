public import SluiceCore

extension Migrator {
  /// Applies the migrations that the database does not have behind it yet.
  ///
  /// ```swift
  /// let report = try queue.sync { connection in try migrator.migrate(connection) }
  /// ```
  ///
  /// Each runs in a transaction of its own, together with its record: one that fails leaves nothing
  /// behind, and those before it stay. With `atomically`, all run in one transaction, and stay or go
  /// together. With `upTo`, it stops after the migration of that number.
  ///
  /// Several connections and processes can migrate one database at once: each waits for the lock, then
  /// looks again, and every migration runs once. If nothing is to be done, nothing is written, so that a
  /// connection can be one that only reads.
  ///
  /// If foreign keys are enforced, a migration that breaks one throws ``ResultCode/constraintForeignKey``;
  /// see ``Migration/ForeignKeys``. What a migration turns on or off of that and of
  /// ``ConnectionOption/legacyAlterTable``, ``ConnectionOption/writableSchema`` and
  /// ``ConnectionOption/trustedSchema`` is afterwards as it was before.
  ///
  /// `progress` is called before each migration, and stops it all by throwing.
  ///
  /// It throws ``ResultCode/misuse`` inside of a transaction, and when a function that a statement of
  /// the connection calls asks for it; ``ResultCode/range`` for a number that is not there or that the
  /// database is past; and a ``MigrationError`` for a database with another past. A migration that ends
  /// its own transaction throws ``ResultCode/misuse``, and is not recorded. SQL that would do so is
  /// refused before anything runs; what Swift code commits in that way stays.
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
        .range, "There is no migration \(last); the migrator has \(migrations.count)")
    }
    var run = MigrationRun(self, connection, last, progress)
    try run.start()
    while try run.advance(atomically: atomically) {}
    return run.report
  }
}

extension Migrator {
  /// Applies the migrations up to the one of this name: the form that takes a number tells the rest.
  ///
  /// It throws ``ResultCode/range`` if no migration, or more than one, has the name.
  @discardableResult
  public func migrate(
    _ connection: Connection, upTo name: String, atomically: Bool = false,
    progress: ((_ next: MigrationProgress) throws -> Void)? = nil
  ) throws -> MigrationReport {
    try migrate(connection, upTo: number(of: name), atomically: atomically, progress: progress)
  }

  /// Migrates a copy up to the migration of this name: the form that takes a number tells the rest.
  ///
  /// It throws ``ResultCode/range`` if no migration, or more than one, has the name.
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

/// One call of `migrate` of a ``Migrator``.
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

  /// Does what is next, and tells whether there may be more.
  mutating func advance(atomically: Bool) throws -> Bool {
    // Another connection may have gone further than this one is to.
    let end = atomically ? last : min(history.count + 1, last)
    let next = history.count..<max(history.count, end)
    let isAdopting = history.count > 0 && !history.isRecorded
    guard !next.isEmpty || isAdopting else { return false }
    let isChecked = try isChecked(next)
    let seen = history.count
    let done: (adopted: ArraySlice<MigrationStep>, applied: ArraySlice<MigrationStep>)
    done = try connection.restoringSwitches {
      let isEnforcing = try connection.option(.foreignKeys)
      // SQLite ignores the pragma inside a transaction.
      if isChecked { try connection.setOption(.foreignKeys, false) }
      return try connection.transaction(.immediate) { connection in
        let history = try migrator.history(of: connection)
        // Somebody else was faster: what is next may be another one.
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

  /// Whether foreign keys are checked after all of these migrations, or after none.
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
