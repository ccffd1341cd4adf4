/// Files that become as short as they can be.
extension Connection {
  /// Writes a database anew, without the pages that it does not need, and with other settings if that is asked
  /// for.
  ///
  /// ```swift
  /// try connection.vacuum(pageSize: 8_192, autoVacuum: .incremental)
  /// ```
  ///
  /// It takes up to twice the space of the file meanwhile, and throws ``ResultCode/error`` in a transaction and
  /// while a statement stands on a row. A size that is no power of two from 512 to 65,536 throws
  /// ``ResultCode/range``; one that SQLite does not take, because the database has a WAL or is in memory,
  /// ``ResultCode/misuse``: it is written anew all the same.
  ///
  /// The corresponding SQL is `VACUUM`.
  public func vacuum(
    database: String = "main", pageSize: Int? = nil, autoVacuum: AutoVacuumMode? = nil
  ) throws {
    if let pageSize, !(512...65_536).contains(pageSize) || pageSize & (pageSize - 1) != 0 {
      throw SQLiteError(
        .range, "The page size must be a power of two from 512 to 65,536 (got \(pageSize))")
    }
    let prefix = try prefix(of: database)
    let oldSize = try pragma(.pageSize, database: database)
    let oldMode = try pragma(.autoVacuum, database: database)
    func ask(_ pageSize: Int?, _ autoVacuum: AutoVacuumMode?) throws {
      if let pageSize { try runPragma("\(prefix)page_size = \(pageSize)") }
      if let autoVacuum {
        try runPragma(
          "\(prefix)auto_vacuum = \(DatabasePragma<AutoVacuumMode>.autoVacuum.form.write(autoVacuum))"
        )
      }
    }
    do {
      try ask(pageSize, autoVacuum)
      try prepare(sql: "VACUUM " + quoted(identifier: database)).execute()
      let size = try pragma(.pageSize, database: database)
      let mode = try pragma(.autoVacuum, database: database)
      guard size == pageSize ?? size, mode == autoVacuum ?? mode else {
        throw SQLiteError(
          .misuse, "SQLite kept the page size at \(size) and the auto-vacuum mode at \(mode)")
      }
    } catch {
      // The next one would have these; the first error counts.
      try? ask(pageSize.map { _ in oldSize }, autoVacuum.map { _ in oldMode })
      throw error
    }
  }

  /// Gives pages that are not needed any more back to the file system, all or so many, where
  /// ``AutoVacuumMode/incremental`` keeps them.
  ///
  /// Fewer than one throw ``ResultCode/range``.
  ///
  /// The corresponding SQL is `PRAGMA incremental_vacuum`.
  public func incrementalVacuum(pages: Int? = nil, database: String = "main") throws {
    let count = try PragmaForm<Int>.checked(Int64(pages ?? Int(Int32.max)), 1...Int64(Int32.max))
    try runPragma("\(prefix(of: database))incremental_vacuum(\(count))")
  }

  /// Brings the statistics for the query planner up to date where that is worth while: in one database, or in all.
  ///
  /// ``ConnectionPragma/analysisLimit`` bounds the time that it takes.
  ///
  /// The corresponding SQL is `PRAGMA optimize`.
  public func optimize(database: String? = nil) throws {
    try runPragma("\(database.map(prefix) ?? "")optimize")
  }
}

/// The header values of a database.
extension Connection {
  /// How many pages a database has.
  ///
  /// The corresponding SQL is `PRAGMA page_count`.
  public func pageCount(database: String = "main") throws -> Int {
    try count("page_count", database)
  }

  /// How many of the pages of a database are not needed now.
  ///
  /// The corresponding SQL is `PRAGMA freelist_count`.
  public func freePageCount(database: String = "main") throws -> Int {
    try count("freelist_count", database)
  }

  /// A number that is another one after other connections have changed a database.
  ///
  /// What this connection changes leaves it as it is.
  ///
  /// The corresponding SQL is `PRAGMA data_version`.
  public func dataVersion(database: String = "main") throws -> Int {
    try count("data_version", database)
  }

  /// Returns the damage of a database in SQLite's words; empty if it is sound.
  ///
  /// A quick check does not compare the indexes with their tables. Foreign keys are not looked at: see
  /// ``foreignKeyViolations(of:database:)``. A database that is damaged too much to look into throws
  /// ``ResultCode/corrupt``, and a limit below one ``ResultCode/range``.
  ///
  /// The corresponding SQL is `PRAGMA integrity_check` and `PRAGMA quick_check`.
  public func integrityProblems(
    database: String = "main", isQuick: Bool = false, limit: Int = 100
  ) throws -> [String] {
    let limit = try PragmaForm<Int>.checked(Int64(limit), 1...Int64(Int32.max))
    let sql = try "\(prefix(of: database))\(isQuick ? "quick" : "integrity")_check(\(limit))"
    let problems = try prepare(sql: "PRAGMA " + sql).query(.column(.string))
    return problems == ["ok"] ? [] : problems
  }

  /// The rows that refer to rows which are not there, in one table or in all.
  ///
  /// They can come about while ``Configuration/foreignKeys`` is off.
  ///
  /// The corresponding SQL is `PRAGMA foreign_key_check`.
  public func foreignKeyViolations(
    of table: String? = nil, database: String = "main"
  ) throws -> [ForeignKeyViolation] {
    let argument = try table.map { try "(\(quoted(identifier: $0)))" } ?? ""
    return try prepare(sql: "PRAGMA \(prefix(of: database))foreign_key_check\(argument)").query(
      RowConverter { row in
        try ForeignKeyViolation(
          table: row.text(at: 0), rowid: row.optional(.int64, at: 1),
          referencedTable: row.text(at: 2), foreignKey: row.get(.int, at: 3))
      })
  }

  private func count(_ name: String, _ database: String) throws -> Int {
    Int(clamping: try pragmaAnswer(prefix(of: database) + name)?.integer ?? 0)
  }
}

/// A row that refers to a row which is not there.
public struct ForeignKeyViolation: Hashable, Sendable {
  /// The table of the row.
  public let table: String
  /// The key of the row, or nil in a table `WITHOUT ROWID`.
  public let rowid: Int64?
  /// The table in which a row is missing.
  public let referencedTable: String
  /// The number of the foreign key among those of the table: ``ForeignKeyInfo/number``.
  public let foreignKey: Int
}
