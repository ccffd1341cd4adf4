/// Methods that shrink and maintain database files.
extension Connection {
  /// Rebuilds a database without its unused pages, and with new settings if they are specified.
  ///
  /// ```swift
  /// try connection.vacuum(pageSize: 8_192, autoVacuum: .incremental)
  /// ```
  ///
  /// While it runs, this method needs free disk space of up to twice the size of the file.
  ///
  /// - Throws:
  ///   - ``ResultCode/error`` in a transaction, and while a statement is at a row.
  ///   - ``ResultCode/range`` if `pageSize` is not a power of two from 512 to 65,536.
  ///   - ``ResultCode/misuse`` if SQLite does not accept a setting, because the database has a WAL or is in
  ///     memory. The database is still rebuilt.
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
          .misuse,
          "SQLite did not apply the settings: the page size is \(size) and the auto-vacuum mode is \(mode)"
        )
      }
    } catch {
      // Restore the old settings, because the next vacuum would apply the new ones. A failure here is ignored,
      // because the first error is the one to report.
      try? ask(pageSize.map { _ in oldSize }, autoVacuum.map { _ in oldMode })
      throw error
    }
  }

  /// Removes unused pages from the file: up to `pages`, or all if `pages` is nil.
  ///
  /// In the mode ``AutoVacuumMode/incremental``, unused pages remain in the file until this method removes
  /// them.
  ///
  /// - Throws: ``ResultCode/range`` if `pages` is less than one.
  ///
  /// The corresponding SQL is `PRAGMA incremental_vacuum`.
  public func incrementalVacuum(pages: Int? = nil, database: String = "main") throws {
    let count = try PragmaForm<Int>.checked(Int64(pages ?? Int(Int32.max)), 1...Int64(Int32.max))
    try runPragma("\(prefix(of: database))incremental_vacuum(\(count))")
  }

  /// Updates the query planner's statistics where this is worthwhile, in one database or in all.
  ///
  /// ``ConnectionPragma/analysisLimit`` limits the time that this takes. Since version 3.46, SQLite itself limits the time.
  /// Before that version, it analyzes only tables that this connection has queried.
  ///
  /// The corresponding SQL is `PRAGMA optimize`.
  public func optimize(database: String? = nil) throws {
    try runPragma("\(database.map(prefix) ?? "")optimize")
  }
}

/// Methods that report the size, the version and the integrity of a database.
extension Connection {
  /// Returns the number of pages in a database.
  ///
  /// The corresponding SQL is `PRAGMA page_count`.
  public func pageCount(database: String = "main") throws -> Int {
    try count("page_count", database)
  }

  /// Returns the number of unused pages in a database.
  ///
  /// The corresponding SQL is `PRAGMA freelist_count`.
  public func freePageCount(database: String = "main") throws -> Int {
    try count("freelist_count", database)
  }

  /// Returns a number that changes when another connection has changed the database.
  ///
  /// Changes that this connection makes do not affect the number.
  ///
  /// The corresponding SQL is `PRAGMA data_version`.
  public func dataVersion(database: String = "main") throws -> Int {
    try count("data_version", database)
  }

  /// Returns SQLite's descriptions of the damage to a database; empty if the database is intact.
  ///
  /// A quick check does not compare the indexes with their tables. Both kinds of check report a virtual table that
  /// cannot be used, unless the connection lacks its module. Neither kind covers foreign keys: see
  /// ``foreignKeyViolations(of:database:)``. Beside such a virtual table, newer versions of SQLite do not find pages that
  /// two tables use.
  ///
  /// In a file of some megabytes that was damaged on purpose, a chain of pages can make SQLite overflow the stack. So on a
  /// connection that is ``Configuration/isConfined``, the check runs on a thread with a larger stack if the database has
  /// more than 512 pages. SQLite then calls functions and collations of the program on that thread, too.
  ///
  /// - Throws:
  ///   - ``ResultCode/corrupt`` if the database is too damaged to be checked.
  ///   - ``ResultCode/range`` if `limit` is less than one.
  ///
  /// The corresponding SQL is `PRAGMA integrity_check` and `PRAGMA quick_check`.
  public func integrityProblems(
    database: String = "main", isQuick: Bool = false, limit: Int = 100
  ) throws -> [String] {
    guard configuration.isConfined else { return try problems(database, isQuick, limit) }
    return try problemsOnLargeStack(database: database, isQuick: isQuick, limit: limit)
  }

  /// Returns what ``integrityProblems(database:isQuick:limit:)`` returns on a confined connection.
  package func problemsOnLargeStack(
    database: String = "main", isQuick: Bool = false, limit: Int = 100
  ) throws -> [String] {
    try withStackForPages(of: database) { try problems(database, isQuick, limit) }
  }

  private func problems(_ database: String, _ isQuick: Bool, _ limit: Int) throws -> [String] {
    let limit = Int(try PragmaForm<Int>.checked(Int64(limit), 1...Int64(Int32.max)))
    let check = try "PRAGMA \(prefix(of: database))\(isQuick ? "quick" : "integrity")_check"
    func problems(_ argument: String) throws -> [String] {
      let found = try prepare(sql: "\(check)(\(argument))").query(.column(.string))
      return found == ["ok"] ? [] : found
    }
    var found: [String] = []
    do {
      found = try problems("\(limit)")
      if found.count < limit { found += try unusableTables(database) }
    } catch let error as SQLiteError where [.error, .corrupt].contains(error.code.primary) {
      // Newer versions of SQLite end the check at a virtual table that cannot be used. Check the other tables one by one;
      // that of the schema includes the unused pages.
      found = try unusableTables(database)
      guard !found.isEmpty else { throw error }
      let names =
        "FROM \(try prefix(of: database))sqlite_schema WHERE type = 'table' AND rootpage > 0"
      for name in try ["sqlite_schema"]
        + prepare(sql: "SELECT name \(names)").query(.column(.string))
      where found.count < limit { found += try problems(quoted(identifier: name)) }
    }
    return Array(found.prefix(limit))
  }

  /// Returns an error message for each virtual table that SQLite cannot connect to its module.
  private func unusableTables(_ database: String) throws -> [String] {
    let prefix = try prefix(of: database)
    let names = try prepare(
      sql: """
        SELECT name FROM \(prefix)sqlite_schema
        WHERE type = 'table' AND rootpage = 0
        """
    ).query(.column(.string))
    return try names.compactMap { name in
      do {
        _ = try prepare(sql: "SELECT 1 FROM \(prefix)\(quoted(identifier: name))")
        return nil
      } catch let error as SQLiteError where [.error, .corrupt].contains(error.code.primary) {
        return error.message.hasPrefix("no such module: ")
          ? nil : "The virtual table \(name) cannot be used: \(error.message)"
      }
    }
  }

  /// Returns the rows that refer to missing rows, in one table or in all tables.
  ///
  /// Such rows can occur when ``Configuration/foreignKeys`` is off.
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

/// A row that refers to a missing row.
public struct ForeignKeyViolation: Hashable, Sendable {
  /// The name of the table that contains the row.
  public let table: String
  /// The rowid of the row; nil in a `WITHOUT ROWID` table.
  public let rowid: Int64?
  /// The name of the table in which a row is missing.
  public let referencedTable: String
  /// The number of the foreign key in its table: ``ForeignKeyInfo/number``.
  public let foreignKey: Int
}
