import CSluice

extension Connection {
  /// Compiles one SQL statement.
  ///
  /// SQL without a statement throws ``ResultCode/misuse``, and so does SQL with more than one.
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
  /// A statement is compiled when `body` has returned for the one before, so that it can use a table which that one
  /// has created. It does not run by itself. The first error ends the script. SQL without a statement calls nothing.
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

  /// Compiles one SQL statement, to be put into the cache or not.
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

  /// Compiles the statement that begins `start` bytes into `sql`, which is free of NUL.
  ///
  /// - Returns: The statement, or nil if there is none, and where the next one may begin.
  package func compile(
    _ sql: String, from start: Int, forCache: Bool = false
  ) throws -> (Statement?, next: Int) {
    let isCached = forCache && cache.capacity > 0 && StatementTraits.isCacheable(sql)
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
    guard let handle = unsafe handle else { return (nil, next) }
    let isWhole = start == 0 && sql.utf8.dropFirst(next).allSatisfy(isSpace)
    let text = unsafe isWhole ? sql : String(cString: sqlite3_sql(handle))
    let statement = unsafe Statement(handle, self, text, isCached: isCached)
    statement.access = access
    return (statement, next)
  }

  /// Compiles, and collects what the statement is going to do if somebody observes the connection.
  private func following(_ access: StatementAccess?, _ compile: () -> Int32) -> Int32 {
    guard let tracker = state.tracker else { return compile() }
    return tracker.collecting(for: access, compile)
  }

  /// Whether nothing but white space, comments and semicolons follows.
  func isBlank(_ sql: String, from start: Int) throws -> Bool {
    var position = start
    let rest = sql.utf8.dropFirst(start)
    guard !rest.allSatisfy(isSpace) else { return true }
    while position < sql.utf8.count {
      // What follows may be an error, or anything else that is not blank.
      guard let (statement, next) = try? compile(sql, from: position), statement == nil else {
        return false
      }
      guard next > position else { return true }
      position = next
    }
    return true
  }
}

func isSpace(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
}

extension SQLiteError {
  /// The same failure in a text of which SQLite saw what follows the first `start` bytes.
  fileprivate func moved(by start: Int) -> SQLiteError {
    saying(message, sql: sql, offset: offset.map { $0 + start })
  }
}
