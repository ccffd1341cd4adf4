extension Connection {
  /// Creates a session that records all tables of a database, including those that are created later.
  ///
  /// A connection can have any number of sessions. Throws ``ResultCode/misuse`` while the connection has a
  /// pre-update hook, because SQLite supports only one of the two at a time. C code that uses this connection
  /// must not have set such a hook. Throws ``ResultCode/notFound`` without ``SQLiteCapability/sessions``, and
  /// ``ResultCode/range`` if no database is named `schema`.
  ///
  /// The corresponding C function is `sqlite3session_create`.
  public func session(schema: String = "main", options: Session.Options = []) throws -> Session {
    try session(schema: schema, options: options) { _ in true }
  }

  /// Creates a session that records the tables in `tables`, and the tables that ``Session/attach(_:)`` adds.
  public func session(
    tables: [String], schema: String = "main", options: Session.Options = []
  ) throws -> Session {
    try requireSession(schema)
    let session = try Session(self, schema, options)
    for table in tables { try session.attach(table) }
    return session
  }

  /// Creates a session that records the tables for which `isIncluded` returns true.
  ///
  /// ```swift
  /// let session = try connection.session { table in table != "log" }
  /// ```
  ///
  /// `isIncluded` is called once for each table, in the middle of the statement that first changes one of its
  /// rows, and earlier for a table that SQLite could not record, as ``Session`` explains. The closure cannot use the
  /// connection: executing a statement throws ``ResultCode/misuse``. The session retains the closure. If the closure retains
  /// the session, both remain in memory until ``Session/close()`` is called.
  ///
  /// The corresponding C function is `sqlite3session_table_filter`.
  public func session(
    schema: String = "main", options: Session.Options = [],
    where isIncluded: @escaping (_ table: String) -> Bool
  ) throws -> Session {
    try requireSession(schema)
    try refuseRowsWithoutColumns(in: schema, nil, if: isIncluded)
    return try Session(self, schema, options, filter: isIncluded)
  }

  private func requireSession(_ schema: String) throws {
    try requireLocal(.sessions)
    _ = try unsafe handle()
    try SessionModule.enter()
    try refuseStatements()
    // Until hooks are settled, a cancelled observer may occupy the pre-update hook.
    settleHooks()
    _ = try transactionState(schema: schema)
    guard state.watchers.preUpdates.user != .hooks else {
      throw SQLiteError(
        .misuse, "The connection has a pre-update hook, which a session would replace")
    }
  }
}
