import CSluice

extension Connection {
  /// Compiles one SQL statement, and returns it.
  ///
  /// Throws ``ResultCode/misuse`` if the SQL contains no statement, or more than one.
  ///
  /// The corresponding C function is `sqlite3_prepare_v3`.
  public func prepare(sql: String) throws -> Statement {
    try prepare(sql, forCache: false)
  }

  /// Compiles the statements of `sql` one after the other, and passes each to `body`.
  ///
  /// ```swift
  /// try connection.forEachStatement(of: report) { statement in
  ///   if try statement.isReadOnly { print(try statement.rows()) } else { try statement.execute() }
  /// }
  /// ```
  ///
  /// Each statement is compiled after `body` has returned for the previous one, so a statement can use a table
  /// that an earlier one created. This method does not run the statements: `body` decides whether to run them.
  /// The first error ends the script. If the SQL contains no statement, `body` is not called.
  ///
  /// The corresponding C function is `sqlite3_prepare_v3`, with its `pzTail`.
  public func forEachStatement(
    of sql: String, _ body: (_ statement: Statement) throws -> Void
  ) throws {
    try refuseNUL(in: sql, "The SQL")
    var position = 0
    while position < sql.utf8.count {
      let (statement, next) = try compile(sql, from: position)
      if let statement { try body(statement) }
      guard next > position else { return }
      position = next
    }
  }

  /// Compiles one SQL statement, which the cache may keep if `forCache` is true.
  func prepare(_ sql: String, forCache: Bool) throws -> Statement {
    try refuseNUL(in: sql, "The SQL")
    let (statement, next) = try compile(sql, from: 0, forCache: forCache)
    guard let statement else {
      throw SQLiteError(.misuse, "The SQL contains no statement", sql: sql)
    }
    guard try isBlank(sql, from: next) else {
      throw SQLiteError(
        .misuse, "The SQL contains more than one statement", sql: sql, offset: next)
    }
    return statement
  }

  /// Compiles the statement that begins `start` bytes into `sql`, which contains no NUL.
  ///
  /// - Returns: The statement, or nil if there is none, and the offset in bytes at which the next statement may
  ///   begin.
  package func compile(
    _ sql: String, from start: Int, forCache: Bool = false
  ) throws -> (Statement?, next: Int) {
    try state.beginUse()
    defer { state.endUse() }
    if let translator {
      return try compile(sql, from: start, forCache: forCache, with: translator)
    }
    let isCached = forCache && cache.capacity > 0 && StatementTraits.isCacheable(sql)
    let (handle, access, next) = try unsafe prepare(sql, from: start, isCached: isCached)
    guard let handle = unsafe handle else { return (nil, next) }
    let isWhole = start == 0 && sql.utf8.dropFirst(next).allSatisfy(isSpace)
    let text = unsafe isWhole ? sql : String(cString: sqlite3_sql(handle))
    if !isCached, StatementTraits.setsBusyTimeout(text) { try adoptBusyTimeout() }
    let statement = unsafe Statement(handle, self, text, isCached: isCached)
    statement.access = access
    return (statement, next)
  }

  /// Compiles the statement that begins `start` bytes into `sql`, and returns its handle, or nil if there is none, with
  /// its accesses if the connection is observed.
  func prepare(
    _ sql: String, from start: Int, isCached: Bool
  ) throws -> (OpaquePointer?, StatementAccess?, next: Int) {
    let flags = isCached ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let connection = try unsafe readyHandle()
    if StatementTraits.opensFiles(sql, from: start), !SwiftFileSystems.isEmpty {
      state.reachesFileSystem = true
    }
    var handle: OpaquePointer?
    var next = 0
    let access = state.tracker.map { _ in StatementAccess() }
    let outer = state.enter(.compile)
    let code = state.calling {
      unsafe lendingWALHook(connection) {
        following(access) {
          unsafe sql.withCString { text in
            let text = unsafe text + start
            var tail: UnsafePointer<CChar>?
            let code = unsafe sqlite3_prepare_v3(connection, text, -1, flags, &handle, &tail)
            next = unsafe start + (tail.map { unsafe $0 - text } ?? 0)
            return code
          }
        }
      }
    }
    state.leave(to: outer)
    guard code == SQLITE_OK else {
      let error = state.failure(
        unsafe SQLiteError(code, of: connection, sql: sql).moved(by: start))
      state.settle()
      throw error
    }
    state.dropFailure()
    return unsafe (handle, access, next)
  }

  /// Calls `compile` and returns its result code; records the statement's accesses if the connection is
  /// observed.
  private func following(_ access: StatementAccess?, _ compile: () -> Int32) -> Int32 {
    guard let tracker = state.tracker else { return compile() }
    return tracker.collecting(for: access, compile)
  }

  /// Returns whether `sql` contains only white space, comments and semicolons from `start` on.
  func isBlank(_ sql: String, from start: Int) throws -> Bool {
    var position = start
    let rest = sql.utf8.dropFirst(start)
    guard !rest.allSatisfy(isSpace) else { return true }
    while position < sql.utf8.count {
      // Both a statement and an error mean that the rest is not blank.
      guard let (statement, next) = try? compile(sql, from: position), statement == nil else {
        return false
      }
      guard next > position else { return true }
      position = next
    }
    return true
  }
}

extension SQLiteError {
  /// Returns the same error with an offset into the whole SQL.
  ///
  /// SQLite has compiled only the part from byte `start` on, so its offset counts from there.
  fileprivate func moved(by start: Int) -> SQLiteError {
    saying(message, sql: sql, offset: offset.map { $0 + start })
  }
}
