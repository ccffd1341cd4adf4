public import Sluice

/// Tables that become what their models are.
extension Connection {
  /// Makes the table of a model what the model says, and keeps its rows: all of it, or nothing.
  ///
  /// What has to be done follows from the difference between the columns that there are and those of
  /// the model. Only what the difference does not tell is said in `body`; see ``TableMigration``.
  ///
  /// Indexes, triggers and views stay, but for an index of nothing but columns that go. One that does not
  /// work with the new columns throws, and so does a foreign key that is broken, or a column that would be
  /// lost and that nobody has dropped. The table is created if there is none. If it is already what the
  /// model says, and what is to be renamed or dropped is not there, only the version is written.
  ///
  /// The version, which is 1 or more, is written into the table `sluice_model_history` of the database. If that version has
  /// been reached, nothing is done; if the table is beyond it, ``ResultCode/misuse`` is thrown. It is
  /// thrown inside of a transaction as well, where SQLite cannot leave foreign keys aside.
  @discardableResult
  public func migrate<M: Model>(
    _ model: M.Type, to version: Int, _ body: (inout TableMigration<M>) throws -> Void = { _ in }
  ) throws -> MigrationPlan {
    try migrate(model, version, keeping: true, body)
  }

  /// What ``migrate(_:to:_:)`` would do.
  ///
  /// It is found out by doing it, and undoing it, so it throws if that would.
  public func migrationPlan<M: Model>(
    of model: M.Type, to version: Int, _ body: (inout TableMigration<M>) throws -> Void = { _ in }
  ) throws -> MigrationPlan {
    try migrate(model, version, keeping: false, body)
  }

  /// The version that the table of a model was migrated to last, or nil if it never was.
  public func lastVersion<M: Model>(of model: M.Type) throws -> Int? {
    guard
      try first(
        .column(.int), "SELECT 1 FROM sqlite_schema WHERE name = 'sluice_model_history'") != nil
    else { return nil }
    return try first(
      .column(.optional(.int)),
      "SELECT max(version) FROM sluice_model_history WHERE table_name = \(M.table.name)") ?? nil
  }

  private func migrate<M: Model>(
    _ model: M.Type, _ version: Int, keeping isKept: Bool,
    _ body: (inout TableMigration<M>) throws -> Void
  ) throws -> MigrationPlan {
    guard version > 0 else {
      throw SQLiteError(.misuse, "The version of a table is 1 or more, and not \(version)")
    }
    guard isInAutocommit else {
      throw SQLiteError(.misuse, "A table cannot be migrated inside of a transaction")
    }
    return try without(.foreignKeys) {
      try with(.legacyAlterTable) {
        try transaction(.immediate) { connection, command in
          var work = MigrationWork<M>(connection: connection)
          try work.migrate(to: version, body)
          if !isKept { command = .rollback }
          return work.plan
        }.value
      }
    }
  }

  private func without<T>(_ option: ConnectionSwitch, _ body: () throws -> T) throws -> T {
    guard try isOn(option) else { return try body() }
    try turn(option, on: false)
    defer { try? turn(option, on: true) }
    return try body()
  }

  private func with<T>(_ option: ConnectionSwitch, _ body: () throws -> T) throws -> T {
    guard try !isOn(option) else { return try body() }
    try turn(option, on: true)
    defer { try? turn(option, on: false) }
    return try body()
  }
}
