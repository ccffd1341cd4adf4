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
      throw SQLiteError(.range, "\(pageSize) is no power of two from 512 to 65,536")
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
          .misuse, "SQLite has left the size of pages at \(size), and the auto-vacuum at \(mode)")
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
