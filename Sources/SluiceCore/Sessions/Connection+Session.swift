extension Connection {
  /// Records the changes of all tables of a database from now on, also of those that it gets later.
  ///
  /// A connection has any number of sessions. It throws ``ResultCode/misuse`` while the connection has a
  /// pre-update hook, as SQLite has room for one or the other; C code that uses this connection must not
  /// have set one. It throws ``ResultCode/notFound`` without ``SQLiteCapability/sessions``, and
  /// ``ResultCode/range`` for a `schema` that there is not.
  ///
  /// The corresponding C function is `sqlite3session_create`.
  public func session(schema: String = "main", options: Session.Options = []) throws -> Session {
    try session(schema: schema, options: options) { _ in true }
  }

  /// Records the changes of some tables from now on, and of what ``Session/attach(_:)`` adds.
  public func session(
    tables: [String], schema: String = "main", options: Session.Options = []
  ) throws -> Session {
    try requireSession(schema)
    let session = try Session(self, schema, options)
    for table in tables { try session.attach(table) }
    return session
  }

  /// Records the changes of those tables that `isIncluded` is true for.
  ///
  /// ```swift
  /// let session = try connection.session { table in table != "log" }
  /// ```
  ///
  /// It is asked once for each table, in the middle of the statement that changes a row of it first, so it
  /// can do nothing with the connection: statements throw ``ResultCode/misuse``. The session keeps it, so
  /// if it refers to the session, neither is released before ``Session/close()``.
  ///
  /// The corresponding C function is `sqlite3session_table_filter`.
  public func session(
    schema: String = "main", options: Session.Options = [],
    where isIncluded: @escaping (_ table: String) -> Bool
  ) throws -> Session {
    try requireSession(schema)
    return try Session(self, schema, options, filter: isIncluded)
  }

  private func requireSession(_ schema: String) throws {
    _ = try unsafe handle()
    try SessionModule.enter()
    try refuseStatements()
    _ = try transactionState(schema: schema)
    guard state.preUpdateUser != .hooks else {
      throw SQLiteError(
        .misuse, "The connection has a pre-update hook, whose place a session would take")
    }
  }
}
