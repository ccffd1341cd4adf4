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
  /// ``Migration/ForeignKeys``. The last migration of the list also throws it if the table of a foreign key does not
  /// exist. If a migration changes the enforcement of foreign keys,
  /// ``ConnectionOption/legacyAlterTable``, ``ConnectionOption/writableSchema`` or
  /// ``ConnectionOption/trustedSchema``, the previous setting is restored after the migration.
  ///
  /// A migration outside a transaction is committed before its record. If it does not finish, the next call repeats
  /// it; see ``MigrationReport/repeated``. If `atomically` is true, it can only be applied alone. Otherwise
  /// ``ResultCode/misuse`` is thrown before anything changes.
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
    let last = last ?? lastNumber
    try checkNumber(last)
    let isErased = try eraseIfOutdated(connection)
    var run = try MigrationRun(self, connection, last, progress)
    while try run.advance(atomically: atomically) {}
    return run.report(isErased: isErased)
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

  /// Throws unless the number is 0 or that of a migration, so that no merged migration would be divided.
  func checkNumber(_ number: Int) throws {
    guard (0...lastNumber).contains(number) else {
      throw SQLiteError(
        .range, "There is no migration \(number); the migrator has \(lastNumber) migrations")
    }
    for (step, range) in zip(steps, ranges)
    where range.contains(number) && number != range.upperBound {
      throw SQLiteError(
        .range, "There is no migration \(number), because \(step) merges it: pass \(step.number)")
    }
  }

  func number(of name: String) throws -> Int {
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
