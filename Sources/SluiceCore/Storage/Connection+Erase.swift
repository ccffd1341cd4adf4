/// Erasing databases.
extension Connection {
  /// Removes all content of a database in one transaction.
  ///
  /// ```swift
  /// try pool.sync { connection in try connection.erase() }
  /// ```
  ///
  /// The database keeps its page size, encoding, auto-vacuum mode and journal mode. Its user version and application
  /// ID become 0. Each other connection, such as a reader of a pool, sees either the whole content or an empty
  /// database. If this method throws, the database is unchanged.
  ///
  /// - Throws:
  ///   - ``ResultCode/misuse`` in a transaction or a callback, and ``ResultCode/error`` while a statement is at a row.
  ///   - ``ResultCode/busy`` or ``ResultCode/locked`` if another connection holds a lock.
  ///   - ``ResultCode/readOnly`` if the connection cannot write.
  ///
  /// The corresponding C functions are those of ``backup(to:database:as:pagesPerStep:busyLimit:progress:)``, which
  /// copies an empty database.
  public func erase(database: String = "main") throws {
    let mode = try pragma(.autoVacuum, database: database)
    var configuration = Configuration()
    configuration.pageSize = try pragma(.pageSize, database: database)
    let empty = try Connection(configuration: configuration)
    try empty.setPragma(.encoding, to: pragma(.encoding))
    try empty.setPragma(.autoVacuum, to: mode)
    // The transaction writes the header with these settings.
    try empty.transaction(.immediate) { empty in try empty.setUserVersion(0) }
    try empty.backup(to: self, as: database)
  }
}
