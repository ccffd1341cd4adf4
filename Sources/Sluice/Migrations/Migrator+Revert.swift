public import SluiceCore

extension Migrator {
  /// Undoes the migrations after the one with this number, newest first, and returns them.
  ///
  /// ```swift
  /// let reverted = try reversible.revert(notes, to: 1)
  /// ```
  ///
  /// No other method reverts a migration. Each migration is undone by its `revert` step, in one transaction with the
  /// removal of its record. If a step fails, its changes are rolled back, and the migrations that were undone before
  /// it remain undone. Foreign keys are treated as in ``migrate(_:upTo:atomically:progress:)-(Connection,Int?,_,_)``.
  ///
  /// The step of a migration outside a transaction also runs outside a transaction, and must be repeatable. If it does
  /// not finish, the migration counts as unfinished: the next `revert` repeats the step, and the next `migrate`
  /// repeats the migration. `revert` also undoes a migration that `migrate` did not finish.
  ///
  /// If `version` is 0, all migrations are undone. If the database has `version` migrations, nothing is written.
  ///
  /// - Throws: ``ResultCode/misuse`` before anything changes if one of the migrations has no `revert` step, and inside
  ///   a transaction or a function that a statement of the connection calls. ``ResultCode/range`` if the database
  ///   has fewer than `version` migrations. A ``MigrationError`` for a database with a different history.
  @discardableResult
  public func revert(_ connection: Connection, to version: Int) throws -> [MigrationStep] {
    guard !connection.isInCallback, connection.isInAutocommit else {
      throw SQLiteError(
        .misuse,
        "Migrations cannot be reverted inside a transaction or an SQL function; pass the database's queue, or use perform"
      )
    }
    try checkNumber(version)
    var reverted: [MigrationStep] = []
    var history = try currentHistory(of: connection)
    guard history.count >= version else {
      throw SQLiteError(
        .range,
        "The database has only \(history.count) migrations; revert cannot go forward to \(version)")
    }
    while history.last > version {
      let numbers = version + 1...history.last
      let indexes = steps.indices.filter { numbers.contains(steps[$0].number) }
      if let index = indexes.first(where: { migrations[$0].undo == nil }) {
        throw SQLiteError(
          .misuse, "Migration \(steps[index]) cannot be reverted, because it has no revert step")
      }
      if let index = indexes.last, try undo(index, history, on: connection) {
        reverted.append(steps[index])
      }
      // Another connection may have migrated or reverted the database in the meantime.
      history = try currentHistory(of: connection)
    }
    return reverted
  }

  /// Undoes the migrations after the one with this name, newest first, and returns them.
  ///
  /// Throws ``ResultCode/range`` if no migration has the name, or if more than one does. In all other respects,
  /// this method behaves like the one that accepts a number.
  @discardableResult
  public func revert(_ connection: Connection, to name: String) throws -> [MigrationStep] {
    try revert(connection, to: number(of: name))
  }

  /// Undoes a migration; returns false if another connection has changed the history in the meantime.
  private func undo(
    _ index: Int, _ seen: MigrationHistory, on connection: Connection
  ) throws -> Bool {
    let migration = migrations[index]
    guard let undo = migration.undo else { return false }
    let subject = "Reverting migration \(steps[index])"
    var seen = seen
    return try connection.restoringSwitches(migration.foreignKeys) { check in
      if !migration.isInTransaction {
        let adopted = try recording(seen, on: connection) { try begin(index, on: connection) }
        guard adopted != nil else { return false }
        seen = begun(index)
        try naming(subject) { try undo.runOutsideTransaction(on: connection) }
      }
      let adopted = try recording(seen, on: connection) {
        try naming(subject) {
          if migration.isInTransaction { try undo.run(on: connection) }
          try removeRecord(index, on: connection)
          try check(false)
        }
      }
      return adopted != nil
    }
  }
}

/// Reverting the migrations of databases that are used through a queue or pool.
extension Migrator {
  /// Undoes the migrations after the one with this number, without blocking a thread.
  ///
  /// In all other respects, this method behaves like the one for a ``Connection``.
  @discardableResult
  public func revert(
    _ database: some DatabaseWriter, to version: Int
  ) async throws -> [MigrationStep] {
    try await database.perform { connection in try revert(connection, to: version) }
  }

  /// Undoes the migrations after the one with this name, without blocking a thread.
  @discardableResult
  public func revert(
    _ database: some DatabaseWriter, to name: String
  ) async throws -> [MigrationStep] {
    try await database.perform { connection in try revert(connection, to: name) }
  }

  /// Undoes the migrations after the one with this number, on the calling thread.
  @available(*, noasync, message: "Use revert, which does not block the thread")
  @discardableResult
  public func syncRevert(
    _ database: some DatabaseWriter, to version: Int
  ) throws -> [MigrationStep] {
    try database.sync { connection in try revert(connection, to: version) }
  }

  /// Undoes the migrations after the one with this name, on the calling thread.
  @available(*, noasync, message: "Use revert, which does not block the thread")
  @discardableResult
  public func syncRevert(
    _ database: some DatabaseWriter, to name: String
  ) throws -> [MigrationStep] {
    try database.sync { connection in try revert(connection, to: name) }
  }
}
