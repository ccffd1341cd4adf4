public import Sluice

/// Migration of tables to the declarations of their models.
extension Connection {
  /// Migrates the table of a model to the model's declaration and keeps the rows; changes nothing if it throws.
  ///
  /// The steps follow from the difference between the existing columns and the model's columns. Use `body` only
  /// to specify changes that the difference does not show; see ``TableMigration``.
  ///
  /// Indexes, triggers, views and virtual tables are kept, except for an index whose columns are all dropped. The
  /// migration throws if one of them does not work with the new columns, if a foreign key is violated, or if a column that
  /// was not dropped explicitly would be lost. A missing table is created. If the table already matches the model,
  /// and the columns to rename or drop do not exist, only the version is written.
  ///
  /// The version, which must be positive, is written to the table `sluice_model_history` of the database. If the
  /// table already has that version, this method has no effect. If the table has a later version, it throws
  /// ``ResultCode/misuse``. It also throws that code inside a transaction, where SQLite cannot disable foreign
  /// keys.
  ///
  /// `adopting` is the version of the table in another record, such as the one that AHDataModel keeps outside the
  /// database; nil or 0 means that there is none. If the table exists, but has no recorded version, it counts as
  /// migrated to the adopted version. That version is written in the same transaction.
  @discardableResult
  public func migrate<M: Model>(
    _ model: M.Type, to version: Int, adopting adopted: Int? = nil,
    _ body: (inout TableMigration<M>) throws -> Void = { _ in }
  ) throws -> MigrationPlan {
    try migrate(model, version, adopted, keeping: true, body)
  }

  /// Returns the steps that ``migrate(_:to:adopting:_:)`` would perform.
  ///
  /// This method runs the migration and rolls it back, so it throws if the migration would throw.
  public func migrationPlan<M: Model>(
    of model: M.Type, to version: Int, adopting adopted: Int? = nil,
    _ body: (inout TableMigration<M>) throws -> Void = { _ in }
  ) throws -> MigrationPlan {
    try migrate(model, version, adopted, keeping: false, body)
  }

  /// Returns the version of a model's table after its last migration; nil if it was never migrated.
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
