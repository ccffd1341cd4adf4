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
  ///
  /// `adopting` is the version that another record has for the table, such as the one that AHDataModel
  /// keeps outside of the database; nil or 0 stands for none. If the database has the table, but no version
  /// of it, the table counts as one that was migrated to that version. This is written in the same transaction.
  @discardableResult
  public func migrate<M: Model>(
    _ model: M.Type, to version: Int, adopting adopted: Int? = nil,
    _ body: (inout TableMigration<M>) throws -> Void = { _ in }
  ) throws -> MigrationPlan {
    try migrate(model, version, adopted, keeping: true, body)
  }

  /// Returns the steps that ``migrate(_:to:adopting:_:)`` would take.
  ///
  /// It is found out by doing it, and undoing it, so it throws if that would.
  public func migrationPlan<M: Model>(
    of model: M.Type, to version: Int, adopting adopted: Int? = nil,
    _ body: (inout TableMigration<M>) throws -> Void = { _ in }
  ) throws -> MigrationPlan {
    try migrate(model, version, adopted, keeping: false, body)
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
    _ model: M.Type, _ version: Int, _ adopted: Int?, keeping isKept: Bool,
    _ body: (inout TableMigration<M>) throws -> Void
  ) throws -> MigrationPlan {
    guard version > 0 else {
      throw SQLiteError(.misuse, "The version of a table must be positive (got \(version))")
    }
    guard (adopted ?? 0) >= 0 else {
      throw SQLiteError(
        .misuse, "The adopted version must not be negative (got \(adopted ?? 0))")
    }
    guard isInAutocommit else {
      throw SQLiteError(.misuse, "A table cannot be migrated inside a transaction")
    }
    return try without(.foreignKeys) {
      try with(.legacyAlterTable) {
        try transaction(.immediate) { connection, command in
          var work = MigrationWork<M>(connection: connection)
          try work.migrate(to: version, adopting: adopted ?? 0, body)
          if !isKept { command = .rollback }
          return work.plan
        }.value
      }
    }
  }

  private func without<T>(_ option: ConnectionOption, _ body: () throws -> T) throws -> T {
    guard try self.option(option) else { return try body() }
    try setOption(option, false)
    defer { try? setOption(option, true) }
    return try body()
  }

  private func with<T>(_ option: ConnectionOption, _ body: () throws -> T) throws -> T {
    guard try !self.option(option) else { return try body() }
    try setOption(option, true)
    defer { try? setOption(option, false) }
    return try body()
  }
}
